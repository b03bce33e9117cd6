"""Score many pairs of files in one call: find the pairs, score each alone, and add up the documents of all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from arraycoref.errors import InputError, OptionError, ReadError, UnknownNameError, first_names
from arraycoref.files import Source, score_files
from arraycoref.lazy import cached_property
from arraycoref.options import FileOptions, Signature, resolve_policies, signature
from arraycoref.records import Record
from arraycoref.report.formats import Displayable
from arraycoref.report.tables import TextTable
from arraycoref.runtime import in_threads, progress_of, thread_count
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores, DocumentScores

if TYPE_CHECKING:
    from arraycoref.scoring.print import PairsReport

Path = str | os.PathLike[str]
Pair = tuple[Source, Source]
Pairs = Path | Mapping[str, Pair] | Iterable[Pair]


@dataclass(frozen=True, eq=False, repr=False)
class PairScores(Record, Displayable, Mapping[str, BatchScores]):
    """Scores of P pairs of files: a mapping from the names of those that were scored to `BatchScores`.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        names: of all pairs, those that failed too, in the order given.
        batches: the scores of each pair that was scored.
        failures: the reason for each pair that could not be scored, by the name of the pair.
        signature: version, profile and policies.
    """

    metrics: tuple[str, ...]
    names: tuple[str, ...]
    batches: dict[str, BatchScores]
    failures: dict[str, str]
    signature: Signature

    def __getitem__(self, name: str) -> BatchScores:
        if name not in self.batches:
            raise UnknownNameError("pair that was scored", name, first_names(tuple(self.batches)))
        return self.batches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)

    @property
    def total(self) -> BatchScores:
        """All documents of the P pairs as one batch; each document is named ``PAIR: DOCUMENT``.

        Documents with the same name in two pairs are two documents. Pairs that failed are left out.

        Raises:
            InputError: all pairs failed.
        """
        if not self.batches:
            why = next((f"; {name!r}: {message}" for name, message in self.failures.items()), "")
            raise InputError(f"no pair was scored, so there is no total{why}")
        return self._all

    @cached_property
    def _all(self) -> BatchScores:
        names = tuple(f"{pair}: {name}" for pair, b in self.items() for name in b.names)
        return BatchScores(self.metrics, self._counts(names, [b.counts.rows for b in self.values()]), self.signature)

    @property
    def corpora(self) -> DocumentScores:
        """The corpus scores of each pair: each attribute of each metric is an array (P,)."""
        rows = [b.corpus.counts.rows[np.newaxis] for b in self.values()]
        return DocumentScores(self.metrics, self._counts(tuple(self), rows), self.signature)

    def _counts(self, names: tuple[str, ...], rows: Sequence[np.ndarray[Any, Any]]) -> Counts:
        counted = tuple(metric.name for metric in counted_metrics(self.metrics))
        none = np.zeros((0, len(group_names(counted)), 4))
        return Counts.read_only(names, counted, np.concatenate([none, *rows]))

    def to_dict(self) -> dict[str, Any]:
        """Return the scores of each pair and their total as plain values, as ``--format json`` writes them."""
        return self.report().to_dict()

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the F of each pair, and of the total."""
        return self.report().tables(digits)

    def caption(self, digits: int) -> Sequence[str]:
        """Say what the numbers are, and which pairs have none."""
        return self.report().caption(digits)

    def report(self, per_document: bool = False, macro: bool = False) -> PairsReport:
        """Return the report that ``--pairs`` prints, whose `render` writes it in a format.

        Args:
            per_document: show the scores of every document too.
            macro: show means over documents instead of corpus scores.
        """
        from arraycoref.scoring.print import PairsReport

        return PairsReport(
            self._all, per_document, macro, names=self.names, batches=self.batches, failures=self.failures
        )

    def columns(self) -> dict[str, Any]:
        """Return a row for each pair that was scored: ``pair``, then ``muc_recall`` and so on, fractions 0-1."""
        from arraycoref.scoring.rows import score_columns

        return {"pair": list(self) or np.zeros(0, "U1"), **score_columns(self.corpora, self.metrics)}

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        total = f", in total {self._all!r}" if self.batches else ""
        return f"<PairScores of {len(self)} pairs, {len(self.failures)} failed{total}>"


def score_pairs(pairs: Pairs, responses: Path | None = None, **options: Unpack[FileOptions]) -> PairScores:
    r"""Score many pairs of a key and a response, each by itself; a pair that fails is named, and the others go on.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> _ = Path("pairs.tsv").write_text("key.jsonl\tresponse.jsonl\nkey.jsonl\tkey.jsonl\n")
        >>> found = ac.score_pairs("pairs.tsv")
        >>> found["response.jsonl"]["muc"].recall, found["key.jsonl"]["muc"].recall, found.total["muc"].recall
        (0.5, 1.0, 0.75)

    Args:
        pairs: one of four: a file (``-`` for standard input) in which each line has the paths of a key and a response
            with a tab between; the folder of the keys, if ``responses`` is given; a mapping from names to pairs; or
            an iterable of pairs. The two sides of a pair are arguments of `score_files`. Paths are relative to the
            working directory. A pair without a name is named by the path of its response; if two pairs have the same
            response, all are named by both paths.
        responses: the folder of the responses. Files of the two folders pair by their paths below the folder, without
            suffixes; with them, if two files of a folder differ in the suffix only.
        **options: see `arraycoref.options`. Each thread works on a pair, and ``progress`` is called with the number of
            pairs done and of all pairs.

    Raises:
        ReadError: a list or folder that cannot be read, or a line that is no pair; names path and line.
        InputError: no pairs, something that is no pair, or a pair that is given twice.
        OptionError: an option that makes no sense, or `UnknownNameError`: one that does not exist.
    """
    from arraycoref.read.parsed import warn

    policies, metrics = resolve_policies(options, FileOptions), resolve_metrics(options.get("metrics"))
    threads = thread_count(options.get("threads", 1))
    found, failures = _folder_pairs(pairs, responses) if responses is not None else (_named(pairs), {})
    _require_one_reader([pairs, *(side for pair in found.values() for side in pair)])
    progress, report = progress_of(options), options.get("report") or warn
    options |= {"metrics": metrics, "threads": max(threads // max(len(found), 1), 1), "progress": None}

    def score(pair: Pair) -> tuple[BatchScores | str, list[ReadError]]:
        """Score one pair, or say why it failed; also return the faults passed over, which are reported pair by pair."""
        faults: list[ReadError] = []
        try:
            return score_files(*pair, **(options | {"report": faults.append})), faults
        except (OptionError, UnknownNameError):  # all pairs would fail
            raise
        except (InputError, ReadError) as error:
            return str(error), faults

    batches: dict[str, BatchScores] = {}
    results = in_threads(score, found.values(), threads)
    for n, (name, (scores, faults)) in enumerate(zip(found, results, strict=True), 1):
        for fault in faults:
            report(fault)
        if isinstance(scores, str):
            failures[name] = scores
        else:
            batches[name] = scores
        if progress is not None:
            progress(n, len(found))
    names = (*found, *(name for name in failures if name not in found))
    return PairScores(metrics, names, batches, failures, signature(policies))


def _named(pairs: Pairs) -> dict[str, Pair]:
    """Return the pairs of a list file, a mapping or an iterable, by name."""
    given = read_list(pairs) if isinstance(pairs, str | os.PathLike) else pairs
    if not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        raise InputError(f"{pairs!r:.80} is no list of pairs; expected its path, a mapping or an iterable")
    listed = [_checked(pair) for pair in (given.values() if isinstance(given, Mapping) else given)]
    names = [_path_of(response) for _, response in listed]
    if isinstance(given, Mapping):
        names = list(map(str, given))
    elif len(set(names)) < len(names):
        names = [f"{_path_of(key)} {_path_of(response)}" for key, response in listed]
    found = dict(zip(names, listed, strict=True))
    if len(found) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the pair {twice!r} is given twice; expected each once")
    if not found:
        raise InputError("no pairs were given; expected a key and a response, or more")
    return found


def read_list(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the two paths on each line of a list file."""
    from arraycoref.runtime import STDIN, load_text

    name = STDIN if path == "-" else os.fspath(path)
    if os.path.isdir(name):
        raise InputError(f"{name!r} is a folder of keys; expected that of the responses too, or a list of pairs")
    for number, line in enumerate(load_text(name).split("\n"), 1):
        if line.strip():
            paths = line.rstrip("\r").split("\t")
            if len(paths) != 2 or not all(paths):
                raise ReadError(name, number, f"{line!r:.80}; expected a key's and a response's path, one tab between")
            yield paths[0], paths[1]


def _folder_pairs(keys: Any, responses: Path) -> tuple[dict[str, Pair], dict[str, str]]:
    """Pair the files of two folders; return the pairs by name, and what is wrong with the files without a partner."""
    from arraycoref.read.sources import expand

    sides: list[dict[str, str]] = []
    for folder in (keys, responses):
        if not isinstance(folder, str | os.PathLike) or not os.path.isdir(folder):
            raise InputError(f"{folder!r:.80} is no folder; expected one of keys and one of responses, or a list alone")
        sides.append({os.path.relpath(path, folder): path for path in expand(folder)})
    shorter = [{_without_suffix(name): path for name, path in side.items()} for side in sides]
    if list(map(len, shorter)) == list(map(len, sides)):
        sides = shorter
    ours, theirs = sides
    failures = {name: f"{path} has no partner in {responses}" for name, path in ours.items() if name not in theirs}
    failures |= {name: f"{path} has no partner in {keys}" for name, path in theirs.items() if name not in ours}
    return {name: (path, theirs[name]) for name, path in ours.items() if name in theirs}, failures


def _without_suffix(path: str) -> str:
    """Remove the suffix of a compression, and then that of a format: a suffix that begins with a letter."""
    from arraycoref.runtime import split_suffixes

    stem, suffix, _ = split_suffixes(path)
    return stem if suffix[1:2].isalpha() else stem + suffix


def _checked(pair: Any) -> Pair:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InputError(f"{pair!r:.80} is no pair; expected (key, response)")
    return pair[0], pair[1]


def _path_of(source: Source) -> str:
    return ", ".join(map(str, source)) if isinstance(source, list | tuple) else str(source)


def _require_one_reader(sources: Iterable[object]) -> None:
    """Refuse standard input, or a pipe, that is named twice."""
    from arraycoref.read.sources import is_stream

    streams = [os.fspath(source) for source in sources if isinstance(source, str | os.PathLike) and is_stream(source)]
    twice = [path for path in streams if streams.count(path) > 1]
    if twice:
        raise OptionError(f"{twice[0]!r} is named twice among the pairs; it can be read only once")
