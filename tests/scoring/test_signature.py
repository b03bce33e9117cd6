"""The signature names what changed a number; notes say what happened in a run, and stand behind it."""

import csv
import io
import json

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.options import OPTIONS, ScoredFileOptions, resolve_policies
from arraycoref.scoring.signature import signature
from marks import cases

KEYS = {"a": [[1, 2, 3], [4]], "b": [[1], [2]], "c": [[5, 6]]}
RESPONSE = {"a": [[1, 2], [3, 4]], "b": [[1, 2]], "c": [[5, 6]]}


@pytest.fixture
def files(tmp_path):
    """Write a key, and a response that lacks a document, has one more, repeats a mention and has two faults."""
    spans = {"a": [[[0, 0], [1, 1]], [[2, 2]]], "b": [[[0, 0], [1, 1]]]}
    found = {"a": [[[0, 0], [1, 1]], [[1, 1], [2, 2]], [[3]], [[4]]], "c": [[[0, 0]]]}
    for name, documents in (("key", spans), ("response", found)):
        lines = [json.dumps({"doc_key": doc, "clusters": clusters}) for doc, clusters in documents.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    return tmp_path / "key.jsonl", tmp_path / "response.jsonl"


def another(option):
    """Return a value of an option that is not its default."""
    if option is OPTIONS["max_changed"]:
        return "5%"
    if option is OPTIONS["window"]:
        return 30
    if option.choices:
        return next(value for value in option.choices if value not in (option.default, "error"))
    if option is OPTIONS["resample_by"]:
        return "."  # the first letter of a document's name
    return {bool: True, float: 0.5, int: 30}.get(option.kind, "muc" if option.kind is str else 7)


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.about == "scores"])
def test_the_signature_differs_when_the_option_does(name, files):
    if name == "average":  # of the view, not of the run
        b = ac.score_files(files[0], files[0])
        signed = [b.signature, b.macro.signature]
    else:
        values = OPTIONS[name].choices or (OPTIONS[name].default, another(OPTIONS[name]))
        needed = {"tokens": "align"} if name == "max_changed" else {}
        signed = [signature(resolve_policies({**needed, name: value}, ScoredFileOptions)) for value in values]
    assert len(signed) > 1
    for differing in (set(signed), set(map(str, signed)), {str(each.conventions) for each in signed}):
        assert len(differing) == len(signed)


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.about == "statistics"])
def test_options_of_statistics_are_in_their_results(name):
    systems = {name: ac.score_batch(KEYS, {**RESPONSE, **more}) for name, more in (("x", {}), ("y", {"c": []}))}
    value = another(OPTIONS[name])
    options = {"resamples": 20, "metric": "bcub", name: value}
    made = ac.paired_test(*systems.values(), **options) if name == "alternative" else ac.compare(systems, **options)
    values = made.to_dict()
    assert (values | values["rows"][0])[name] == value


def test_options_of_reading_and_running_are_not_in_the_signature(files):
    assert {option.about for option in OPTIONS.values()} == {"scores", "statistics", "reading", "running"}
    key = files[0]
    options = {"threads": 2, "format": "jsonlines", "unit": "word", "max_bytes": 10**6, "metrics": "muc"}
    assert ac.score_files(key, key, **options).signature == ac.score_files(key, key).signature


READ = {"end": "exclusive", "column": 1, "clusters_field": "clusters", "format": "jsonlines"}


@pytest.mark.parametrize("name", READ)
def test_options_of_reading_that_change_scores_are_noted(name, files):
    """So that no two runs of one footer differ in what was read."""
    key = files[0]
    key.write_text(json.dumps({"doc_key": "a", "clusters": [[[0, 1], [1, 3]]]}))
    noted = [f"1 document of the {side} read with {name}={READ[name]}" for side in ("key", "response")]
    assert list(ac.score_files(key, key, **{name: READ[name]}).notes) == noted
    swept = ac.sweep_files(key, {"x": key, "y": key}, **{name: READ[name]})
    assert [list(notes) for notes in swept.notes] == [noted, noted]
    assert ac.score_files(key, key, name_field=None, max_bytes=10**6).notes == ()


def test_every_format_carries_the_signature(files):
    scores = ac.score_files(files[0], files[0])
    results = [scores, scores.corpus, scores.macro, ac.agree({"x": files[0], "y": files[0]})]
    results += [ac.compare({"x": scores, "y": scores}, resamples=20), ac.bootstrap(scores, resamples=20)]
    for result in results:
        signed = str(result.signature)
        for row in csv.DictReader(io.StringIO(result.render("csv"))):
            assert row["signature"] == result.signature.full
        for name in ("table", "markdown", "latex", "html"):
            assert signed in result.render(name), (type(result), name)
        assert json.loads(result.render("json"))["signature"] == result.signature.as_dict(), type(result)


@cases("options", [{}, {"per_document": True}, {"macro": True}])
def test_results_by_name_carry_signatures(files, options):
    """In CSV, each row that of its part."""
    scores = ac.score_files(files[0], files[0])
    pairs = ac.score_file_pairs({"x": (files[0], files[0]), "y": (files[0], files[0])})
    for result in (
        scores.by(["s", "t"]),
        pairs,
        *([] if options else [ac.score_corefud(*files[:1] * 2, heads="first")]),
    ):
        parts = {name: part.report(**options).signature.full for name, part in result.items()}
        rows = list(csv.DictReader(io.StringIO(result.render("csv", **options))))
        assert {row[result.group_kind]: row["signature"] for row in rows}.items() >= parts.items()
        assert all(row["signature"].startswith("arraycoref|v:") for row in rows)


LENIENT = {"lenient": True, "duplicates": "first", "missing_documents": "empty", "extra_documents": "ignore"}
HAPPENED = (
    "2 problems of the response's files skipped",
    "1 document scored as empty: not in the response",
    "1 response document left out: not in the key",
    "1 repeated mention of the response left out (duplicates: first)",
)


def test_what_happened_is_noted_in_every_format(files, tmp_path):
    b = ac.score_files(*files, on_error=lambda _: None, **LENIENT)
    assert b.notes == b.corpus.notes == b.macro.notes[:4] == HAPPENED
    assert "|lenient:True" in str(b.signature)
    assert b.render().splitlines()[-5:] == [*HAPPENED, str(b.signature)]
    assert json.loads(b.render("json"))["notes"] == list(HAPPENED)
    assert {row["notes"] for row in csv.DictReader(io.StringIO(b.render("csv")))} == {"; ".join(HAPPENED)}
    b.save(tmp_path / "scores.json")
    assert ac.load_scores(tmp_path / "scores.json").notes == HAPPENED
    assert ac.score_files(files[0], files[0], lenient=True).notes == ()


@cases("profile,rules", [("paper", "first"), ("conll", "both"), ("corefud", "both")])
def test_a_lenient_run_keeps_repeated_mentions(tmp_path, profile, rules):
    """It scores what it can; what it did stands in the signature and in the notes."""
    key, response = (tmp_path / name for name in ("key.jsonl", "response.jsonl"))
    key.write_text('{"doc_key": "a", "clusters": [[[0, 0], [1, 1], [2, 2]], [[0, 0], [5, 5]]]}')
    response.write_text('{"doc_key": "a", "clusters": [[[0, 0], [1, 1]], [[2, 2], [1, 1], [1, 1]]]}')
    options = {"profile": profile, "singletons": "keep", "matching": "exact", "metrics": "muc,bcub"}
    found = ac.score_files(key, response, lenient=True, **options)
    assert found.signature.duplicates == rules
    expected = ac.score_files(key, response, duplicates=rules, **options)
    assert np.array_equal(found.counts.rows, expected.counts.rows)
    first = "1 repeated mention of the key left out (duplicates: first)"
    assert found.notes[0] == (first if rules == "first" else "1 mention of the key repeated (duplicates: both)")
    with pytest.raises(ac.DuplicateMentionError):
        ac.score_files(key, response, lenient=True, duplicates="error", **options)


def test_warnings_of_faults_in_python(files, tmp_path):
    """The first ten of a side, and one that counts the others; ``on_error`` is called with each."""
    path = tmp_path / "x.conll"
    path.write_text("#begin document (x)\nw\t(1)\n" + "w\t(x\n" * 12 + "#end document\n")
    with pytest.warns(ac.ReadWarning) as told:
        ac.score_files(path, path, lenient=True)
    assert [str(each.message).endswith("here; `arraycoref check` lists all") for each in told] == [
        *[False] * 10,
        True,
    ] * 2
    assert str(told[10].message).startswith(f"{path}: 2 more problems")
    faults = []
    b = ac.score_files(path, path, lenient=True, on_error=faults.append)
    assert len(faults) == 24
    assert b.notes[0] == "12 problems of the key's files skipped"


def test_each_run_has_its_own_notes(files, tmp_path):
    key, response = files
    swept = ac.sweep_files(key, {"x": response, "y": key}, on_error=lambda _: None, **LENIENT)
    assert swept.notes == (HAPPENED, ())
    assert swept.at("x").notes == HAPPENED
    runs = ac.Runs.from_scores({name: swept.at(name) for name in "xy"})
    assert runs.notes == swept.notes
    assert runs.joint_notes == tuple(f"x: {note}" for note in HAPPENED)
    swept.save(tmp_path / "swept.npz")
    assert alike(ac.load_runs(tmp_path / "swept.npz"), swept)
    compared = ac.compare(runs, resamples=20)
    assert {system.name: system.notes for system in compared.systems} == {"x": HAPPENED, "y": ()}
    for made in (compared, ac.table(runs), swept.best(resamples=20), ac.bootstrap(swept.at("x"), resamples=20)):
        assert "2 problems of the response's files" in made.render()
        if made is not compared:
            continue
        rows = list(csv.DictReader(io.StringIO(made.render("csv"))))
        assert {row["system"]: row["notes"] for row in rows} == {"x": "; ".join(HAPPENED), "y": ""}
    clusters = {"x": {"a": [[1], [1, 2]], "b": []}, "y": {"a": [[1]], "b": [[3], [3], [3]]}}
    found = ac.sweep({"a": [[1, 2]], "b": [[3]]}, clusters, duplicates="last")
    lost = "repeated mention{} of the response left out (duplicates: last)"
    assert found.notes == ((f"1 {lost.format('')}",), (f"2 {lost.format('s')}",))


def test_subsets_are_named():
    b = ac.score_batch(KEYS, RESPONSE)
    assert b[:2].signature.subset == b[[0, 1]].signature.subset == "2 of 3"
    assert b.by(["x", "y", "x"])["x"][:1].signature.subset == "x, 1 of 2"
    assert b["a"].signature == b[:2]["a"].signature == b.signature


def by_hand(scores, lost):
    """Average the scores of the documents that are not lost."""
    kept = [score for score, out in zip(scores, lost, strict=True) if not out]
    return sum(kept) / len(kept) if kept else 0.0


def test_zero_division_in_means():
    """The key of b has no link, so that MUC's recall is 0/0 there; in d neither side has one."""
    keys, response = {**KEYS, "d": [[1]]}, {**RESPONSE, "d": [[1]]}
    usual = ac.score_batch(keys, response)
    skipping = ac.score_batch(keys, response, zero_division="skip")
    assert skipping["muc"].f1 == usual["muc"].f1
    recall, precision, f1 = usual.documents["muc"]
    assert recall.tolist() == [0.5, 0, 1, 0]
    assert tuple(usual.macro["muc"]) == (recall.mean(), precision.mean(), f1.mean())
    expected = (0.75, by_hand(precision, [0, 0, 0, 1]), by_hand(f1, [0, 0, 0, 1]))
    assert tuple(skipping.macro["muc"]) == pytest.approx(expected, abs=1e-15)
    assert skipping.macro.conll == skipping.macro["conll"].f1 == by_hand(usual.documents.conll, [0, 0, 0, 1])
    assert skipping.macro["bcub"].f1 == usual.macro["bcub"].f1
    links = skipping.macro["blanc"].coreference
    assert links.recall == (1 / 3 + 1) / 2  # the key of b and d has none
    # Luo et al. (2014) define BLANC where there is no link at all: in d it is 1
    assert skipping.macro["blanc"].f1 == usual.macro["blanc"].f1
    assert usual.macro.notes[0].startswith(
        "0/0 counts as 0 in the means (zero_division=zero): of 4 documents, muc in 2, "
    )
    assert skipping.macro.notes[0].startswith(
        "0/0 is left out of the means (zero_division=skip): of 4 documents, muc in 2, "
    )
    assert usual.macro.notes[0] in usual.render(macro=True)
    assert ac.score_batch(KEYS, KEYS, metrics="mentions").macro.notes == ()
    nothing = ac.score_batch({"d": [[1]]}, {"d": [[1]]}, zero_division="skip").macro
    assert nothing["muc"].f1 == 0.0


ALIKE = {
    "a link, none, no mention": ([[[1, 2]], [[1], [2]], []], 100 * (1 + 2 / 3) / 3, "muc in 2, conll in 2"),
    "no link anywhere": ([[[1]], [[1], [2]]], 100 * 2 / 3, "muc in 2, conll in 2"),
    "no mention in one of two": ([[[1, 2], [3]], []], 50, "muc in 1, conll in 1"),
}


@pytest.mark.parametrize("case", ALIKE)
def test_documents_that_score_nothing_although_the_sides_are_alike(case):
    """What is 0/0 counts as 0, which a note says; or not at all."""
    documents, conll, lost = ALIKE[case]
    found = ac.score_batch(documents, documents, metrics="muc,conll").macro
    assert 100 * found.conll == pytest.approx(conll, abs=1e-12)
    assert found.notes == (f"0/0 counts as 0 in the means (zero_division=zero): of {len(documents)} documents, {lost}",)
    skipping = ac.score_batch(documents, documents, metrics="muc,conll", zero_division="skip").macro
    assert skipping.conll == float(len(documents) > int(lost[7]))
    assert skipping.notes[0].startswith("0/0 is left out of the means (zero_division=skip): of ")


def test_0_0_of_scores_that_clusterers_use_is_left_out_too():
    """The response of the second document has no mention: only recall has a denominator there, and purity none."""
    options = {"metrics": "fowlkes-mallows,purity", "zero_division": "skip"}
    macro = ac.score_labels_batch([0, 0, 1, 1], [0, 0, -1, -1], [0, 2, 4], **options).macro
    assert tuple(macro["fowlkes-mallows"]) == (0.5, 1, 0.5)
    assert macro["purity"].f1 == 1
    same = ac.score_labels_batch([0, 1], [0, 0], [0, 1, 2], metrics="vmeasure", zero_division="skip").macro
    assert (same["vmeasure"].f1, same.notes) == (1, ())


@pytest.mark.parametrize("zero_division", ["zero", "skip"])
def test_statistics_of_means_agree_with_the_means(zero_division):
    keys, response = {**KEYS, "d": [[1]]}, {**RESPONSE, "d": [[1]]}
    batches = [ac.score_batch(keys, each, zero_division=zero_division) for each in (response, {**response, "c": []})]
    found = ac.bootstrap(batches[0], average="macro", resamples=50, method="percentile")
    for metric in batches[0].metrics:
        for field, value in zip(("recall", "precision", "f1"), batches[0].macro[metric], strict=True):
            assert getattr(found[metric], field).estimate == pytest.approx(value, abs=1e-15, nan_ok=True)
    test = ac.paired_test(*batches, average="macro", metric="muc", resamples=50)
    assert test.difference == pytest.approx(batches[0].macro["muc"].f1 - batches[1].macro["muc"].f1, abs=1e-15)
    assert found.signature.average == test.signature.average == "macro"
    assert any("0/0" in note for note in test.notes)
    drawn = [batches[0][np.array(rows)].macro["muc"].recall for rows in np.ndindex(4, 4, 4, 4)]
    assert min(drawn) <= found["muc"].recall.low <= found["muc"].recall.high <= max(drawn)
