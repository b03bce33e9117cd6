"""Score many pairs of files, each by itself, and all of their documents together; and one response in several ways."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Unpack

import numpy as np

from arraycoref.api import encode_files, read_sides, score_clusterings
from arraycoref.exceptions import ArraycorefError, InputError, OptionError, ReadError, UnknownNameError
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read.paths import Source, expand, require_one_reader
from arraycoref.runtime import STDIN, load_text, progress_of, split_suffixes
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.grouped import GroupedScores
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, signature
from arraycoref.twin import with_engine

Path = str | os.PathLike[str]
Pair = tuple[Source, Source]
Pairs = Path | Mapping[str, Pair] | Iterable[Pair]

VARIANTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "head": {"matching": "head", "singletons": "drop"},
        "partial": {"matching": "partial", "singletons": "drop"},
        "exact": {"matching": "exact", "singletons": "drop"},
        "head, singletons": {"matching": "head", "singletons": "keep"},
    }
)
"""The columns of the shared tasks' tables; the first ranks the systems."""

METRICS = ("mentions", "muc", "bcub", "ceafe", "conll")
"""The metrics of the shared tasks' tables."""


def score_file_pairs(pairs: Pairs, responses: Path | None = None, **options: Unpack[FileOptions]) -> GroupedScores:
    r"""Score many pairs of a key and a response, each by itself; a pair that fails is named, the rest are scored.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> _ = Path("pairs.tsv").write_text("key.jsonl\tresponse.jsonl\nkey.jsonl\tkey.jsonl\n")
        >>> found = ac.score_file_pairs("pairs.tsv")
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
        **options: see `arraycoref.options`; ``progress`` is called with the number of pairs done and of all pairs.

    Raises:
        ReadError: a list or folder that cannot be read, or a line that is not a pair; names path and line.
        InputError: no pairs, or a pair that is given twice.
        OptionError: an option that makes no sense for any pair, or `UnknownNameError`: one that does not exist.
    """
    signed = signature(resolve_policies(options, FileOptions))
    metrics = resolve_metrics(options.get("metrics"))
    return _score_each(pairs, responses, _score_pair, {**options, "metrics": metrics}).grouped(metrics, signed)


@with_engine
def _score_pair(key: Source, response: Source, **options: Any) -> BatchScores:
    """Score a key and its response as `score_files` does, but one document on each side pairs under any name."""
    policies = resolve_policies(options, FileOptions)
    clusterings, headers = encode_files(key, response, policies, options, are_paired=True)
    return score_clusterings(clusterings, policies, options, headers)


@with_engine
def score_corefud(
    key: Any, response: Any = None, *, file_pairs: bool = False, **options: Unpack[FileOptions]
) -> GroupedScores:
    r"""Score CoNLL-U files by heads, in part, exactly, and by heads with singletons.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> lines = ["# global.Entity = eid-etype-head", "1\ta" + 7 * "\t_" + "\tEntity=(e1-x-1)"]
        >>> _ = Path("key.conllu").write_text("\n".join([*lines, "2\tb" + 7 * "\t_" + "\tEntity=(e1-x-1)", "", ""]))
        >>> {name: b.conll for name, b in ac.score_corefud("key.conllu", "key.conllu").items()}
        {'head': 1.0, 'partial': 1.0, 'exact': 1.0, 'head, singletons': 1.0}

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input; in CoNLL-U.
        response: the same.
        file_pairs: score many pairs, such as those of a task's data sets, each by itself, and their mean; ``key`` and
            ``response`` are then ``pairs`` and ``responses`` of `score_file_pairs`.
        **options: see `arraycoref.options`; the profile is ``corefud`` unless it is given, and ``matching`` and
            ``singletons`` are those of each way.

    Raises:
        InputError: as for `score_files` or `score_file_pairs`.
    """
    asked: dict[str, Any] = {"profile": "corefud", **options}
    metrics = asked["metrics"] = resolve_metrics(METRICS if options.get("metrics") is None else options["metrics"])
    if not file_pairs:
        return GroupedScores(_score_corefud(key, response, **asked), "variant", choices={"short": True})
    scored = _score_each(key, response, partial(_score_corefud, are_paired=True), asked)
    groups = {}
    for name, variant in VARIANTS.items():
        of_variant = replace(scored, results={pair: results[name] for pair, results in scored.results.items()})
        signed = signature(resolve_policies(asked | dict(variant), FileOptions))
        groups[name] = of_variant.grouped(metrics, signed)
    compare_by = "conll" if "conll" in metrics else "mentions F" if metrics[-1] == "mentions" else metrics[-1]
    choices, failures = {"short": True}, scored.failures
    return GroupedScores(groups, "variant", failures=failures, compare_by=compare_by, choices=choices)


def _score_corefud(key: Source, response: Source, *, are_paired: bool = False, **asked: Any) -> dict[str, BatchScores]:
    """Score one key and response in each way; see `score_corefud`, and `read_sides` for ``are_paired``."""
    policies = resolve_policies(asked | dict(VARIANTS["head"]), FileOptions)
    sides = read_sides(key, response, asked, policies, are_paired=are_paired)
    scores: dict[str, BatchScores] = {}
    for name, variant in VARIANTS.items():
        own = resolve_policies(asked | dict(variant), FileOptions)
        own.notes.update(policies.notes)
        checked, on_error = own, asked.get("on_error")
        if scores:  # compare tokens, and warn, once
            checked, on_error = replace(own, tokens="ignore"), lambda _: None
        scores[name] = score_clusterings(match_documents(*sides, checked, on_error).clusterings, own, asked)
    return scores


@dataclass(frozen=True)
class _Each:
    """What became of each pair.

    Attributes:
        results: the result of each pair that could be scored, by its name.
        names: names of all pairs, in the order given.
        failures: the error of each other pair, by its name.
    """

    results: Mapping[str, Any]
    names: tuple[str, ...]
    failures: Mapping[str, ArraycorefError]

    def grouped(self, metrics: tuple[str, ...], signed: Signature) -> GroupedScores:
        """Return the `BatchScores` of each pair, and those of all documents together, named ``PAIR: DOCUMENT``."""
        counted = tuple(metric.name for metric in counted_metrics(metrics))
        documents = tuple(f"{pair}: {name}" for pair, b in self.results.items() for name in b.names)
        none = np.zeros((0, len(group_names(counted)), 4))
        rows = np.concatenate([none, *(b.counts.rows for b in self.results.values())])
        total = BatchScores(metrics, Counts.read_only(documents, counted, rows), signed)
        return GroupedScores(self.results, "pair", total, self.names, self.failures)


def _score_each(pairs: Pairs, responses: Path | None, score: Callable[..., Any], options: Mapping[str, Any]) -> _Each:
    """Score each pair with a function of a key, a response and options; see `score_file_pairs`."""
    progress = progress_of(options.get("progress"))
    sides, failures = _folder_pairs(pairs, responses) if responses is not None else (_named_pairs(pairs), {})
    require_one_reader([pairs, *(side for pair in sides.values() for side in pair)])
    results: dict[str, Any] = {}
    for n, (name, pair) in enumerate(sides.items(), 1):
        try:
            results[name] = score(*pair, **{**options, "progress": None})
        except (InputError, ReadError) as error:
            failures[name] = error
        if progress is not None:
            progress(n, len(sides))
    wrong = [error for error in failures.values() if isinstance(error, OptionError | UnknownNameError)]
    if wrong and not results:
        raise wrong[0]
    return _Each(results, (*sides, *(name for name in failures if name not in sides)), failures)


def _named_pairs(pairs: Pairs) -> dict[str, Pair]:
    """Return the pairs of a list file, a mapping or an iterable, by name."""
    listing: Any = read_list(pairs) if isinstance(pairs, str | os.PathLike) else pairs
    pairs_of = listing.values() if isinstance(listing, Mapping) else listing
    listed: list[Pair] = [(key, response) for key, response in pairs_of]
    names = [_path_of(response) for _, response in listed]
    if isinstance(listing, Mapping):
        names = list(map(str, listing))
    elif len(set(names)) < len(names):
        names = [f"{_path_of(key)} {_path_of(response)}" for key, response in listed]
    by_name = dict(zip(names, listed, strict=True))
    if len(by_name) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the pair {twice!r} is given twice; expected each once")
    if not by_name:
        raise InputError("no pairs were given; expected a key and a response, or more")
    return by_name


def read_list(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the two paths on each line of a list file."""
    name = STDIN if path == "-" else os.fspath(path)
    if os.path.isdir(name):
        raise InputError(f"{name!r} is a folder of keys; expected that of the responses too, or a list of pairs")
    for number, line in enumerate(load_text(name).split("\n"), 1):
        if line.strip():
            paths = line.rstrip("\r").split("\t")
            if len(paths) != 2 or not all(paths):
                raise ReadError(name, number, f"{line!r:.80}; expected a key's and a response's path, one tab between")
            yield paths[0], paths[1]


def _folder_pairs(keys: Any, responses: Path) -> tuple[dict[str, Pair], dict[str, ArraycorefError]]:
    """Pair the files of two folders; return the pairs by name, and errors of the files without a partner."""
    sides: list[dict[str, str]] = []
    for folder in (keys, responses):
        if not os.path.isdir(folder):
            raise InputError(f"pairs are two folders, or one file that lists them; {folder!r:.80} is not a folder")
        sides.append({os.path.relpath(path, folder): path for path in expand(folder)})
    shorter = [{_without_suffix(name): path for name, path in side.items()} for side in sides]
    if list(map(len, shorter)) == list(map(len, sides)):
        sides = shorter
    of_keys, of_responses = sides
    if min(map(len, sides)) > 1 and not of_keys.keys() & of_responses.keys():
        raise InputError(
            f"no file in {keys} has the name of one in {responses}, but for a suffix such as .conll: "
            f"{next(iter(of_keys), None)!r}, {next(iter(of_responses), None)!r}. A list of pairs may name others, and "
            "without pairs, documents are paired by their names"
        )
    failures: dict[str, ArraycorefError] = {}
    for one, other, folder in ((of_keys, of_responses, responses), (of_responses, of_keys, keys)):
        alone = {name: path for name, path in one.items() if name not in other}
        failures |= {name: InputError(f"{path} has no partner in {folder}") for name, path in alone.items()}
    return {name: (path, of_responses[name]) for name, path in of_keys.items() if name in of_responses}, failures


def _without_suffix(path: str) -> str:
    """Remove the suffix of a compression, and then that of a format: a suffix that begins with a letter."""
    stem, suffix, _ = split_suffixes(path)
    return stem if suffix[1:2].isalpha() else stem + suffix


def _path_of(source: Source) -> str:
    return ", ".join(map(str, source)) if isinstance(source, list | tuple) else str(source)
