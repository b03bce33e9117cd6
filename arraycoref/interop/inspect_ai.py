"""A scorer for inspect-ai whose metric is the score of a corpus. Needs inspect-ai.

Inspect's own metrics average the values of samples. A corpus score is a ratio of sums over documents: the scorer puts
the counts of each sample into its metadata, and the metric adds these up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from arraycoref.exceptions import InputError
from arraycoref.interop.rows import document_counts, scores_from_counts
from arraycoref.options import Metrics
from arraycoref.scoring.metrics.registry import resolve_metrics

UNREADABLE = "invalid_response_format"
"""Inspect's reason for a score of a response that could not be read."""


def read_json(text: str) -> Any:
    r"""Read the clusters that a model wrote as JSON, maybe with words around it, or in an object with one list.

        >>> read_json('Here you are:\n```json\n{"clusters": [["Mary", "her"], ["the keys"]]}\n```')
        [['Mary', 'her'], ['the keys']]

    Args:
        text: the last block between triple backquotes, or else the whole text, is read from its first ``[`` to its last
            ``]``.

    Raises:
        InputError: no JSON there.
    """
    blocks = text.split("```")
    block = blocks[-2] if len(blocks) > 2 else text
    try:
        return json.loads(block[block.find("[") : block.rfind("]") + 1])
    except (ValueError, RecursionError) as error:
        raise InputError(f"{text!r:.80} holds no clusters: {error}; expected JSON such as [[...], [...]]") from error


@metric(scores="unreduced")  # type: ignore[untyped-decorator, unused-ignore]
def corpus_scores() -> Metric:
    """Add up the counts of all samples and epochs, and score them as one corpus.

    Inspect lists the numbers by name: ``muc_recall``, ``conll_f1`` and so on, fractions; ``documents``, samples times
    epochs; and ``unreadable``, how many responses of these were scored as no clusters.
    """

    def corpus(scores: list[SampleScore]) -> dict[str, float]:
        first = scores[0].score.metadata
        rows = [sample.score.metadata["counts"] for sample in scores]
        flat: dict[str, float] = scores_from_counts(rows, first["metrics"], **first["options"]).to_dict(flat=True)
        n_unreadable = sum(sample.score.reason == UNREADABLE for sample in scores)
        return flat | {"documents": float(len(rows)), "unreadable": float(n_unreadable)}

    return corpus


@scorer(metrics=[corpus_scores()])  # type: ignore[untyped-decorator, unused-ignore]
def coref_scorer(
    read: Callable[[str], Any] = read_json, metrics: Metrics = None, profile: str = "paper", **options: Any
) -> Scorer:
    """Score the clusters in a model's response against those in the sample's target.

    A response that cannot be read or scored counts as no clusters; the sample's score says why, and `corpus_scores` how
    many there are. A target that cannot be read is an error.

    Args:
        read: a function from the text of a target or response to clusters; it raises a ValueError where there are none.
        metrics: names of the metrics; None for the default metrics.
        profile: see `arraycoref.options`.
        **options: the same, such as ``duplicates="first"`` for models that repeat mentions.

    Returns:
        A scorer. The value of a sample's score is F of each metric by name, its explanation a table, and
        ``metadata["counts"]`` the result of `document_counts`.

    Raises:
        OptionError: a value that is not allowed for its option, or `UnknownNameError`: a name that does not exist.
    """
    names = list(resolve_metrics(metrics))
    choices = {"profile": profile, **options}
    document_counts([], [], names, **choices)  # refuses options before a model is asked

    async def score(state: TaskState, target: Target) -> Score:
        key = read(target.text)
        counts, reason = document_counts(key, [], names, **choices), None
        answer = state.output.completion
        try:
            counts = document_counts(key, read(answer), names, **choices)
        except ValueError as error:
            reason = f"scored as no clusters: {error}"
        scores = scores_from_counts([counts], names, **choices) if counts[0] else None
        return Score(
            value=dict.fromkeys(names, 0.0) if scores is None else {name: score.f1 for name, score in scores.items()},
            answer=answer,
            explanation=reason or str(scores or "not counted, as these options leave no mention"),
            reason=reason and UNREADABLE,
            metadata={"counts": counts, "metrics": names, "options": choices},
        )

    return score
