"""Random changes of bytes, drawn from a seed: what is left of fuzzing where atheris is not installed."""

import random
from collections.abc import Iterator, Sequence

WORDS = (
    *(b"\n", b"\r\n", b"\t", b" ", b"(", b")", b"|", b"(1", b"1)", b"(1)", b"#", b"-", b"_", b"=", b"1-2", b"8.1"),
    *(b"#begin document (x); part 000\n", b"#end document\n", b"\n%%\n", b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf"),
    *(b"[", b"]", b"{", b"}", b",", b'"', b"\\", b":", b"null", b"-1", b"1e999", b"NaN", b"9" * 30),
    *(b'"clusters": [[[0, 1]]]', b"<", b">", b"&", b"</tok>", b"\xe2\x80\xa8", b"\xc2\x85", b"\\ud800"),
)
LONGEST = 4096


def changed(seeds: Sequence[bytes], n: int, seed: int) -> Iterator[bytes]:
    """Yield n inputs: each a seed, changed in one to five places."""
    rng = random.Random(seed)
    for _ in range(n):
        data = bytearray(rng.choice(seeds)) if seeds else bytearray()
        for _ in range(rng.randint(1, 5)):
            _change(data, seeds, rng)
        yield bytes(data[:LONGEST])


def _change(data: bytearray, seeds: Sequence[bytes], rng: random.Random) -> None:
    at = rng.randint(0, len(data))
    to = min(len(data), at + rng.choice((0, 1, 1, 2, 5, 20)))
    kind = rng.randrange(6)
    if kind == 0:
        data[at:to] = rng.choice(WORDS)
    elif kind == 1:
        data[at:at] = rng.choice(WORDS) * rng.choice((1, 1, 2, 9))
    elif kind == 2:
        data[at:to] = bytes(rng.randrange(256) for _ in range(to - at))
    elif kind == 3:
        del data[at:to]
    elif kind == 4:  # copy a piece
        first = rng.randint(0, len(data))
        data[at:at] = data[first : first + rng.randint(0, 40)]
    elif seeds:  # the rest of another
        other = rng.choice(seeds)
        data[at:] = other[rng.randint(0, len(other)) :]
