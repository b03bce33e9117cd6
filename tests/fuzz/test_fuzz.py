"""The short run: every input kept, every past finding, hundreds of random changes of them."""

import warnings

import pytest

from fuzz import changes, promises
from fuzz.registry import TARGETS, bounded, kept


@pytest.mark.parametrize("name", TARGETS)
def test_corpus_findings_and_changes(name):
    seeds = [path.read_bytes() for path in kept(name)]
    assert seeds
    with warnings.catch_warnings():  # NumPy on headers of Python 2, lenient readers: not what is tested here
        warnings.simplefilter("ignore")
        for data in (*seeds, *changes.changed(seeds, 200, seed=1)):
            try:
                TARGETS[name](data)
            except BaseException as error:
                error.add_note(f"an input of target {name}: {data!r}")
                raise


def test_promises_are_kept_to():
    """The targets can fail: a reader that raises, or misplaces its fault, is told on."""
    with pytest.raises(ZeroDivisionError):
        promises.attempt(lambda: 1 // 0)
    with pytest.raises(AssertionError, match="line 3 is not in the file"):
        promises.check_place(promises.ReadError("file", 3, "reason"), b"a\nb")
    with pytest.raises(AssertionError):
        promises.check_place(promises.ReadError("other", 1, "reason"), b"a\nb")


def test_bounds_are_kept_to(monkeypatch):
    """An input that takes more memory than its size allows is told on, though not one that only imports a lot."""
    held, peaks = [], iter(range(0, 10_000, 1000))  # the peak of the process may be far above
    monkeypatch.setattr("fuzz.registry._peak", lambda: next(peaks))
    bounded(lambda _: held.append(1))(b"")
    with pytest.raises(AssertionError, match=r"1 bytes take 1\d\d MB"):
        bounded(lambda _: held.append(b"x" * (1 << 27)))(b"a")
