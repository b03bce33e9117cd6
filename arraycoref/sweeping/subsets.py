"""Parts of a sweep: the documents that all settings share, and settings added up."""

from __future__ import annotations

import hashlib
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.counts import Counts
from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError
from arraycoref.results import BatchScores
from arraycoref.sweeping.coverage import Mask
from arraycoref.sweeping.settings import Scalar, identity

if TYPE_CHECKING:
    from arraycoref.sweeping.result import Sweep


def on_shared_documents(sweep: Sweep) -> Sweep:
    """Return a sweep over the documents that every setting was scored on; itself where these are all.

    The result's ``key_digest`` is that of the fewer documents, so that it is joined with its like only.
    """
    from arraycoref.sweeping.result import Sweep

    shared: Mask = np.logical_and.reduce(sweep.scored, axis=0)
    if shared.all():
        return sweep
    sums = sweep.sums[:, shared]
    sums.flags.writeable = False
    names = None if sweep.document_names is None else tuple(compress(sweep.document_names, shared))
    digest = hashlib.blake2b(sweep.key_digest.encode() + shared.tobytes(), digest_size=16).hexdigest()
    return Sweep(sweep.metrics, sums, sweep.settings, sweep.signature, names, digest)


def left_out(whole: Sweep, part: Sweep) -> tuple[str, ...]:
    """Note how many documents of the whole a part has not; nothing where it has all."""
    n = whole.n_documents - part.n_documents
    return (f"{n} of {whole.n_documents} documents left out, which not every response has",) if n else ()


def check_shared_documents(sweep: Sweep) -> None:
    """Check that all settings were scored on the same documents.

    Raises:
        DocumentMismatchError: they were not, and cannot be told apart by resampling documents.
    """
    scored = sweep.scored
    differing = (scored != scored[:1]).any(axis=1)
    if differing.any():
        s = int(differing.argmax())
        d = int((scored[s] != scored[0]).argmax())
        has, lacks = (0, s) if scored[0, d] else (s, 0)
        document = sweep.document_names[d] if sweep.document_names else d
        raise DocumentMismatchError(
            f"document {document!r} was scored for setting {sweep.names[has]} but skipped for {sweep.names[lacks]}, so "
            "that their scores cannot be compared; Sweep.on_shared_documents() keeps the documents that all have"
        )


def pooled(sweep: Sweep, parameter: str) -> dict[Scalar, BatchScores]:
    """Add up the settings that share a value of a parameter, document by document, as the seeds of a system.

    The corpus score of a group is the ratio of the sums over all of its settings; `arraycoref.compare` takes the groups
    as systems. Resampling documents then tells how much the documents matter, with these very seeds; how much the seeds
    matter, the scores by setting tell.

    Args:
        sweep: whose settings are dicts.
        parameter: a name that all of them have.

    Returns:
        Scores on D documents by the value of the parameter, in the order in which the values first stand.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: groups of different sizes, whose sums no test can exchange.
        DocumentMismatchError: settings that were scored on different documents.
    """
    groups: dict[str, list[int]] = {}
    for position, setting in enumerate(sweep.settings):
        if not isinstance(setting, dict) or parameter not in setting:
            raise UnknownNameError("parameter", parameter, setting if isinstance(setting, dict) else ())
        groups.setdefault(identity(setting[parameter]), []).append(position)
    sizes = {len(positions) for positions in groups.values()}
    if len(sizes) > 1:
        raise InputError(f"the values of {parameter} have {min(sizes)} to {max(sizes)} settings; expected as many each")
    check_shared_documents(sweep)
    sweep = on_shared_documents(sweep)
    found: dict[Scalar, BatchScores] = {}
    for positions in groups.values():
        counts = Counts(sweep.document_names, sweep.counts.metrics, sweep.sums[positions].sum(axis=0))
        value = sweep.parameters[parameter][positions[0]]
        found[value] = BatchScores(sweep.metrics, counts, sweep.signature)
    return found
