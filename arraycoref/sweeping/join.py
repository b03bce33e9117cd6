"""Join sweeps of the same key."""

from __future__ import annotations

import numpy as np

from arraycoref.errors import InputError
from arraycoref.sweeping.result import Sweep, check_compatible
from arraycoref.sweeping.settings import identity, text_of


def join(first: Sweep, second: Sweep) -> Sweep:
    """Return the settings of two sweeps, one behind the other.

    Raises:
        InputError: another key, other metrics or policies, or a setting that both have.
    """
    check_compatible(first, second.metrics, second.signature, second.key_digest, second.n_documents)
    known = set(map(identity, first.settings))
    for setting in second.settings:
        if identity(setting) in known:
            raise InputError(f"both sweeps have the setting {text_of(setting)}; expected each once")
    sums = np.concatenate([first.sums, second.sums])
    sums.flags.writeable = False
    return Sweep(
        first.metrics, sums, first.settings + second.settings, first.signature, first.document_names, first.key_digest
    )
