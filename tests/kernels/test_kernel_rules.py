"""Rules of kernels that no other tool checks: they stand alone, serial and strict."""

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest

import arraycoref
import arraycoref.kernels
from arraycoref.kernels import fused, jit
from arraycoref.scoring import cells

PACKAGE = Path(arraycoref.__file__).parent
KERNELS = [
    path
    for path in sorted((PACKAGE / "kernels").glob("*.py"))
    if (path.stem != "__init__" and "arraycoref.kernels.jit import" in path.read_text("utf-8")) or path.stem == "jit"
]
"""Files with compiled code, and `jit`. Other fast twins are written in NumPy."""

TOGETHER = "fused.py"
"""The only file that compiles the kernels of others into its own."""

UNCOMPILED = ("jit", "intrinsics", "hashtable", "label_ranges")
"""Files without kernels."""

SHARED = [f"arraycoref.kernels.{part.removesuffix('.py')}" for part in jit.PARTS]
"""Modules whose edits have every kernel compiled anew."""


def functions(path):
    """Yield the functions of a file, but for methods and inner ones."""
    yield from (node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))


def is_compiled(node):
    return [ast.unparse(each) for each in node.decorator_list] in (["kernel"], ["helper"], ["maker"], ["inlined"])


def test_kernels_stand_alone():
    """Compiled code calls that of its own file, and of the files that all machine code on disk goes by."""
    for path in KERNELS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        others = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module not in (*SHARED, None)
            for alias in node.names
        }
        for node in functions(path):
            names = {each.id for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)}
            assert not is_compiled(node) or path.name == TOGETHER or not names & others, f"{path.name}: {node.name}"


def test_what_is_compiled_into_one_goes_by_every_source():
    import_module("arraycoref.kernels.fused")
    found = jit.sources("arraycoref.kernels.fused")
    used = [f"scoring/metrics/{name}.py" for name in ("bcub", "ceaf", "lea")] + ["scoring/alignment.py"]
    used += [f"kernels/{name}.py" for name in ("fused", "cells")]
    assert {str(PACKAGE / name) for name in used} <= set(found)
    assert jit._digest(*found) != jit._digest(*found[1:])


def test_what_a_kernel_is_compiled_of_does_not_depend_on_what_is_loaded():
    code = (
        "import json, arraycoref.kernels.fused as fused; from arraycoref.kernels import jit;"
        "before = jit.sources(fused.__name__); import arraycoref.api, arraycoref.cli, arraycoref.interop.frames;"
        "arraycoref.score([['a']], [['a']]); print(json.dumps(before == jit.sources(fused.__name__)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)


def test_kernels_are_serial_and_strict():
    """No ``fastmath``, by which a score would depend on the processor, no ``parallel``, no sorting of the library."""
    assert jit.OPTIONS == {"nogil": True, "error_model": "numpy"}
    assert jit.WITHIN | jit.BORROWING == {"no_cfunc_wrapper": True, "no_rewrites": True, "_nrt": False}
    for path in KERNELS:
        for function in filter(is_compiled, functions(path)):
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and node.attr in {"sort", "argsort", "unique", "prange"}:
                    pytest.fail(f"{path.name}:{node.lineno} uses {node.attr}")


def test_no_compiled_code_branches_on_none():
    """Numba compiles both branches of what it does not rewrite."""
    branching = {
        (path.stem, node.name)
        for path in KERNELS
        for node in filter(is_compiled, functions(path))
        if any(isinstance(each, ast.Is | ast.IsNot) for each in ast.walk(node))
    }
    assert branching == set()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="kernels are interpreted")
def test_numba_is_told_these_options_only():
    modules = [import_module(f"arraycoref.kernels.{path.stem}") for path in KERNELS if path.stem not in UNCOMPILED]
    told = [
        each.targetoptions for module in modules for each in vars(module).values() if hasattr(each, "targetoptions")
    ]
    assert len(told) > len(modules)
    for options in told:
        given = {name: value for name, value in options.items() if value}
        assert given == {"nopython": True, "nogil": True, "error_model": "numpy"}


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="kernels are interpreted")
def test_helpers_return_no_arrays():
    """Of those that kernels call, `conftest` finds out while they are compiled."""

    @jit.helper
    def parts(values):
        return values[:1], values[1:]

    with pytest.raises(AssertionError, match=r"parts returns .*array\(float64, 1d, C\)"):
        numba.njit(lambda values: parts(values)[1].size)(np.ones(3))


def test_public_kernels_are_listed_and_documented():
    page = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    for name in arraycoref.kernels.__all__:
        assert getattr(arraycoref.kernels, name).__doc__
        assert f"| `{name}` |" in page
    assert page.count("\n| `") == len(arraycoref.kernels.__all__)
    with pytest.raises(ImportError, match="nothing"):
        from arraycoref.kernels import nothing  # noqa: F401


def test_both_ways_add_up_equal_blocks_of_cells():
    """Kernels read constants of their own files only; sums are equal to the bit if blocks are equally large."""
    assert fused.TOGETHER == cells.BLOCK
    assert fused.PIECE % fused.TOGETHER == 0
