"""From the responses that a user has to blocks of labels: what `arraycoref.sweep` takes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from arraycoref.arrays import as_numpy, is_array
from arraycoref.errors import InputError
from arraycoref.sweeping.blocks import Block, label_vector
from arraycoref.sweeping.clusters import ClusterKey
from arraycoref.sweeping.count import CHUNK_LABELS
from arraycoref.sweeping.keyside import KeySide
from arraycoref.sweeping.settings import Setting, Settings, as_setting, identity, iter_settings, text_of
from arraycoref.sweeping.sums import Floats


class Named(NamedTuple):
    """The settings of a block, and the block; or a function that writes their sums, float64 (B, D, K, 4)."""

    settings: list[Setting]
    block: Block | Callable[[Floats], None]


def is_label_vector(key: object) -> bool:
    """Whether a key is a label vector, not clusters: it speaks an array protocol, or its first item is an integer."""
    if is_array(key):
        return True
    return isinstance(key, list | tuple) and len(key) > 0 and isinstance(key[0], int | np.integer)


def count_of(responses: object, settings: Settings) -> int | None:
    """Number of responses, S, or None if it is not known beforehand."""
    if hasattr(responses, "__len__"):
        return len(responses)
    if hasattr(settings, "__len__") and not isinstance(settings, Mapping):
        return len(settings)  # type: ignore[arg-type]
    return None


def blocks_of(
    key: KeySide | ClusterKey, responses: Any, settings: Settings, skip: Callable[[Setting], bool]
) -> Iterator[Named]:
    """Yield the responses in blocks, few of them in memory at a time.

    Args:
        key: encoded; of labels if the responses are label vectors, of clusters if they are clusters.
        responses: see `arraycoref.sweep`.
        settings: likewise.
        skip: whether a setting is counted already.

    Raises:
        InputError: a response that does not fit the key; as many settings as responses, but not the same number.
    """
    array = _stacked(responses)
    if array is not None:
        yield from _from_array(key, array, settings, skip)
        return
    pairs = ((setting, output) for setting, output in _named(responses, settings) if not skip(setting))
    if isinstance(key, ClusterKey):
        n = max(1, CHUNK_LABELS // max(int(key.side.offsets[-1]), 1))
        while batch := list(itertools.islice(pairs, min(n, 64))):
            names = [setting for setting, _ in batch]
            yield Named(names, key.encode([output for _, output in batch], [text_of(name) for name in names]))
        return
    n_mentions = int(key.offsets[-1])
    n = max(1, min(CHUNK_LABELS // max(n_mentions, 1), 1024))
    while batch := list(itertools.islice(pairs, n)):
        labels = np.empty((len(batch), n_mentions), np.int64)
        for row, (setting, output) in zip(labels, batch, strict=True):
            row[:] = label_vector(as_numpy(output), n_mentions, f"response {text_of(setting)}")
        yield Named([setting for setting, _ in batch], Block(labels))


def _stacked(responses: Any) -> np.ndarray[Any, Any] | None:
    """Return a two-dimensional array of labels as one, anything else as None."""
    if hasattr(responses, "columns"):
        raise InputError(
            "responses is a table; expected a mapping, as {name: frame[name] for name in frame.columns} is"
        )
    if not is_array(responses) or getattr(responses, "ndim", 0) != 2:
        return None
    return as_numpy(responses, "responses")


def _from_array(
    key: KeySide | ClusterKey, array: np.ndarray[Any, Any], settings: Settings, skip: Callable[[Setting], bool]
) -> Iterator[Named]:
    if isinstance(key, ClusterKey):
        raise InputError("responses is an array of labels, but the key consists of clusters; expected a key of labels")
    if array.shape[1] != key.offsets[-1]:
        raise InputError(
            f"responses has shape {array.shape}; expected (S, {key.offsets[-1]}), a label each setting and mention"
        )
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"responses has dtype {array.dtype}; expected integer labels")
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:  # of any byte order
        raise InputError(f"responses holds the label {array.max()}; expected labels below 2^63")
    names = list(itertools.islice(iter_settings(settings), len(array) + 1 if settings is not None else len(array)))
    if len(names) != len(array):
        raise InputError(f"got {_at_least(names, len(array))} settings for {len(array)} responses")
    wanted = np.array([not skip(name) for name in names], bool)
    step = max(1, min(8 * CHUNK_LABELS // max(array.shape[1], 1), 4096))
    if wanted.all():
        for s in range(0, len(array), step):
            yield Named(names[s : s + step], Block(array[s : s + step]))
        return
    positions = np.flatnonzero(wanted)
    for start in range(0, positions.size, step):
        chosen = positions[start : start + step]
        yield Named([names[position] for position in chosen], Block(array[chosen]))


def _named(responses: Any, settings: Settings) -> Iterator[tuple[Setting, Any]]:
    """Pair settings and outputs; each setting may stand once."""
    if isinstance(responses, Mapping):
        if settings is not None:
            raise InputError("settings were given beside a mapping, whose keys are the settings")
        pairs: Iterable[tuple[Setting, Any]] = ((as_setting(name), output) for name, output in responses.items())
    elif isinstance(responses, str | bytes) or not isinstance(responses, Iterable):
        raise InputError(f"responses is {type(responses).__name__}; expected an array (S, M), an iterable or a mapping")
    else:
        pairs = _zipped(responses, settings)
    seen = set()
    for setting, output in pairs:
        name = identity(setting)
        if name in seen:
            raise InputError(f"setting {text_of(setting)} stands twice; expected each once")
        seen.add(name)
        yield setting, output


def _zipped(responses: Iterable[Any], settings: Settings) -> Iterator[tuple[Setting, Any]]:
    """Name the outputs of an iterable: a pair of a dict and an output names itself."""
    names = iter_settings(settings)
    n = 0
    for n, item in enumerate(responses, 1):  # told in the message
        if settings is None and isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Mapping):
            yield as_setting(item[0]), item[1]
            continue
        try:
            name = next(names)
        except StopIteration:
            raise InputError(f"got {n - 1} settings for {n} or more responses") from None
        yield name, item
    if settings is not None and next(names, _NONE) is not _NONE:
        raise InputError(f"got more than {n} settings for {n} responses")


_NONE = object()


def _at_least(names: list[Setting], n: int) -> str:
    return f"more than {n}" if len(names) > n else str(len(names))
