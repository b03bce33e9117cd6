"""Make tests run alike with all versions of libraries and however they are started; choose and order the tests.

With ``-n``, all tests of a file run in one process. Then the objects that they share are made once, and two processes
do not compile the same kernels at the same time.
"""

import functools
import gc
import inspect
import os
import signal
import sys

import pytest
from click.testing import CliRunner, Result
from numba.core import event

from arraycoref.twin import ENGINES, VARIABLE, using

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2: keep standard error apart, too
    CliRunner.__init__ = functools.partialmethod(CliRunner.__init__, mix_stderr=False)
    Result.output = property(lambda result: result.stdout + result.stderr)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # background jobs inherit this, and so would their processes
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("COLUMNS", None)  # which xdist sets; tables are as wide as they need to be
os.environ[VARIABLE] = "numpy"  # for processes that tests start
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each process that a test starts would compile all bytecode

FIRST = (
    "scoring/test_golden.py",
    *("test_oracle_self.py", "test_patterns.py", "test_intrinsics.py", "test_house.py"),
)
"""Files that run before all others: the first one compiles most kernels; the others, beside it, need few of them."""


OFTEN, RARELY = gc.get_threshold(), (20_000, 20, 20)
"""How often Python collects garbage by default, and how often it does in tests: see `gc.set_threshold`."""


class ReturnedArrays(event.Listener):
    """Find helpers that return arrays without counting references, so that their memory may be freed while in use."""

    def on_start(self, compiled):
        pass

    def on_end(self, compiled):
        dispatcher = compiled.data["dispatcher"]
        if dispatcher.targetoptions.get("_nrt") is False:
            returned = [str(each.return_type) for each in dispatcher.nopython_signatures]
            assert not any("array" in name for name in returned), f"{dispatcher.py_func.__name__} returns {returned}"


def pytest_configure(config):
    event.register("numba:compile", ReturnedArrays())
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    place = functools.cache(lambda path: next((n for n, name in enumerate(FIRST) if path.match(name)), len(FIRST)))
    items.sort(key=lambda item: place(item.path))


def pytest_collection(session):
    """Collect no garbage while modules are imported, which would take 4 seconds; later, leave out their objects."""
    gc.disable()


def pytest_collection_finish(session):
    gc.enable()
    gc.freeze()
    gc.set_threshold(*RARELY)
    together = sys.modules.get("arraycoref.kernels.fused")
    session.scored = together is not None and bool(getattr(together.count_blocks, "signatures", ()))


def pytest_runtest_setup(item):
    for mark in "slow", "process":
        variable = f"ARRAYCOREF_{mark.upper()}"
        if item.get_closest_marker(mark) and variable not in os.environ:
            pytest.skip(f"set {variable}=1 for these tests too")


@pytest.fixture(scope="session", autouse=True)
def in_numpy():
    """Compile nothing where a test does not ask for the fixture `engine`."""
    with using("numpy"):
        yield


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    """Run a test with NumPy and with compiled kernels."""
    with using(request.param):
        yield request.param


@pytest.fixture
def usual_garbage():
    """Collect garbage as often as Python does by default, in tests that measure memory."""
    gc.set_threshold(*OFTEN)
    yield
    gc.set_threshold(*RARELY)
