"""Rules of the house that no other tool checks: rooms stand alone, names do not collide, imports stay light."""

import ast
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

import arraycoref
from arraycoref.options import OPTIONS

PACKAGE = Path(arraycoref.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
GROUND = {"options", "exceptions", "ragged"}
"""The lowest rooms, which may import each other."""


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


def test_kernels_are_named_and_not_imported():
    """Only `arraycoref.twin` imports them, by name; and `arraycoref.kernels` is public."""
    for path in SOURCES:
        if path.parent.name != "kernels":
            modules = {f"{module}.{name}" for module, name in imports(path)}
            assert not [m for m in modules if m.startswith(("numba", "arraycoref.kernels"))], path


@pytest.mark.skipif(not (PACKAGE.parent / "pyproject.toml").exists(), reason="the package is installed elsewhere")
def test_rooms_import_lower_rooms_only():
    """Also inside functions, but for what type checkers read; ``lint-imports`` looks within scoring too."""
    settings = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {room: -n for n, layer in enumerate(layers) for room in re.findall(r"\w+", layer)}
    rooms = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix in ("", ".py") and p.name[:2] != "__"}
    assert rooms | {"kernels"} == set(height)
    assert len(rooms) <= 19
    for path in SOURCES:
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for module, name in imports(path) if own in height else ():
            room = [*module.split("."), name][1]
            if module.split(".")[0] == "arraycoref" and room in height and room != own:
                assert height[room] < height[own] or {own, room} <= GROUND, f"{path}: {module}"


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
        (RUN.format(["--help"]), "numpy"),
        (RUN.format(["score", *DEMO]), "pandas polars pyarrow matplotlib"),
        (REGISTRY, "numba scipy"),
        ("import arraycoref.display.formats", "numpy json"),  # names of formats are part of the help
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
