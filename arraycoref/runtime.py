"""Threads, optional packages, progress bars, and files: opened with a limit of bytes, written whole or not at all."""

from __future__ import annotations

import importlib
import io
import os
import re
import stat
import sys
import zipfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import lru_cache
from types import ModuleType
from typing import IO, Any, TypeVar

import numpy as np

from arraycoref.exceptions import ArraycorefError, InputError, MissingDependencyError, ReadError
from arraycoref.inputs import keep_inputs, note_input
from arraycoref.options import OPTIONS, Progress

T = TypeVar("T")
R = TypeVar("R")

Path = str | os.PathLike[str]
Content = bytes | bytearray | memoryview

AHEAD = 3
"""Items per thread that `in_threads` draws before the first of them is done."""

STDIN = "<stdin>"
LIMIT = "ARRAYCOREF_MAX_BYTES"
"""Environment variable: the most bytes that any file may hold, decompressed."""
PLENTY, RATIO = 1 << 30, 200
"""If no limit is set, a compressed file may unpack to `PLENTY` bytes, or to `RATIO` times its size if that is more."""
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
_IN_ARCHIVE = re.compile(r".*?\.zip(?=[/\\]|\Z)", re.DOTALL | re.IGNORECASE)
_DECOMPRESSORS = {".bz2": "BZ2Decompressor", ".xz": "LZMADecompressor", ".zst": "ZstdDecompressor"}
_BLOCK = 1 << 20
_SMALL_BLOCK = 1 << 14  # bytes of compressed data read at once; each stream in a block copies the rest of the block
_LARGE = 1 << 22


def thread_count(threads: int) -> int:
    """Return the number of threads to use: the given number, or one per core for 0."""
    if threads > 0:
        return int(threads)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[T], R], items: Iterable[T], threads: int) -> Generator[R, None, None]:
    """Yield ``work(item)`` of each item, in order; items are drawn as the work goes on, few of them at a time.

    Kernels release the GIL, so that ranges of documents are counted side by side.

    Args:
        work: function of an item; it changes nothing that the work on another item uses.
        items: what to work on, drawn in the calling thread.
        threads: 1 or more; with 1, no thread is started.

    Raises:
        Exception: the first that ``work`` or drawing an item raises; work that has begun is finished.
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    under_way: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            under_way.append(pool.submit(copy_context().run, work, item))
            while under_way and (len(under_way) > AHEAD * threads or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def reported(results: Iterable[R], sizes: Sequence[int], progress: Progress | bool | None) -> Iterator[R]:
    """Yield results; after each, show the sum of the sizes so far and of all, as the option ``progress`` says."""
    done, total, show = 0, sum(sizes), progress_of(progress)
    for result, size in zip(results, sizes, strict=True):
        done += size
        if show is not None:
            show(done, total)
        yield result


def import_extra(module: str, what: str, extra: str) -> ModuleType:
    """Import a module of a package that not every installation has.

    Args:
        module: the module.
        what: what needs which package, for the message: ``Parquet files need PyArrow``.
        extra: the extra of arraycoref that installs it.

    Raises:
        MissingDependencyError: the package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(f"{what}; install with: pip install 'arraycoref[{extra}]'") from error


def progress_of(progress: Progress | bool | None) -> Progress | None:
    """Return the function of the option ``progress``: the user's, or for True one that draws a bar.

    The bar is on standard error or in the notebook, appears after a second, and is closed when all is done.

    Raises:
        MissingDependencyError: a bar without tqdm.
    """
    if progress is not True:
        return progress or None
    tqdm = import_extra("tqdm.auto", "progress=True needs tqdm", "progress").tqdm
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, delay=1)
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show


@contextmanager
def atomic_write(path: Path, inputs: Iterable[str] = ()) -> Iterator[IO[bytes]]:
    """Open a temporary file beside the given one, which it replaces when the block ends without an error.

    A symbolic link stays a link. A device, a pipe or ``/dev/stdout`` is written directly. A process that is killed
    leaves the file as it was, and beside it the temporary file, whose name is ``.arraycoref-`` and hexadecimal digits.

    Args:
        path: the file.
        inputs: files that were read for it, beside those that the running command noted.

    Raises:
        OptionError: the file is an input, or the next run would read it as a part of one.
        OSError: the file cannot be written; the error names ``path``.
    """
    name = os.fspath(path)
    stream = name.startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/"))  # which may lead to a regular file
    if stream or (os.path.exists(name) and not os.path.isfile(name)):
        with open(name, "ab") as file:
            yield file
        return
    keep_inputs(name, inputs)
    target = os.path.realpath(name)
    unfinished = os.path.join(os.path.dirname(target), f".arraycoref-{os.urandom(8).hex()}")
    try:
        with open(unfinished, "xb") as file:
            yield file
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno is not None and error.filename in (None, unfinished):
            error.filename, error.filename2 = name, None
        raise
    finally:
        with suppress(OSError):  # it is gone after `os.replace`
            os.unlink(unfinished)


def print_bytes(blocks: Iterable[bytes]) -> None:
    """Write blocks to standard output, and repeat for what is left: with ``python -u``, a write may be only a part.

    Raises:
        OSError: standard output is closed, cannot be written, or nobody reads it any more.
    """
    if sys.stdout is None:
        raise OSError("standard output is closed")
    sys.stdout.flush()
    stream = sys.stdout.buffer
    for block in blocks:
        rest = memoryview(block)
        while rest:
            rest = rest[stream.write(rest) :]
    stream.flush()


def write_text(text: str, path: Path) -> None:
    """Write text as UTF-8 with `atomic_write`, compressed by its suffix; lone surrogates become backslash escapes.

    Raises:
        OSError: the file cannot be written.
        MissingDependencyError: a module that this Python lacks.
    """
    with atomic_write(path) as file:
        write_blocks([text.encode("utf-8", "backslashreplace")], file, split_suffixes(os.fspath(path))[2])


def write_blocks(blocks: Iterable[bytes], file: IO[bytes], compression: str | None) -> None:
    """Write to a binary file, with the compressor of a suffix if there is one."""
    if compression is None:
        file.writelines(blocks)
        return
    with open_compressed(file, compression, "wb") as stream:
        stream.writelines(blocks)


def split_suffixes(path: str) -> tuple[str, str, str | None]:
    """Split a path into stem, suffix (may be empty), and the suffix of its compression, in lower case, or None.

    >>> split_suffixes("a/x.jsonl.gz"), split_suffixes("x.conll")
    (('a/x', '.jsonl', '.gz'), ('x', '.conll', None))
    """
    stem, last = os.path.splitext(path)
    compression = last.lower()
    return (*os.path.splitext(stem), compression) if compression in COMPRESSIONS else (stem, last, None)


def open_compressed(file: IO[bytes], compression: str, mode: str) -> IO[bytes]:
    """Wrap a binary file in the decompressor (``rb``) or compressor (``wb``) of a suffix.

    Raises:
        MissingDependencyError: a module that this Python lacks.
    """
    module = _module(compression)
    if compression == ".gz" and mode == "wb":
        # No name and no time in the header: the same documents give the same bytes.
        return module.GzipFile(filename="", fileobj=file, mode=mode, mtime=0)  # type: ignore[no-any-return]
    if compression == ".zst" and mode == "wb":
        checksum = {module.CompressionParameter.checksum_flag: True}
        return module.open(file, mode, options=checksum)  # type: ignore[no-any-return]
    return module.open(file, mode)  # type: ignore[no-any-return]


def unpacked(file: IO[bytes], compression: str) -> Iterator[bytes]:
    """Yield the content of a compressed file, one stream or several, in blocks of at most 1 MiB.

    Raises:
        MissingDependencyError: a module that this Python lacks.
        Exception: of a class of the compression's module: data are corrupt or cut short, or something else follows.
    """
    if compression == ".gz":
        with open_compressed(file, compression, "rb") as stream:
            yield from iter(lambda: stream.read(_BLOCK), b"")
        return
    # The file classes of the other modules ignore anything that follows the last stream.
    make = getattr(_module(compression), _DECOMPRESSORS[compression])
    rest = file.read(_SMALL_BLOCK)
    decompressor = make()
    while True:
        yield decompressor.decompress(rest, _BLOCK)
        while not decompressor.eof:
            rest = file.read(_SMALL_BLOCK) if decompressor.needs_input else b""
            if decompressor.needs_input and not rest:
                raise EOFError("the end of the compressed data is missing")
            yield decompressor.decompress(rest, _BLOCK)
        rest = decompressor.unused_data or file.read(_SMALL_BLOCK)
        while compression == ".xz" and rest[:1] == b"\0":  # padding, which the format allows
            rest = rest.lstrip(b"\0") or file.read(_SMALL_BLOCK)
        if not rest:
            return
        decompressor = make()


def _module(compression: str) -> Any:
    name = COMPRESSIONS[compression]
    if name == "zstd":
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        hint = "pip install backports.zstd" if name == "backports.zstd" else "a Python built with it"
        raise MissingDependencyError(f"{compression} files need the module {name}: {hint}") from error


def load(path: str, max_bytes: int | None = None, *, plenty: int = PLENTY, ratio: int = RATIO) -> Content:
    """Read a file whole, decompressed. A named pipe is read like standard input, from its first writer to its last.

    Args:
        path: of a file or pipe, or `STDIN`.
        max_bytes: the most bytes that it may hold, decompressed; None for what the environment variable `LIMIT` says.
            Without either, only a compressed file has a limit: ``plenty``, or ``ratio`` times its size if that is more.
        plenty: limit in bytes for a small compressed file.
        ratio: limit for a large one, in bytes for each byte of the file.

    Raises:
        ReadError: a file that does not exist, is a directory, device or socket, cannot be read, is corrupt as
            compressed data, is larger than the limit or memory allows, or changes while it is read.
        InputError: a limit that is not a number of bytes.
    """
    most = byte_limit(max_bytes)
    note_input("/dev/stdin" if path == STDIN else path)
    if path == STDIN:
        if sys.stdin is None:
            raise ReadError(path, None, "standard input is closed")
        return _join(iter(lambda: sys.stdin.buffer.read(_BLOCK), b""), path, most)
    if path in (members := archived(path, max_bytes)):
        return members[path]
    compression = split_suffixes(path)[2]
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        is_inside = isinstance(error, NotADirectoryError) and _IN_ARCHIVE.match(path)
        reason = "no such file or folder in the archive" if is_inside else getattr(error, "strerror", None)
        raise ReadError(path, None, reason or f"not a file name: {error}") from error
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise ReadError(path, None, "a directory, device or socket; expected a file or a pipe")
    try:
        with open(path, "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            if compression is not None:
                most = max(plenty, ratio * before.st_size) if most is None else most
                content: Content = _join(unpacked(file, compression), path, most)
            elif most is None and stat.S_ISREG(mode):
                content = _read_large(file, before.st_size) if before.st_size >= _LARGE else file.read()
            else:
                content = _join(iter(lambda: file.read(_BLOCK), b""), path, most)
            if compression is None and bytes(content[:2]) == b"\x1f\x8b":  # by gzip, as CorefAnnotator's .ca2z
                compression, most = ".gz", max(plenty, ratio * len(content)) if most is None else most
                content = _join(unpacked(io.BytesIO(content), compression), path, most)
            after = os.fstat(file.fileno())
    except ArraycorefError:
        raise
    except MemoryError as error:
        raise ReadError(path, None, "larger than memory") from error
    except Exception as error:  # each compression module has its own class of errors
        reason = getattr(error, "strerror", None) or f"corrupt {compression} data: {error}"
        raise ReadError(path, None, reason) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) and stat.S_ISREG(mode):
        raise ReadError(path, None, "the file changed while it was read")
    return content


def archived(path: str, max_bytes: int | None = None) -> dict[str, bytes]:
    """Return the members of a zip archive by path, sorted, if a path names one or a file or folder in it; or nothing.

    A zip in it, as INCEpTION has one for each annotator, stands for its files: ``anna.zip`` for ``anna.xmi``. Members
    that are hidden, or lie outside, are left out. The limit of bytes is for all together.

    Raises:
        ReadError: an archive that is damaged or encrypted, or larger than the limit.
    """
    inside = _IN_ARCHIVE.match(path)
    if inside is None or not os.path.isfile(inside[0]):
        return {}
    found = os.stat(inside[0])
    most = byte_limit(max_bytes) or max(PLENTY, RATIO * found.st_size)
    try:
        members = _unzipped(inside[0], most, found.st_mtime_ns)
    except (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ReadError(inside[0], None, f"a zip archive that cannot be read: {error}") from error
    below = os.path.join(path, "")
    if path in members:  # found at once, as each of many is asked for
        return {path: members[path]}
    return {name: content for name, content in members.items() if name.startswith(below)}


@lru_cache(1)
def _unzipped(path: str, most: int, changed: int) -> dict[str, bytes]:
    members, waiting, left = dict[str, bytes](), [(path, b"")], most
    for archive, content in waiting:
        with zipfile.ZipFile(io.BytesIO(content) if content else archive) as file:
            for info in file.infolist():
                if info.is_dir() or any(part.startswith((".", "__MACOSX")) for part in info.filename.split("/")):
                    continue
                if info.file_size > left:
                    raise too_large(path, most)
                data = file.open(info).read(info.file_size + 1)  # never more, whatever the archive says
                left -= len(data)
                name = os.path.join(archive, info.filename.lstrip("/"))
                suffix = os.path.splitext(name)[1]
                alone = os.path.splitext(archive)[0] + suffix
                if archive != path and alone not in members and os.path.basename(name) != "TypeSystem.xml":
                    name = alone
                if archive == path and suffix.lower() == ".zip":
                    waiting.append((name, data))
                else:
                    members[name] = data
    return dict(sorted(members.items()))


def load_text(path: Path, max_bytes: int | None = None) -> str:
    """Read a file of text whole, decompressed, without its byte order mark; ``max_bytes`` is as for `load`.

    Raises:
        ReadError: as `load`; and text that is not UTF-8.
    """
    name = os.fspath(path)
    return decoded(bytes(load(name, max_bytes)), name).removeprefix("\ufeff")


def decoded(content: bytes, path: str) -> str:
    """Decode the content of a file of text.

    Raises:
        ReadError: it is not UTF-8; names the line.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise ReadError(path, line, f"not UTF-8: {content[error.start : error.start + 20]!r}") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dictionary of a JSON object whose names are distinct; for ``object_pairs_hook``.

    Raises:
        InputError: the object has a name twice.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InputError(f"{twice!r:.60} twice in one object; expected each name once")
    return members


def byte_limit(max_bytes: int | None) -> int | None:
    """Return the limit that the user set, by the argument or in the environment; None for no limit.

    Raises:
        OptionError: the argument is not a number of bytes.
        InputError: the variable in the environment is not a number of bytes.
    """
    if max_bytes is not None:
        OPTIONS["max_bytes"].check("max_bytes", max_bytes)
        return max_bytes
    text = os.environ.get(LIMIT, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise InputError(f"the environment variable {LIMIT} is {text!r}; expected a number of bytes, 1 or more")
    return int(text)


def too_large(path: str, most: int) -> ReadError:
    """Make the error of a file that is larger than the limit."""
    return ReadError(path, None, f"more than {most} bytes; max_bytes=N or {LIMIT} sets another limit", "max_bytes")


def _read_large(file: io.FileIO, size: int) -> memoryview:
    """Read a file into an array of NumPy, which uses large pages from `_LARGE` bytes on; this takes half the time."""
    content = np.empty(size, np.uint8).data
    at = 0
    while at < size and (n := file.readinto(content[at:])):
        at += n
    return content[:at]


def _join(blocks: Iterator[bytes], path: str, most: int | None) -> bytearray:
    content = bytearray()
    for block in blocks:
        if most is not None and len(content) + len(block) > most:
            raise too_large(path, most)
        content += block
    return content
