"""What reading holds against: bombs, pipes, and faults without end."""

import os
import threading
import tracemalloc

import pytest
from test_paths import COMPRESS, text

from arraycoref import runtime, score_files
from arraycoref.exceptions import InputError, ReadError
from arraycoref.read import read_documents
from arraycoref.read.problems import MOST_FAULTS
from arraycoref.runtime import load

MEGABYTE = 1 << 20


@pytest.mark.parametrize("suffix", COMPRESS)
def test_limit_of_bytes(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"x.conll{suffix}"
    path.write_bytes(COMPRESS[suffix](text("x")))
    size = len(text("x"))
    assert read_documents(path, max_bytes=size).names == ("x",)
    with pytest.raises(ReadError, match=f"x.conll{suffix}: more than {size - 1} bytes"):
        read_documents(path, max_bytes=size - 1)
    monkeypatch.setenv(runtime.LIMIT, str(size - 1))
    with pytest.raises(ReadError, match=f"more than {size - 1} bytes; .* {runtime.LIMIT} sets another limit"):
        read_documents(path)


@pytest.mark.usefixtures("usual_garbage")
@pytest.mark.parametrize("suffix", COMPRESS)
def test_bomb_without_a_limit(tmp_path, suffix):
    """It is given up at the default limit, here a smaller one, and memory never holds much more."""
    limits = {"plenty": 2 * MEGABYTE, "ratio": 3}
    path = tmp_path / f"x.conll{suffix}"
    path.write_bytes(COMPRESS[suffix](bytes(24 * MEGABYTE)))
    tracemalloc.start()
    with pytest.raises(ReadError, match="more than 2097152 bytes"):
        load(str(path), **limits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MEGABYTE
    dense = os.urandom(MEGABYTE)  # of a large file, a multiple of its size
    path.write_bytes(COMPRESS[suffix](dense + bytes(3 * MEGABYTE // 2)))
    assert len(load(str(path), **limits)) == 5 * MEGABYTE // 2


@pytest.mark.parametrize("suffix", COMPRESS)
def test_several_streams_in_a_file(tmp_path, suffix):
    path = tmp_path / f"x.conll{suffix}"
    parts = [COMPRESS[suffix](text(str(k))) for k in range(300)]
    path.write_bytes(b"".join(parts) + COMPRESS[suffix](b""))
    assert len(read_documents(path)) == 300
    for damaged in (b"".join(parts) + b"more", b"".join(parts) + parts[0][:-3], b"".join(parts)[:-3]):
        path.write_bytes(damaged)
        with pytest.raises(ReadError, match="corrupt") as caught:
            read_documents(path, lenient=True)
        assert caught.value.path == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipe(tmp_path):
    path = tmp_path / "x.conll.gz"
    os.mkfifo(path)
    content = COMPRESS[".gz"](b"".join(text(str(k)) for k in range(5000)))
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert len(read_documents(path)) == 5000
    writer.join(10)
    with pytest.raises(InputError, match="can be read only once"):  # it would be waited for in vain
        score_files(path, path)


@pytest.mark.parametrize(("name", "line"), [("x.conll", b"1)\n"), ("x.jsonl", b"x\n")])
def test_lenient_reading_has_an_end(tmp_path, name, line):
    path = tmp_path / name
    path.write_bytes(b"#begin document x\n" * name.endswith("conll") + line * 3 * MOST_FAULTS)
    faults = []
    with pytest.raises(ReadError, match="more than 10,000 problems") as caught:
        read_documents(path, lenient=True, on_error=faults.append)
    assert len(faults) == MOST_FAULTS
    assert caught.value.line is not None
