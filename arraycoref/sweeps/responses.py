"""Sweep responses in memory: score one key of labels or clusters against responses in arrays, lists or mappings."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.options import SweepOptions, resolve_policies
from arraycoref.scoring.labels import index_of, is_array, label_matrix
from arraycoref.sweeps.clusters import ClusterDocuments, ClusterKey
from arraycoref.sweeps.counting import Drawn, Key, LabelKey
from arraycoref.sweeps.files import sweep_files
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.runner import Runner
from arraycoref.sweeps.settings import Setting, Settings, as_setting, is_listed, iter_settings

T = TypeVar("T")

_END = object()

DRAWING = 1.0
"""Seconds after which a block is counted even if it is not full, so that the next checkpoint holds its scores."""


def sweep(
    key: ArrayLike | ClusterDocuments | str | os.PathLike[str],
    responses: Any,
    offsets: ArrayLike | None = None,
    *,
    settings: Settings = None,
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Score one key against the responses of S settings.

    With ``missing_documents="skip"``, a setting is not scored on documents that it lacks, and its sums are nan there.
    Its corpus score is that of the documents that it has, so only settings with the same documents can be compared; see
    `Sweep.on_shared_documents`. ``names`` is for a key of labels only.

        >>> import arraycoref as ac
        >>> found = ac.sweep([0, 0, 1], {"one": [0, 0, 0], "two": [0, 0, 1]}, metrics="muc")
        >>> found.settings, found["muc"].f1.round(4).tolist()
        (('one', 'two'), [0.6667, 1.0])

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it; or clusters of mentions of one
            document; or a mapping from document names to clusters; or the path of a file.
        responses: with a key of labels, an array (S, M) of labels, -1 where a response lacks a mention; or an iterable
            of label vectors (M,). With a key of clusters, an iterable of responses in the same form as the key. An
            iterable may be a generator: only a few responses are in memory at a time, and S need not be known. An item
            may be a pair of a dict and an output; the dict is then its setting. The index of a Series and the first
            coordinates of a DataArray also are settings, as are the keys of a mapping from settings to outputs. With a
            key file, a glob pattern or any other form that `sweep_files` accepts; only that function has the options
            for files.
        offsets: (D+1,) integers from 0 to M for a key of labels: document d owns the mentions
            ``offsets[d]:offsets[d + 1]``; None for one document.
        settings: S names: strings, numbers, tuples or dicts of parameters; or one dict from parameters to lists of
            values, for every combination of these, the last parameter changing fastest. None for 0, 1, ...
        **options: see `arraycoref.options`.

    Raises:
        InputError: responses that do not fit the key, a setting that appears twice, a checkpoint of another key or of
            other options.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that; or no document on both sides,
            where the policy leaves out the others.
    """
    policies = resolve_policies(options, SweepOptions)
    names = options.get("names")
    if isinstance(key, str | os.PathLike):
        for name, value in (("offsets", offsets), ("settings", settings), ("names", names)):
            if value is not None:
                raise InputError(f"{name} was given beside a key file; expected it beside a key of labels or clusters")
        options.pop("names", None)
        return sweep_files(key, responses, **options)  # type: ignore[misc]  # without the names
    encoded: Key
    if is_label_vector(key) or offsets is not None:
        encoded = LabelKey(key, offsets, names)  # type: ignore[arg-type]  # checked there
    elif names is not None:
        raise InputError("names were given beside a key of clusters; expected a mapping from names to clusters as key")
    else:
        encoded = ClusterKey(key, policies)  # type: ignore[arg-type]  # checked there
    runner = Runner(policies, options)
    return runner.run(encoded, _drawn(encoded, responses, settings, runner.skip), _number_of(responses, settings))


def is_label_vector(key: object) -> bool:
    """Return whether a key is a label vector: an array of any library, or a list that begins with a number or None.

    Anything else counts as clusters, a list of strings too.
    """
    if is_array(key):
        return True
    return isinstance(key, list | tuple) and len(key) > 0 and isinstance(key[0], int | float | np.number | None)


def _number_of(responses: object, settings: Settings) -> int | None:
    """Return the number of responses, S, or None if it is not known beforehand."""
    for given in (responses, None if isinstance(settings, Mapping) else settings):
        with suppress(TypeError):  # it has no length, such as an array without dimensions
            return len(given)  # type: ignore[arg-type]
    return None


def _drawn(key: Key, responses: Any, settings: Settings, skip: Callable[[Setting], bool]) -> Iterator[Drawn]:
    """Draw the responses in blocks.

    Args:
        key: key of labels if the responses are label vectors, of clusters if they are clusters.
        responses: see `sweep`.
        settings: see `sweep`.
        skip: function that returns whether a setting is counted already.

    Raises:
        InputError: a response that does not fit the key; not as many settings as responses.
    """
    if hasattr(responses, "columns"):
        raise InputError(
            "responses is a table; expected a mapping, as {name: frame[name] for name in frame.columns} is"
        )
    by_name = getattr(responses, "ndim", 0) == 2 and hasattr(responses, "indexes")  # a DataArray: row by row
    if by_name and settings is None:
        settings = responses.indexes.get(responses.dims[0])
    if getattr(responses, "ndim", 0) == 2 and not by_name:
        yield from _drawn_rows(key, label_matrix(responses, "responses"), settings, skip)
        return
    pairs = ((setting, output) for setting, output in _named(responses, settings) if not skip(setting))
    for block in _blocks(pairs, key.settings_at_once):
        names, outputs = [setting for setting, _ in block], [output for _, output in block]
        yield names, key.stack(names, outputs) if isinstance(key, LabelKey) else outputs


def _blocks(pairs: Iterable[T], most: int) -> Iterator[list[T]]:
    """Put ``most`` pairs in each block, or fewer if `DRAWING` seconds are over or an exception ends the drawing.

    So an interrupt, which mostly comes when outputs take long to make, loses no output that was made before.
    """
    block: list[T] = []
    due = time.monotonic() + DRAWING
    try:
        for pair in pairs:
            block.append(pair)
            if len(block) == most or time.monotonic() > due:
                full, block = block, []
                yield full
                due = time.monotonic() + DRAWING
    except GeneratorExit:
        raise
    except BaseException:
        if block:
            yield block
        raise
    if block:
        yield block


def _drawn_rows(key: Key, array: NDArray[Any], settings: Settings, skip: Callable[[Setting], bool]) -> Iterator[Drawn]:
    """Draw the rows of an array (S, M) in blocks, as views unless a setting among the rows of a block is skipped."""
    if not isinstance(key, LabelKey):
        raise InputError("responses is an array of labels, but the key consists of clusters; expected a key of labels")
    n_mentions = key.labels.size
    if array.shape[1] != n_mentions:
        raise InputError(
            f"responses has shape {array.shape}; expected (S, {n_mentions}), a label for each setting and mention"
        )
    names = list(itertools.islice(iter_settings(settings), len(array) + (settings is not None)))
    if len(names) != len(array):
        n = f"more than {len(array)}" if len(names) > len(array) else str(len(names))
        raise InputError(f"got {n} settings for {len(array)} responses")
    wanted = [position for position, name in enumerate(names) if not skip(name)]
    for start in range(0, len(wanted), key.settings_at_once):
        chosen = wanted[start : start + key.settings_at_once]
        adjacent = chosen[-1] - chosen[0] + 1 == len(chosen)
        rows = array[chosen[0] : chosen[-1] + 1] if adjacent else array[chosen]
        yield [names[position] for position in chosen], rows


def _named(responses: Any, settings: Settings) -> Iterator[tuple[Setting, Any]]:
    """Pair each setting with its output."""
    if isinstance(responses, Mapping) or (settings is None and index_of(responses) is not None):
        if settings is not None:
            raise InputError("settings were given beside a mapping, whose keys are the settings")
        yield from ((as_setting(name), output) for name, output in responses.items())
        return
    if not is_listed(responses):
        what = "an array (S, M), a list or a generator of responses, or a mapping"
        raise InputError(f"responses is {type(responses).__name__}; expected {what}")
    names = iter_settings(settings)
    n = 0
    for n, item in enumerate(responses, 1):  # n is for messages
        if settings is None and isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Mapping):
            yield as_setting(item[0]), item[1]
            continue
        name = next(names, _END)
        if name is _END:
            raise InputError(f"got {n - 1} settings for {n} or more responses")
        yield name, item  # type: ignore[misc]
    if settings is not None and next(names, _END) is not _END:
        raise InputError(f"got more than {n} settings for {n} responses")
