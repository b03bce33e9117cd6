"""Zip archives, as annotation tools export them: read like the folders that they hold, within a limit."""

import io
import json
import re
import zipfile

import pytest
from click.testing import CliRunner
from test_webanno import CHAINS, LINKS, chains, table

import arraycoref as ac
from arraycoref.cli.main import main
from arraycoref.exceptions import ReadError
from arraycoref.read import annotators_in, read_documents

TSV = {"anna": table(CHAINS, rows=chains(*LINKS)), "ben": table(CHAINS, rows=chains("1-1", "_", "1-2", "_"))}
TASK = {"data": {"text": "Ann saw her"}}
SPAN = [{"type": "labels", "id": n, "value": {"start": a, "end": a + 3, "labels": ["M"]}} for n, a in enumerate((0, 8))]
LINK = {"type": "relation", "from_id": 0, "to_id": 1, "direction": "right"}


pytestmark = pytest.mark.filterwarnings("ignore:.*no two of them in one entity")


def run(*words):
    return CliRunner().invoke(main, words).stdout


def packed(members, **options):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write the export of a project as a folder, and as an archive in which each annotator has one."""
    monkeypatch.chdir(tmp_path)
    members = {
        "exportedproject.json": "{}",
        "source/novel.txt": "Ann",
        "annotation_ser/novel.txt/anna.ser": b"\xac\xed",
    }
    members |= {
        "__MACOSX/annotation/._x": "",
        "../../evil.tsv": "x",
        "curation/novel.txt/CURATION_USER.tsv": TSV["ben"],
    }
    for name, text in {**TSV, "INITIAL_CAS": TSV["ben"]}.items():
        path = tmp_path / "folder" / "annotation" / "novel.txt" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        members[f"annotation/novel.txt/{name}.zip"] = packed({"some name.tsv": text, "TypeSystem.xml": "<x/>"})
    (tmp_path / "export.zip").write_bytes(packed(members))


@pytest.mark.usefixtures("project")
def test_a_project_of_inception(tmp_path):
    found = annotators_in("export.zip")
    assert found == {name: [f"export.zip/annotation/novel.txt/{name}.tsv"] for name in ("anna", "ben")}
    in_folder = ac.agree(annotators_in("folder"), resamples=1)
    assert ac.agree(found, resamples=1).to_dict() == in_folder.to_dict()
    assert run("agree", "export.zip").replace("export.zip", "folder") == run("agree", "folder")
    adjudicated = run("agree", "export.zip", "--adjudicated", "export.zip/curation")
    assert re.search(r"ben +100.00 +100.00 +1 of 1 +\d", adjudicated)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.zip", "folder"]


def test_label_studio_and_doccano(tmp_path):
    annotations = [{"completed_by": name, "result": result} for name, result in (("a", [*SPAN, LINK]), ("b", SPAN))]
    tasks = json.dumps([TASK | {"annotations": annotations}])
    (tmp_path / "studio.zip").write_bytes(packed({"project-1-at-2026.json": tasks, "README.md": "An export."}))
    found = annotators_in(str(tmp_path / "studio.zip"))
    assert list(found) == ["a", "b"]
    assert ac.agree(found, metrics="muc,mentions").means == {"muc": 0.0, "mentions": 1.0}
    spans = [{"id": n, "label": "M", "start_offset": a, "end_offset": a + 3} for n, a in enumerate((0, 8))]
    line = {
        "id": 1,
        "text": "Ann saw her",
        "entities": spans,
        "relations": [{"from_id": 0, "to_id": 1, "type": "coref"}],
    }
    (tmp_path / "doccano.ZIP").write_bytes(packed({"anna.jsonl": json.dumps(line)}))
    assert [d.clusters for d in read_documents(tmp_path / "doccano.ZIP")] == [[[(0, 2), (8, 10)]]]


def test_brat_with_its_text_in_the_archive(tmp_path):
    ann = "T1\tM 0 3\tAnn\nT2\tM 8 11\ther\nR1\tCoref Arg1:T1 Arg2:T2\n"
    (tmp_path / "x.zip").write_bytes(packed({"a/x.ann": ann, "a/x.txt": "Ann saw her", "a/annotation.conf": "[x]"}))
    documents = read_documents(tmp_path / "x.zip")
    assert (documents.names, documents[0].words) == (("x",), list("Ann saw her"))


def test_limits_and_damage(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(packed({"x.conll": b"\0" * 10_000_000}))
    with pytest.raises(ReadError, match="more than 1000000 bytes; max_bytes=N"):
        read_documents(path, max_bytes=1_000_000)
    path.write_bytes(packed({"x.zip": packed({"x.conll": b"\0" * 10_000_000})}))
    with pytest.raises(ReadError, match="more than 1000000 bytes"):
        read_documents(path, max_bytes=1_000_000)
    path.write_bytes(packed({"a/x.conll": ""}))
    with pytest.raises(ReadError, match="no such file or folder in the archive"):
        read_documents(path / "b")
    size = (10_000_000).to_bytes(4, "little")
    path.write_bytes(packed({"x.conll": b"\0" * 10_000_000}).replace(size, (9).to_bytes(4, "little")))  # it lies
    for content in (path.read_bytes(), b"PK\x03\x04 and no more"):
        path.write_bytes(content)
        with pytest.raises(ReadError, match=r"x\.zip: a zip archive that cannot be read"):
            read_documents(path, max_bytes=1_000_000)
