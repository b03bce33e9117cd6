"""Tests that need the folder `arraycoref.kernels`: those of compiled code itself, and of both ways of each twin."""

import pytest


def pytest_itemcollected(item):
    if "kernels" in item.path.parent.parts[-1:]:
        item.add_marker(pytest.mark.kernels)
