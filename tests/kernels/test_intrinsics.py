"""The processor's instructions that kernels use, against their definitions."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from arraycoref.kernels import intrinsics


@numba.njit
def word(data, place):
    return intrinsics.word_at(data, place)


@numba.njit
def zeros(bits):
    return intrinsics.leading_zeros(bits)


@settings(deadline=None)
@given(st.binary(min_size=14, max_size=20), st.integers(0, 6))
def test_bytes(data, place):
    found = word(np.frombuffer(data, np.uint8), np.uint64(place))
    assert int(found) == int.from_bytes(data[place : place + 8], "little")


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda k: 1 << k))
def test_bits(bits):
    assert int(zeros(np.uint64(bits))) == 64 - bits.bit_length()


def test_without_a_compiler():
    """The same, for who debugs kernels as plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("that is what runs")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    subprocess.run(command, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True, capture_output=True)
