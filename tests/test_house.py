"""Rules of the house that no other tool checks: kernels stand alone, names do not collide, imports stay light."""

import ast
import builtins
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from inspect import ismodule
from pathlib import Path
from typing import get_type_hints

import numba
import numpy as np
import pytest

import arraycoref
import arraycoref.kernels
from arraycoref.kernels import jit
from arraycoref.options import OPTIONS

PACKAGE = Path(arraycoref.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
COMPILED = re.compile(r"^@(kernel|helper|inlined|maker)$", re.MULTILINE)
PAGES = [
    path for path in sorted((PACKAGE / "scoring" / "metrics").glob("*.py")) if COMPILED.search(path.read_text("utf-8"))
]
METRICS = PACKAGE / "scoring" / "metrics"
PLAIN = {
    PACKAGE / "kernels" / f"{name}.py"
    for name in ("__init__", "engine", "byte_lines", "conll", "conll_words", "corefud", "corefud_blocks")
}
KERNELS = [*sorted(set((PACKAGE / "kernels").glob("*.py")) - PLAIN), *PAGES]
TOGETHER = METRICS / "fused.py"
UNCOMPILED = ("jit", "instructions", "hashtable", "survey")
"""Files without kernels."""
SHARED = [f"arraycoref.kernels.{part.removesuffix('.py')}" for part in jit.PARTS]
"""Modules whose edits have every kernel compiled anew."""


def imports(path):
    """Yield (module, name) of each import anywhere in a file, but for those of type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def fresh(code):
    """Run code in a fresh process; return what it prints as JSON."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_kernels_of_pages_use_names_of_their_page_only(path):
    """What a page imports besides the decorator is for the functions around its kernels.

    But for functions and classes: the files of machine code go by what the page imports by name, and by what that
    imports. A constant does not say where it is from.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {"np", *dir(builtins), *(name for module, name in imports(path) if module in SHARED)}
    if path == TOGETHER:
        module = import_module("arraycoref.scoring.metrics.fused")
        imported = {name: getattr(module, name) for _, name in imports(path) if hasattr(module, name)}
        own |= {name for name, each in imported.items() if callable(each) or ismodule(each)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            own |= {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        if isinstance(node, ast.FunctionDef) and is_compiled(node):
            own.add(node.name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_compiled(node):
            names = [each for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)]
            local = {each.id for each in names if isinstance(each.ctx, ast.Store)} | {a.arg for a in node.args.args}
            assert {each.id for each in names} - local - own == set()


def is_compiled(node):
    return [ast.unparse(each) for each in node.decorator_list] in (["kernel"], ["helper"], ["maker"], ["inlined"])


def test_kernels_stand_alone():
    """Only one file compiles the kernels of others into its own; the rest are made of what the cache goes by."""
    ours = {
        module: path.name
        for path in set(KERNELS) - {TOGETHER}
        for module, _ in imports(path)
        if module.startswith("arraycoref.kernels")
    }
    assert ours.keys() == set(SHARED), ours


def test_what_is_compiled_into_one_goes_by_every_source():
    import_module("arraycoref.scoring.metrics.fused")
    found = jit.sources("arraycoref.scoring.metrics.fused")
    used = [
        f"scoring/metrics/{name}.py"
        for name in ("fused", "mentions", "muc", "pairwise", "blanc", "bcub", "lea", "ceaf")
    ]
    used += ["scoring/cells.py", "kernels/cells.py", "kernels/alignment.py"]
    assert {str(PACKAGE / name) for name in used} <= set(found)
    assert jit._digest(*found) != jit._digest(*found[1:])


def test_what_a_kernel_is_compiled_of_does_not_depend_on_what_is_loaded():
    code = (
        "import json, arraycoref.scoring.metrics.fused as fused; from arraycoref.kernels import jit;"
        "before = jit.sources(fused.__name__); import arraycoref.api, arraycoref.cli, arraycoref.interop.frames;"
        "arraycoref.score([['a']], [['a']]); print(json.dumps(before == jit.sources(fused.__name__)))"
    )
    assert fresh(code)


def test_kernels_are_serial_and_strict():
    """No ``fastmath``, by which a score would depend on the processor, no ``parallel``, no sorting of the library."""
    assert jit.OPTIONS == {"nogil": True, "error_model": "numpy"}
    assert jit.WITHIN | jit.BORROWING == {"no_cfunc_wrapper": True, "no_rewrites": True, "_nrt": False}
    for path in KERNELS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and path.stem not in UNCOMPILED[:2]:
                assert is_compiled(node) or (path in PAGES and not node.decorator_list)
            if isinstance(node, ast.Attribute) and node.attr in {"sort", "argsort", "unique", "prange"}:
                pytest.fail(f"{path.name}:{node.lineno} uses {node.attr}")


def test_no_compiled_code_branches_on_none():
    """Numba compiles both branches of what it does not rewrite."""
    branching = {
        (path.stem, node.name)
        for path in KERNELS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and is_compiled(node)
        if any(isinstance(each, ast.Is | ast.IsNot) for each in ast.walk(node))
    }
    assert branching == set()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="kernels are interpreted")
def test_numba_is_told_these_options_only():
    paths = [path.relative_to(PACKAGE.parent).with_suffix("") for path in KERNELS if path.stem not in UNCOMPILED]
    modules = [import_module(".".join(path.parts)) for path in paths]
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
    page = (Path(__file__).parents[1] / "docs" / "kernels.md").read_text(encoding="utf-8")
    assert sorted(arraycoref.kernels._FILES) == arraycoref.kernels.__all__
    for name in arraycoref.kernels.__all__:
        assert getattr(arraycoref.kernels, name).__doc__
        assert f"| `{name}` |" in page
    assert page.count("\n| `") == len(arraycoref.kernels.__all__)
    with pytest.raises(ImportError, match="nothing"):
        from arraycoref.kernels import nothing  # noqa: F401


def test_numba_stays_in_kernels():
    offenders = [
        p for p in SOURCES if p.parent.name != "kernels" and any(m.split(".")[0] == "numba" for m, _ in imports(p))
    ]
    assert offenders == []


@pytest.mark.skipif(not (PACKAGE.parent / "pyproject.toml").exists(), reason="the package is installed elsewhere")
def test_rooms_import_lower_rooms_only():
    """Also inside functions, but for what type checkers read; ``lint-imports`` looks within scoring too."""
    settings = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {room: -n for n, layer in enumerate(layers) for room in re.findall(r"\w+", layer)}
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix in ("", ".py") and p.name[:2] != "__"}
    assert rooms == set(height)
    assert len(rooms) <= 18
    for path in SOURCES:
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for module, name in imports(path) if own in height else ():
            room = [*module.split("."), name][1]
            if module.split(".")[0] == "arraycoref" and room in height and room != own:
                assert height[room] < height[own] or {own, room} == {"options", "errors"}, f"{path}: {module}"


def test_files_are_short():
    assert [f"{p.name}: {n}" for p in SOURCES if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400] == []


def test_options_are_described():
    for name in OPTIONS:
        assert re.search(rf"^(\w+, )*{name}(, \w+)*: ", arraycoref.options.__doc__, re.MULTILINE)


def test_no_module_shadows_a_public_name():
    """``ac.score`` must stay the function after ``import arraycoref.anything``."""
    modules = {module.name for module in pkgutil.iter_modules([str(PACKAGE)])}
    assert modules & set(arraycoref.__all__) == set()


def test_every_public_name_is_there_and_described():
    for name in arraycoref.__all__:
        public = getattr(arraycoref, name)
        assert name in dir(arraycoref)
        assert public is getattr(arraycoref, name)
        if callable(public):
            assert public.__doc__
    assert {"os", "sys", "RLock", "import_module", "annotations", "TYPE_CHECKING"}.isdisjoint(dir(arraycoref))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = arraycoref.nothing


def test_public_names_are_listed_once_and_alike():
    """For type checkers, for those who look one up, and for ``from arraycoref import *``."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    for_checkers = {
        alias.name: node.module.removeprefix("arraycoref.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("arraycoref.")
        for alias in node.names
    }
    assert for_checkers == arraycoref._MODULE_OF
    assert arraycoref.__all__ == sorted(for_checkers)


def test_import_needs_numpy_only():
    code = (
        "import sys, json, numpy, numpy.typing; before = set(sys.modules); import arraycoref; arraycoref.score;"
        "print(json.dumps(sorted({m.split('.')[0] for m in set(sys.modules) - before})))"
    )
    assert set(fresh(code)) - set(sys.stdlib_module_names) == {"arraycoref"}


RUN = (
    "from click.testing import CliRunner; from arraycoref.cli import main;"
    "assert CliRunner().invoke(main, {}).exit_code == 0"
)
DEMO = [str(PACKAGE / "cli" / f"demo_{side}.conll") for side in ("key", "response")]
REGISTRY = (
    "from arraycoref.scoring.metrics.registry import METRIC_NAMES, resolve_metrics;"
    "assert resolve_metrics(','.join(METRIC_NAMES)) == METRIC_NAMES"
)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (RUN.format(["score", "--help"]), "numba scipy pandas matplotlib ormsgpack"),
        (RUN.format(["score", *DEMO]), "pandas polars pyarrow matplotlib"),
        (REGISTRY, "numba scipy"),
        ("import arraycoref.report.formats", "numpy json"),  # names of formats are part of the help
        ("import arraycoref.cli.tags", "numba scipy lxml arraycoref.tagging"),
        ("import arraycoref.tagging", "numba scipy lxml"),
        (
            "from arraycoref.interop import accumulator, sklearn, tables, tools;"
            "import arraycoref.sweeps, arraycoref.read.write, arraycoref.match.mentions",
            "numba scipy pandas polars pyarrow narwhals sklearn xarray matplotlib torch click concurrent.futures",
        ),
        ("import numba, arraycoref; arraycoref.score([['a']], [['a']])", "scipy.optimize"),
    ],
)
def test_imports_stay_light(code, heavy):
    look = f"import sys; found = sys.modules.keys() & {heavy.split()}; import json; print(json.dumps([*found]))"
    assert fresh(f"{code}; {look}") == []


def test_nothing_is_scored_while_tests_are_collected(request):
    """With ``-n``, each process would compile the kernels for it, all at the same time."""
    assert not request.session.scored


def test_type_checkers_know_the_documents():
    assert get_type_hints(arraycoref.BatchScores.__iter__)["return"] == Iterator[arraycoref.Scores]
