"""Score one key against the responses of many settings: labels in arrays, or clusters of mentions."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.exceptions import InputError
from arraycoref.options import SweepOptions, resolve_policies
from arraycoref.scoring.labels import is_array, label_matrix
from arraycoref.stats.run_scores import Setting, as_setting, grid, require_order
from arraycoref.stats.runs import Runs
from arraycoref.sweeps.files import sweep_files
from arraycoref.sweeps.prepared_keys import ClusterDocuments, ClusterKey, LabelKey, SettingBlock, score_settings
from arraycoref.twin import with_engine

Settings = Iterable[object] | Mapping[str, Sequence[object]] | None


@with_engine
def sweep(
    key: ArrayLike | ClusterDocuments | str | os.PathLike[str],
    responses: Any,
    offsets: ArrayLike | None = None,
    *,
    settings: Settings = None,
    **options: Unpack[SweepOptions],
) -> Runs:
    """Score one key against the responses of S settings.

    With ``missing_documents="skip"``, a setting is not scored on documents that it lacks, and its sums are nan there.
    Its corpus score is that of the documents that it has, so only settings with the same documents can be compared; see
    `arraycoref.Runs.on_shared_documents`. ``names`` is for a key of labels only.

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
            may be a pair of a dict and an output; the dict is then its setting. The keys of a mapping, the columns of a
            data frame of pandas and the index of a Series of outputs are settings too. With a key file, any form that
            `sweep_files` accepts; only that function has the options for files.
        offsets: (D+1,) integers from 0 to M for a key of labels: document d owns the mentions
            ``offsets[d]:offsets[d + 1]``; None for one document.
        settings: S names: strings, numbers, tuples or dicts of parameters; or one dict from parameters to lists of
            values, for every combination of these, the last parameter changing fastest. None for 0, 1, ...
        **options: see `arraycoref.options`.

    Raises:
        InputError: responses that do not fit the key, not as many settings as responses, a setting that appears twice.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: a document on one side only, where the policy is ``error``; or, under all policies, no
            document on both sides.
    """
    if isinstance(key, str | os.PathLike):
        return sweep_files(key, responses, **options)  # type: ignore[misc]  # names are refused there
    policies = resolve_policies(options, SweepOptions)
    n_settings = len(responses) if hasattr(responses, "__len__") else None
    if is_label_vector(key) or offsets is not None:
        labels = LabelKey(key, offsets, options.get("names"))  # type: ignore[arg-type]  # checked
        return score_settings(labels, _blocks(labels, responses, settings), policies, options, n_settings)
    clusters = ClusterKey(key, policies)  # type: ignore[arg-type]
    pairs = _named(responses, settings)
    blocks = iter(lambda: list(itertools.islice(pairs, clusters.at_once)), [])
    drawn = (([name for name, _ in block], [output for _, output in block]) for block in blocks)
    return score_settings(clusters, drawn, policies, options, n_settings)


def is_label_vector(key: object) -> bool:
    """Return whether a key is a label vector: an array of any library, or a list that begins with a number or None.

    Anything else counts as clusters, a list of strings too.
    """
    if is_array(key):
        return True
    return isinstance(key, list | tuple) and len(key) > 0 and isinstance(key[0], int | float | np.number | None)


def _blocks(key: LabelKey, responses: Any, settings: Settings) -> Iterator[SettingBlock]:
    """Draw label vectors in blocks, the rows of an array as views.

    Raises:
        InputError: a response that does not fit the key; not as many settings as responses.
    """
    if getattr(responses, "ndim", 0) != 2 or hasattr(responses, "columns"):
        pairs = _named(responses, settings)
        while block := list(itertools.islice(pairs, key.settings_at_once)):
            yield [name for name, _ in block], np.array([key.vector(*pair) for pair in block], np.int64)
        return
    if settings is None and hasattr(responses, "indexes"):  # a DataArray of xarray
        settings = responses.indexes.get(responses.dims[0])
    array, n_mentions = label_matrix(responses, "responses"), key.labels.size
    if array.shape[1] != n_mentions:
        expected = f"expected (S, {n_mentions}), a label for each setting and mention"
        raise InputError(f"responses has shape {array.shape}; {expected}")
    names = list(range(len(array)) if settings is None else _listed(settings))
    if len(names) != len(array):
        raise InputError(f"got {len(names)} settings for {len(array)} responses")
    for start in range(0, len(array), key.settings_at_once):
        some = slice(start, start + key.settings_at_once)
        yield names[some], array[some]


def _named(responses: Any, settings: Settings) -> Iterator[tuple[Setting, Any]]:
    """Pair each setting with its output.

    Raises:
        ValueError: not as many settings as responses.
    """
    if isinstance(responses, Mapping) or (settings is None and hasattr(responses, "items")):  # such as a Series
        yield from ((as_setting(name), output) for name, output in responses.items())
    elif settings is not None:
        yield from zip(_listed(settings), responses, strict=True)
    else:
        for n, item in enumerate(responses):
            is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Mapping)
            yield (as_setting(item[0]), item[1]) if is_pair else (n, item)


def _listed(settings: Any) -> Iterator[Setting]:
    require_order("settings is", settings)
    return map(as_setting, grid(settings) if isinstance(settings, Mapping) else settings)
