"""Rules of the house that no other tool checks: kernels stand alone, names do not collide, imports stay light."""

import ast
import builtins
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import arraycoref
from arraycoref.kernels import jit

PACKAGE = Path(arraycoref.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
PAGES = [path for path in sorted((PACKAGE / "metrics").glob("*.py")) if "@kernel" in path.read_text(encoding="utf-8")]
KERNELS = [*sorted((PACKAGE / "kernels").glob("*.py")), *PAGES]
INSTRUCTIONS = [
    "equal_64",
    "at_most_64",
    "equal_32",
    "at_most_32",
    "trailing_zeros",
    "leading_zeros",
    "count_ones",
    "word_at",
    "prefetch",
]


KERNEL_NAMES = ["kernel", "helper", *INSTRUCTIONS]


def imports(path):
    """Yield (module, name) of each import anywhere in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def fresh(code):
    """Run code in a fresh process; return what it prints as JSON."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_files_stand_alone(path):
    """Numba's disk cache does not notice edits of other files, so a kernel uses nothing of another.

    But for the decorators and the processor's instructions, whose files are part of what the cache goes by.
    """
    ours = [(module, name) for module, name in imports(path) if module.startswith("arraycoref.kernels")]
    own = {"kernel": "jit", "helper": "jit", **dict.fromkeys(INSTRUCTIONS, "instructions")}
    assert set(ours) <= {(f"arraycoref.kernels.{module}", name) for name, module in own.items()}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_kernels_of_pages_use_names_of_their_page_only(path):
    """What a page imports besides the decorator is for the functions around its kernels."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {"np", *KERNEL_NAMES, *dir(builtins)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            own |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.FunctionDef) and is_compiled(node):
            own.add(node.name)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_compiled(node):
            names = [each for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)]
            local = {each.id for each in names if isinstance(each.ctx, ast.Store)} | {a.arg for a in node.args.args}
            assert {each.id for each in names} - local - own == set()


def is_compiled(node):
    return any(isinstance(each, ast.Name) and each.id in ("kernel", "helper") for each in node.decorator_list)


def test_the_cache_goes_by_what_kernels_are_made_of(monkeypatch):
    ours = {module for path in KERNELS for module, _ in imports(path) if module.startswith("arraycoref.kernels")}
    assert ours == {f"arraycoref.kernels.{part.removesuffix('.py')}" for part in jit.PARTS}
    read, digest = jit._read, jit._digest.__wrapped__
    before = digest(str(KERNELS[0]))
    for part in jit.PARTS:
        monkeypatch.setattr(jit, "_read", lambda path, part=part: read(path) + b"#" * path.endswith(part))
        assert digest(str(KERNELS[0])) != before


def test_kernels_are_serial_and_strict():
    for path in KERNELS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in {"parallel", "fastmath"}:
                pytest.fail(f"{path.name}:{node.value.lineno} passes {node.arg}")
            if isinstance(node, ast.Attribute) and node.attr in {"sort", "argsort", "unique", "prange"}:
                pytest.fail(f"{path.name}:{node.lineno} uses {node.attr}")


def test_numba_stays_in_kernels():
    offenders = [
        p for p in SOURCES if p.parent.name != "kernels" and any(m.split(".")[0] == "numba" for m, _ in imports(p))
    ]
    assert offenders == []


def test_files_are_short():
    assert [f"{p.name}: {n}" for p in SOURCES if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400] == []


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
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = arraycoref.nothing


def test_public_names_are_listed_once_and_alike():
    """For type checkers, for those who look one up, and for ``from arraycoref import *``."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    for_checkers = [
        (node.module.removeprefix("arraycoref."), alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("arraycoref.")
        for alias in node.names
    ]
    looked_up = [(module, name) for module, names in arraycoref._MODULES.items() for name in names]
    assert for_checkers == looked_up
    assert sorted(arraycoref.__all__) == sorted(name for _, name in looked_up)


def test_import_needs_numpy_only():
    code = (
        "import sys, json, numpy, numpy.typing; before = set(sys.modules); import arraycoref; arraycoref.score;"
        "print(json.dumps(sorted({m.split('.')[0] for m in set(sys.modules) - before})))"
    )
    assert set(fresh(code)) - set(sys.stdlib_module_names) == {"arraycoref"}


def test_help_needs_neither_numba_nor_scipy():
    code = (
        "import sys, json; from click.testing import CliRunner; from arraycoref.cli import main;"
        "assert CliRunner().invoke(main, ['score', '--help']).exit_code == 0;"
        "print(json.dumps([m for m in ('numba', 'scipy', 'pandas', 'tabulate', 'matplotlib') if m in sys.modules]))"
    )
    assert fresh(code) == []


def test_scoring_needs_no_scipy_of_ours():
    code = (
        "import sys, json, numba; before = set(sys.modules); import arraycoref as ac; ac.score([['a']], [['a']]);"
        "print(json.dumps([m for m in set(sys.modules) - before if m.startswith('scipy.optimize')]))"
    )
    assert fresh(code) == []
