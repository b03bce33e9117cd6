"""The examples of the documentation strings run, and every public function has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from operator import attrgetter

import pytest

import arraycoref.tagging

MODULES = [
    module.name for module in pkgutil.walk_packages(arraycoref.tagging.__path__, f"{arraycoref.tagging.__name__}.")
]
FUNCTIONS = [
    name
    for name in (*arraycoref.tagging.__all__, *(f"weights.{name}" for name in arraycoref.tagging.weights.__all__))
    if inspect.isfunction(attrgetter(name)(arraycoref.tagging))
]


@pytest.mark.parametrize("name", ["arraycoref.tagging", *MODULES])
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name.endswith("xces"):
        pytest.importorskip("lxml")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_functions_have_examples():
    assert len(FUNCTIONS) > 15
    found = attrgetter(*FUNCTIONS)(arraycoref.tagging)
    assert [function.__name__ for function in found if ">>>" not in function.__doc__] == []
