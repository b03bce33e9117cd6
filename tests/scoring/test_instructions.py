"""The processor's instructions that kernels use, against their definitions."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from arraycoref.kernels import instructions


@numba.njit
def compared(data, place, byte):
    return (
        instructions.equal_64(data, place, byte),
        instructions.at_most_64(data, place, byte),
        instructions.word_at(data, place),
    )


@numba.njit
def counted(bits):
    return instructions.trailing_zeros(bits), instructions.leading_zeros(bits), instructions.count_ones(bits)


def as_bits(truths):
    return sum(1 << k for k, truth in enumerate(truths) if truth)


@settings(deadline=None)
@given(st.binary(min_size=70, max_size=80), st.integers(0, 255), st.integers(0, 6))
def test_bytes(data, byte, place):
    there = data[place : place + 64]
    expected = [as_bits(each == byte for each in there), as_bits(each <= byte for each in there)]
    expected.append(int.from_bytes(there[:8], "little"))
    found = compared(np.frombuffer(data, np.uint8), np.uint64(place), byte)
    assert [int(each) for each in found] == expected


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda k: 1 << k))
def test_bits(bits):
    digits = f"{bits:064b}"
    expected = [64 - len(digits.rstrip("0")), 64 - len(digits.lstrip("0")), digits.count("1")]
    assert [int(each) for each in counted(np.uint64(bits))] == expected


def test_without_a_compiler():
    """The same, for who debugs kernels as plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("that is what runs")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    subprocess.run(command, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True, capture_output=True)
