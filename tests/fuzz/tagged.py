"""Targets: tagged files of three formats, alone and aligned."""

import numpy as np

from arraycoref.exceptions import ArraycorefError, InputError
from arraycoref.tagging import TAGSETS, compare_texts, load_tagset, score_comparison
from arraycoref.tagging.texts import FORMATS, TaggedText, read_xces
from fuzz.promises import PATH, attempt, check_place


def target_conllu(data: bytes) -> None:
    """Read; compare with itself under the tagset of the first byte."""
    _tagged("conllu", data)


def target_xces(data: bytes) -> None:
    """As CoNLL-U; also with all analyses."""
    _tagged("xces", data)
    text, error = attempt(lambda: read_xces(data[1:], PATH, analyses=True))
    if error is None and text is not None:
        _sound(text)
    else:
        _placed(error, data[1:])


def target_tsv(data: bytes) -> None:
    """As CoNLL-U."""
    _tagged("tsv", data)


def target_aligned(data: bytes) -> None:
    """Two CoNLL-U files, parted by a line ``%%``; if they align, scores swap with the sides."""
    sides = [data.partition(b"\n%%\n")[0], data.partition(b"\n%%\n")[2]]
    read = [attempt(lambda side=side: FORMATS["conllu"](side, PATH))[0] for side in sides]
    if not all(text is not None and len(text) for text in read):
        return
    there, error = attempt(lambda: compare_texts(*read))
    back, other = attempt(lambda: compare_texts(*read[::-1]))
    assert (error is None) == (other is None)
    if there is None or back is None:
        return
    forth, reverse = score_comparison(there), score_comparison(back)
    for name in forth.metrics:
        pair = forth.counts[name].sum(0), reverse.counts[name].sum(0)
        assert np.isfinite(pair[0]).all()
        if name in ("exact", "UPOS", "XPOS", "UFeats", "AllTags"):
            assert np.allclose(pair[0][:4], pair[1][[2, 3, 0, 1]]), f"{name} depends on the side"


def _tagged(format: str, data: bytes) -> None:
    text, error = attempt(lambda: FORMATS[format](data[1:], PATH))
    if text is None:
        _placed(error, data[1:])
        return
    _sound(text)
    if format != "xces" and b"\r" not in data:
        again = FORMATS[format](data[1:].replace(b"\n", b"\r\n"), PATH)
        assert (again.tag_names, again.forms) == (text.tag_names, text.forms), "CR LF counts"
        assert again.lines == text.lines
    if not len(text):
        return
    chosen = load_tagset(TAGSETS[(data[0] if data else 0) % len(TAGSETS)])
    for tagset in (None, chosen):
        compared, error = attempt(lambda tagset=tagset: compare_texts(text, text, tagset=tagset))
        if compared is None:
            _placed(error, data[1:])
            continue
        scores = score_comparison(compared)
        for name in scores.metrics:
            recall_num, recall_den, *_ = scores.counts[name].sum(0)[:4]
            assert abs(recall_num - recall_den) <= 1e-9 * max(recall_den, 1), f"{name}: a text is not its own equal"


def _sound(text: TaggedText) -> None:
    n = len(text)
    for offsets, most in ((text.tag_offsets, len(text.tags)), (text.sentences, n), (text.documents, None)):
        assert offsets[0] == 0
        assert (np.diff(offsets) >= 0).all()
        assert most is None or offsets[-1] == most
    assert len(text.tag_offsets) == n + 1
    assert text.documents[-1] == len(text.sentences) - 1
    assert len(text.document_names) == len(text.documents) - 1
    start, end, multiword = text.spans
    assert ((start < end) & (end <= sum(map(len, text.pieces)))).all()
    assert (np.diff(start) >= 0).all()
    assert n == len(text.forms) == len(text.lines) == len(multiword)


def _placed(error: ArraycorefError | None, data: bytes) -> None:
    if isinstance(error, InputError):  # of scoring, not of reading
        return
    check_place(error, data)
