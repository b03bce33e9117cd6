"""Sweep files: one key against many runs, each a file or directory."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

from arraycoref.errors import InputError, OptionError, ReadError
from arraycoref.files import Source
from arraycoref.metrics.base import Metric
from arraycoref.options import Metrics, PolicyOptions, Progress, resolve_policies
from arraycoref.sweeping.count import units_of
from arraycoref.sweeping.result import Sweep
from arraycoref.sweeping.runner import Runner
from arraycoref.sweeping.settings import Scalar, Setting, as_setting, text_of
from arraycoref.sweeping.sources import Named
from arraycoref.sweeping.spans import SpanKey
from arraycoref.sweeping.sums import Floats

Runs = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[Any, Source]


def sweep_files(
    key: Source,
    responses: Runs,
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    format: str | None = None,
    column: int | None = None,
    lenient: bool = False,
    report: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Score one key file against the files of S runs; the key is read and indexed once.

    Args:
        key: as in `arraycoref.score_files`.
        responses: a glob pattern, each match of which is a run: a file, or a directory of files; a list of such paths;
            or a mapping from settings to what `score_files` takes. A path names its setting: by the parameters in it,
            as in ``runs/lr=0.1,seed=3/out.conll``, if every path has the same; else by what tells it from the others.
        metrics: and the options down to ``beta``: see `arraycoref.api`, and `arraycoref.sweep` for documents that are
            skipped.
        profile: as above.
        duplicates: as above.
        missing_documents: as above.
        extra_documents: as above.
        singletons: as above.
        beta: as above.
        threads: threads over runs; 0 for one a core. No number depends on it.
        format: and the options down to ``max_bytes``: see `arraycoref.score_files`.
        column: as above.
        lenient: as above.
        report: as above.
        max_bytes: as above.
        progress: called with the number of runs scored and S.
        checkpoint: see `arraycoref.sweep`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: no run, two runs of one setting, an unknown option, a checkpoint of another key.
    """
    from arraycoref.read import read_documents

    policies = resolve_policies(
        {
            "profile": profile,
            "duplicates": duplicates,
            "missing_documents": missing_documents,
            "extra_documents": extra_documents,
            "singletons": singletons,
            "beta": beta,
        },
        PolicyOptions,
    )
    options: dict[str, Any] = {
        "format": format,
        "column": column,
        "lenient": lenient,
        "report": report,
        "max_bytes": max_bytes,
    }
    runs = named_runs(responses)
    if [str(source) for source in (key, *(source for _, source in runs))].count("-") > 1:
        raise OptionError("'-' stands twice among key and runs; standard input can be only one of them")
    encoded = SpanKey(read_documents(key, side="key", **options), policies)
    runner = Runner(encoded.side, policies, metrics, threads, progress, len(runs), checkpoint)

    def blocks() -> Iterator[Named]:
        for setting, source in runs:
            if not runner.skip(setting):
                yield Named([setting], partial(_count, encoded, text_of(setting), source, options, runner.counted))

    return runner.run(blocks())


def _count(
    key: SpanKey, text: str, source: Source, options: dict[str, Any], metrics: Sequence[Metric], out: Floats
) -> None:
    """Read and count one run; write its sums to ``out``, float64 (1, D, K, 4)."""
    from arraycoref.read import read_documents

    block = key.encode(read_documents(source, side="response", **options), f"run {text}")
    drop = key.policies.singletons == "drop"
    for work, _ in units_of(key.side, block, metrics, out, drop_singletons=drop, name=lambda _: text):
        work()


def named_runs(responses: Runs) -> list[tuple[Setting, Source]]:
    """Name the runs and list their sources.

    Raises:
        InputError: no run, or two of one name.
    """
    if isinstance(responses, Mapping):
        runs = [(as_setting(setting), source) for setting, source in responses.items()]
    else:
        if isinstance(responses, str | os.PathLike):
            path = os.fspath(responses)
            paths = [path] if path == "-" else sorted(glob.glob(path, recursive=True))
            if not paths:
                raise InputError(f"{path!r} matches no file; expected a glob pattern of runs")
        else:
            paths = [os.fspath(path) for path in responses]
        runs = list(zip(settings_of(paths), paths, strict=True))
    if not runs:
        raise InputError("no runs were given; expected a glob pattern, paths, or a mapping from settings to files")
    seen: set[str] = set()
    for setting, _ in runs:
        if str(setting) in seen:
            raise InputError(f"two runs are named {setting}; expected each once")
        seen.add(str(setting))
    return runs


def settings_of(paths: Sequence[str]) -> list[Setting]:
    """Name runs by their paths.

        >>> settings_of(["runs/lr=0.1,seed=1/out.conll", "runs/lr=0.1,seed=2/out.conll"])[1]
        {'lr': 0.1, 'seed': 2}
        >>> settings_of(["runs/a/out.conll", "runs/b/out.conll"])
        ['a', 'b']

    Args:
        paths: (S,) of the runs.

    Returns:
        (S,) dicts of the parameters in the paths if all have the same names of parameters and they differ; otherwise
        the parts of the paths in which they differ, or the paths where these are of different depth.
    """
    parameters = [_parameters(path) for path in paths]
    if all(p and p.keys() == parameters[0].keys() for p in parameters) and len(set(map(str, parameters))) == len(paths):
        return list(parameters)
    parts = [PurePath(path).parts for path in paths]
    if len(parts) > 1 and len(set(map(len, parts))) == 1:
        columns = [column for column in zip(*parts, strict=True) if len(set(column)) > 1]
        names = ["/".join(row) for row in zip(*columns, strict=True)]
        if len(set(names)) == len(paths):
            return list(names)
    return [str(path) for path in paths]


def _parameters(path: str) -> dict[str, Scalar]:
    """Find ``name=value`` in a path; a file's suffixes do not belong to a value."""
    pure = PurePath(path)
    stem = re.sub(r"(\.[A-Za-z_]\w*)+$", "", pure.name)
    pieces = re.split(r"[,;&]", ",".join([*pure.parts[:-1], stem]))
    pairs = [piece.split("=", 1) for piece in pieces if re.match(r"\w[\w.-]*=", piece)]
    return {name: _value(text) for name, text in pairs}


def _value(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
