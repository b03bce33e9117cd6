"""Score coreference: what Hugging Face's ``evaluate.load`` loads from this folder.

Args:
    predictions: the response, and references: the key. Lines of CoNLL, as the metric coval takes them: lists of lines,
        in which columns 1 and 2 name document and part, and the last one has the coreference. Or documents, each a list
        of clusters, which are lists of mentions: texts, or [first, last].
    keep_singletons: False drops entities of one mention on both sides.
    metrics, profile and others: see ``arraycoref.options``; the profile is ``coval`` by default.

Returns:
    recall, precision and f1 of each metric, such as ``muc/f1``, as fractions; and ``conll_score`` in percent.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import datasets
import evaluate

import arraycoref as ac

METRICS = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")


class Coreference(evaluate.Metric):  # type: ignore[misc]  # evaluate is not installed where types are checked
    """Scores of coreference over all documents."""

    def _info(self) -> Any:
        features = datasets.Features(dict.fromkeys(("predictions", "references"), datasets.Value("string")))
        return evaluate.MetricInfo("Scores of coreference, by arraycoref.", "", features, inputs_description=__doc__)

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Add documents; they are kept as JSON, as lists of Arrow have one depth."""
        write = partial(json.dumps, default=lambda value: value.tolist())  # arrays and tensors
        super().add_batch(predictions=list(map(write, predictions)), references=list(map(write, references)))

    def _compute(
        self, predictions: list[str], references: list[str], keep_singletons: bool = True, **options: Any
    ) -> dict[str, float]:
        usual = {"profile": "coval", "metrics": METRICS, "singletons": "keep" if keep_singletons else "drop"}
        key, response = ([json.loads(item) for item in side] for side in (references, predictions))
        if any(isinstance(item, str) for items in (*key, *response) for item in items):
            with TemporaryDirectory() as folder:
                paths = [Path(folder, f"{side}.conll") for side in ("key", "response")]
                for path, lists in zip(paths, (key, response), strict=True):
                    path.write_text(_conll(lists), encoding="utf-8")
                scores = ac.score_files(*paths, **usual | options).corpus
        else:
            scores = ac.score_batch(key, response, **usual | options).corpus
        fields = {"/".join(name.rsplit("_", 1)): value for name, value in scores.to_dict(flat=True).items()}
        return fields | ({"conll_score": 100 * fields.pop("conll/f1")} if "conll/f1" in fields else {})


def _conll(lists: list[list[str]]) -> str:
    """Return lines as a file of CoNLL, with a document for each name in the first two columns."""
    result, last = list[str](), list[str]()
    for line in (line for lines in lists for line in (*lines, "") if not line.startswith("#")):
        if (name := line.split()[:2]) not in ([], last):
            result += ["#end document"] * bool(last) + [f"#begin document ({name[0]}); part {name[-1]:0>3}"]
            last = name
        result.append(line)
    return "\n".join([*result, "#end document", ""])
