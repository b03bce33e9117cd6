"""Where documents come from: files, directories, patterns, lists, standard input, compression."""

import bz2
import glob
import gzip
import io
import json
import lzma
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from arraycoref.api import score_files
from arraycoref.exceptions import DocumentMismatchError, InputError, ReadError
from arraycoref.read import format_of, paths, read_documents
from marks import cases

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


def text(name: str) -> bytes:
    return f"#begin document ({name});\n{name}\t(1\nb\t1)|(2)\n#end document\n".encode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    for name in ["b.conll", "sub/c.txt", "sub/.hidden/no.conll", ".no.conll"]:
        (tmp_path / name).write_bytes(text(Path(name).stem))
    (tmp_path / "sub" / "a.jsonl").write_bytes(b'{"id": "a", "clusters": []}\n')
    return tmp_path


def test_directory(folder):
    found = read_documents(folder)
    assert found.names == ("b", "a", "c")
    assert found.files == tuple(str(folder / name) for name in ["b.conll", "sub/a.jsonl", "sub/c.txt"])
    assert found.offsets.tolist() == [0, 2, 2, 4]
    assert found.mentions.start.tolist() == [0, 1, 0, 1]
    assert str(read_documents(folder / "b.conll")) == f"<1 document, 2 mentions, from {folder / 'b.conll'}>"


def test_pattern_and_list(folder):
    assert read_documents(f"{folder}/*.conll").names == ("b",)
    assert read_documents(f"{folder}/**/*.[ct]*").names == ("b", "c")
    assert read_documents(f"{folder}/s*").names == ("a", "c")
    assert read_documents([folder / "sub" / "c.txt", str(folder / "b.conll")]).names == ("c", "b")
    (folder / "x[1].conll").write_bytes(text("bracket"))
    assert read_documents(folder / "x[1].conll").names == ("bracket",)
    for source in ([], [[]], None, 3, b"b.conll", [None], {str(folder / "b.conll")}):
        with pytest.raises(InputError, match=r"an empty list of files|is not the path of a file"):
            read_documents(source)


def test_nothing_to_read(folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path("empty/.sub").mkdir(parents=True)
    Path("empty/.x").touch()
    for name, reason in (
        ("none.conll", "No such file"),
        ("*.none", "no file matches"),
        ("empty", "no file in this directory"),
        ("/dev/null", "a directory, device or socket"),
        ("a\0b", "not a file name"),
        ("b.conll/x", "Not a directory"),
    ):
        with pytest.raises(ReadError, match=reason) as caught:
            read_documents(name, lenient=True)
        assert (caught.value.path, caught.value.line) == (name, None)


def test_special_files_in_directories_are_passed_over(folder):
    os.mkfifo(folder / "a_fifo")
    assert len(read_documents(folder)) == 3
    with pytest.raises(ReadError, match="no file matches"):
        read_documents(f"{folder}/a_*")


def test_a_broken_link_is_an_error(folder):
    """Its document would be missing without a word."""
    (folder / "sub" / "broken").symlink_to("nowhere")
    for source in (folder, f"{folder}/**", f"{folder}/*"):
        with pytest.raises(ReadError, match="broken: No such file"):
            read_documents(source)


def test_links_that_lead_back(folder):
    """Two of them make 2^40 paths for who follows them."""
    (folder / "one").symlink_to(".")
    (folder / "two").symlink_to("..")
    (folder / "sub" / "three").symlink_to(folder)
    assert read_documents(folder).names == ("b", "a", "c")
    assert read_documents(f"{folder}/**").names == ("b", "a", "c")
    (folder / "self").symlink_to("self")
    with pytest.raises(ReadError, match=r"self: Too many levels of symbolic links"):
        read_documents(folder / "self")


@pytest.mark.parametrize(
    "pattern", ["**/*.c", "**", "x/**", "**/z/**", "*/**/*.c", "**/**/*.c", "x/**/y/*.c", "a**", "./**/*.c", "w[[]1]/*"]
)
def test_patterns_are_those_of_glob(tmp_path, monkeypatch, pattern):
    for name in ["a.c", "x/b.c", "x/y/c.c", "x/.h/d.c", "x/.e.c", "z/z/f.d", "w[1]/g.c"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    for prefix in ("", f"{tmp_path}/"):
        expected = {path for path in glob.glob(prefix + pattern, recursive=True) if os.path.isfile(path)}
        assert [path for path in paths.matches(prefix + pattern) if os.path.isfile(path)] == sorted(expected)
        assert expected


def test_folder_that_cannot_be_listed(folder, monkeypatch):
    """Its documents must not be left out in silence."""
    scan = os.scandir

    def refuse(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ReadError, match="sub: Permission denied"):
        read_documents(folder)


def test_two_files_with_one_document(folder):
    (folder / "z.conll").write_bytes(b"\n" + text("z") + text("b"))
    with pytest.raises(ReadError) as caught:
        read_documents(folder)
    place = f"{folder}/z.conll:6: a second document 'b'; the first begins at {folder}/b.conll:1"
    assert str(caught.value) == f"{place}, and the files of one side are read together"
    passed: list[ReadError] = []
    found = read_documents(folder, lenient=True, on_error=passed.append)
    assert found.names == ("b", "a", "c", "z")
    assert [fault.line for fault in passed] == [6]


def test_files_of_one_name_pair_by_their_folders(tmp_path):
    """Never by their names alone: a file that one side lacks must not shift the others."""
    for path, clusters in {
        "key/a/x.jsonl": [[[0, 0], [1, 1]]],
        "key/b/x.jsonl": [[[0, 0], [2, 2]]],
        "response/a/x.jsonl.gz": [[[0, 0], [1, 1]]],
        "response/b/x.jsonl.gz": [[[0, 0]]],
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"sentences": [["p", "q", "r"]], "clusters": clusters}).encode()
        (tmp_path / path).write_bytes(gzip.compress(content) if path.endswith(".gz") else content)
    scores = score_files(tmp_path / "key", tmp_path / "response", metrics="muc")
    assert scores.documents["muc"].f1.tolist() == [1.0, 0.0]
    assert scores.names == ("a/x", "b/x")
    (tmp_path / "response/a/x.jsonl.gz").unlink()
    with pytest.raises(DocumentMismatchError):
        score_files(tmp_path / "key", tmp_path / "response")
    (tmp_path / "key/b/x.jsonl").write_bytes(2 * b'{"clusters": []}\n')
    assert read_documents(tmp_path / "key").names == ("a/x", "1", "2")


def test_large_files(tmp_path):
    """They are read into an array."""
    (tmp_path / "x.conll").write_bytes(b"#" + b" " * (1 << 22) + b"\n" + text("x"))
    (tmp_path / "y.jsonl").write_bytes(b" " * (1 << 22) + b'{"id": "y", "clusters": [[[0, 1]]]}\n')
    found = read_documents([tmp_path / "x.conll", tmp_path / "y.jsonl"])
    assert (found.names, found.mentions.start.tolist(), found.mentions.end.tolist()) == (
        ("x", "y"),
        [0, 1, 0],
        [1, 1, 1],
    )


def test_gzip_without_its_suffix(tmp_path):
    """As CorefAnnotator writes it; with the limit of compressed files."""
    (tmp_path / "x.conll").write_bytes(gzip.compress(text("x")))
    assert read_documents(tmp_path / "x.conll").names == ("x",)
    (tmp_path / "x.conll").write_bytes(gzip.compress(text("x") + b"#" * 10_000))
    with pytest.raises(ReadError, match=r"x.conll: more than 9000 bytes"):
        read_documents(tmp_path / "x.conll", max_bytes=9_000)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_corrupt_compression(tmp_path, suffix):
    """That it is cut short is found too, by `test_several_streams_in_a_file`."""
    path = tmp_path / f"x.conll{suffix}"
    good = bytearray(COMPRESS[suffix](b"".join(text(str(k)) for k in range(500))))
    if suffix == ".zst":
        good = bytearray(zstd.compress(bytes(8000), options={zstd.CompressionParameter.checksum_flag: True}))
    for damaged in (text("x"), good[: len(good) // 2] + b"\xff" * 9 + good[len(good) // 2 + 9 :]):
        path.write_bytes(damaged)
        with pytest.raises(ReadError, match="corrupt") as caught:
            read_documents(path, lenient=True)
        assert (caught.value.path, caught.value.line) == (str(path), None)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text("x") + b"y")))
    with pytest.raises(ReadError, match="<stdin>:5: text outside"):
        read_documents("-")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"id": "x", "clusters": []}')))
    assert read_documents(["-"], format="jsonlines").files == ("<stdin>",)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ReadError, match="<stdin>: standard input is closed"):
        read_documents("-")


def test_format_of_suffix():
    names = ["a.jsonl", "a.JSON", "a.jsonlines.gz", "a.conll", "a", "a.gz", "jsonl", "a.json.txt"]
    assert [format_of(name) for name in names] == ["jsonlines"] * 3 + ["conll"] * 5


CONLLU = "".join(f"{n}\tx\tx\tX\t_\t_\t0\t_\t_\tEntity=(e1)\n" for n in (1, 2))
CONLLUA = "1\tx\tx\tX" + 6 * "\t_" + "\t{}\t_\t_\t_\t_\n"


@cases(
    "text,kind",
    {
        "CorefUD": (f"\ufeff# newdoc id = a\n{CONLLU}", "CoNLL-U; format='conllu' reads it"),
        "CoNLL-UA": (CONLLUA.format("(EntityID=1|MarkableID=m1|Min=1)"), "CoNLL-UA"),
        "no mention": ("# global.columns = ID FORM MISC IDENTITY BRIDGING NOM_SEM\n" + CONLLUA.format("_"), "CoNLL-UA"),
    },
)
def test_other_files_are_named(tmp_path, text, kind):
    (tmp_path / "x.conllu").write_text(text, encoding="utf-8")
    with pytest.raises(ReadError, match=f"this looks like {kind}"):
        read_documents(tmp_path / "x.conllu", format="conll")


@cases(
    "text,kind",
    {
        "labels": ("1\n1\n2", "a label in each line; format='labels' reads it"),
        "entities": ('{"1": ["a", "b"]}', "a mapping from clusters to members, which format='s2and' reads"),
        "signatures": ('{"1": {"cluster_id": "1", "signature_ids": ["0"]}}', "clusters of S2AND; format='s2and'"),
        "dedupe": ('[[["a", "b"], [0.9, 0.8]]]', "dedupe's clusters .ids, confidences.; format='s2and' reads {c"),
    },
)
def test_clusterings_are_named(tmp_path, text, kind):
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(ReadError, match=f"this looks like {kind}") as told:
        read_documents(tmp_path / "x.txt")
    assert told.value.option == "format"


def test_documents_without_a_name_are_named_by_their_files(tmp_path):
    """``#begin document``, as some tools write it, once in each file; pairs are then those of equal file names."""
    for side in ("key", "response"):
        (tmp_path / side).mkdir()
        for name, header in (("b.conll", ""), ("a.txt.conll", "();"), ("c.conll", "(); part 000"), ("d.conll", "(d);")):
            (tmp_path / side / name).write_text(f"#begin document {header}\nw\t(0)\n#end document\n")
    found = read_documents(tmp_path / "key")
    assert (found.names, found.named.all()) == (("a.txt", "b", "c", "d"), True)
    (tmp_path / "response" / "b.conll").unlink()
    with pytest.raises(DocumentMismatchError, match=r"missing from the response: 1 of 4 documents \('b'\)"):
        score_files(tmp_path / "key", tmp_path / "response")
    both = tmp_path / "key" / "b.conll"
    both.write_text(2 * both.read_text())
    assert read_documents(both).names == ("1", "2")


NAMELESS = {
    "as written": "# begin document \n",
    "with brackets": "#begin document ();\n",
    "of a part": "#begin document (); part 000\n",
}


@pytest.mark.parametrize("header", NAMELESS)
def test_folders_of_documents_without_a_name_are_scored(tmp_path, header):
    for side, cells in (("key", "(1) _ (1) (2)"), ("response", "(1) _ (1) _")):
        (tmp_path / side).mkdir()
        for name, each in (("one", "(1) _ (1) (2)"), ("two", cells)):
            lines = "".join(f"{n}\tw\t{cell}\n" for n, cell in enumerate(each.split()))
            (tmp_path / side / f"{name}.conll").write_text(f"{NAMELESS[header]}{lines}#end document\n")
    found = score_files(tmp_path / "key", tmp_path / "response")["mentions"]
    assert (found.recall_num, found.recall_den, found.precision_den) == (5, 6, 5)
    (tmp_path / "response" / "one.conll").unlink()  # the other has its name, though there is one document only
    with pytest.raises(DocumentMismatchError, match=r"missing from the response: 1 of 2 documents \('one'\)"):
        score_files(tmp_path / "key", tmp_path / "response")
    with pytest.raises(DocumentMismatchError, match=r"missing from the key: 1 of 2 documents \('one'\)"):
        score_files(tmp_path / "response", tmp_path / "key")
    found = score_files(tmp_path / "key", tmp_path / "response", missing_documents="skip")["mentions"]
    assert (found.recall_num, found.recall_den, found.precision_den) == (2, 3, 2)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_another_encoding_is_named(tmp_path, encoding):
    for name, content in (
        ("a.conll", text("a").decode()),
        ("a.csv", "mention,label\n"),
        ("a.jsonl", '{"doc_key": "a"}'),
    ):
        (tmp_path / name).write_bytes(content.encode(encoding))
        with pytest.raises(ReadError, match=rf"{name}: text in UTF-16; expected UTF-8, which `iconv"):
            read_documents(tmp_path / name)


def test_a_pattern_leaves_other_files_out(folder):
    (folder / "README.md").write_text("About these files\n")
    assert read_documents(folder).names == ("b", "a", "c")
    (folder / "README.md").unlink()
    (folder / "a.conll").write_text("About these files\n")
    with pytest.raises(ReadError, match=r"a.conll:1: text outside [^*]*$"):
        read_documents(folder)
