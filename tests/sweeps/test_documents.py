"""Documents that some settings lack, and settings that are added up."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.sweeps import load_sweep, sweep
from arraycoref.sweeps.counting import BLOCK_LABELS

KEY = {
    "a": [["x", "y"], ["z"]],
    "b": [["x", "y", "z"]],
    "c": [["x"], ["y"]],
}
WHOLE = {"a": [["x"], ["y", "z"]], "b": [["x", "y"], ["z", "w"]], "c": [["x", "y"]]}
PART = {"c": [["x", "y"], ["w"]], "a": [["x", "y"], ["z"]]}
SMALL = {"b": [["x"]], "c": []}
OUTPUTS = {"whole": WHOLE, "part": PART, "small": SMALL}


@pytest.fixture
def swept():
    return sweep(KEY, OUTPUTS, missing_documents="skip")


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("n_mentions", [3, BLOCK_LABELS // 2 + 1])
def test_a_setting_has_the_documents_that_it_has(singletons, n_mentions):
    """Corpus, means, documents: all as when the setting is scored by itself; with all settings in a block, or one."""
    options = {"missing_documents": "skip", "singletons": singletons}
    key = KEY | {"b": [["x", "y", "z", *range(n_mentions - 3)]]}
    found = sweep(key, OUTPUTS, **options)
    assert found.scored.tolist() == [[True, True, True], [True, False, True], [False, True, True]]
    for output, batch in zip(OUTPUTS.values(), found, strict=True):
        alone = ac.score_batch(key, output, **options)
        assert batch == alone
        assert batch.macro["bcub"].f1 == alone.macro["bcub"].f1
    alone = [ac.score_batch(key, output, **options) for output in OUTPUTS.values()]
    for metric in found.metrics:
        assert found.score(metric).tolist() == [b[metric].f1 for b in alone]
    assert np.isnan(found.sums[1, 1]).all()
    assert not np.isnan(found.sums[found.scored]).any()


def test_shared_documents(swept):
    part = swept.on_shared_documents()
    assert part.document_names == ("c",)
    only = {name: {"c": output["c"]} for name, output in OUTPUTS.items()}
    alone = sweep({"c": KEY["c"]}, only, missing_documents="skip")
    np.testing.assert_array_equal(part.sums, alone.sums)
    assert part.settings == swept.settings
    assert part.scored.all()
    assert part.on_shared_documents() is part
    with pytest.raises(ac.InputError, match="another number of documents"):
        part + swept.select([0])
    assert sweep(KEY, {"a": PART, "b": SMALL}, missing_documents="skip").on_shared_documents().n_documents == 1


def test_statistics_ask_for_shared_documents(swept):
    with pytest.raises(ac.DocumentMismatchError, match="'b' was scored for setting whole but skipped for part"):
        swept.best()
    numbered = [({"t": t}, output) for t, output in enumerate(OUTPUTS.values())]
    with pytest.raises(ac.DocumentMismatchError, match=r"on_shared_documents\(\) keeps"):
        sweep(KEY, numbered, missing_documents="skip").plot()
    with pytest.raises(ac.DocumentMismatchError, match=r"on_shared_documents\(\) keeps"):
        sweep(KEY, numbered, missing_documents="skip").plot(confidence=None)
    with pytest.raises(ac.DocumentMismatchError, match=r"on_shared_documents\(\) keeps"):
        swept.order("muc")
    assert "scored on different documents" in repr(swept)
    assert "best" not in repr(swept)
    assert "\nbest conll: 0.00 at whole\n" in repr(sweep({"c": KEY["c"]}, {"whole": {"c": []}}))
    same = sweep(KEY, {"one": PART, "two": {**PART, "c": []}}, missing_documents="skip")
    best = same.best("muc", resamples=50)  # on the two documents that both have
    assert best.setting == "two"
    assert best.score.estimate == same[1]["muc"].f1
    with pytest.raises(ac.InputError, match="the sweep has 0 settings; expected some"):
        sweep(KEY, []).best()
    with pytest.raises(ac.InputError, match="0 documents"):
        sweep(KEY, {"one": {"a": []}, "two": {"b": []}}, missing_documents="skip").on_shared_documents().best()
    nothing = sweep(KEY, {"one": {"a": []}, "two": {"b": []}}, missing_documents="skip").on_shared_documents()
    assert repr(nothing) == f"Sweep of 2 settings, 0 documents, {', '.join(nothing.metrics)}"


def test_names_that_are_one_text():
    """The last of two documents stood for both."""
    with pytest.raises(ac.InputError, match="setting s has two documents named '1'; expected unique names"):
        sweep({"1": [["x", "y"]]}, {"s": {"1": [["x", "y"]], 1: [["x"], ["y"]]}})
    assert sweep({1: [["x", "y"]]}, {"s": {"1": [["x", "y"]]}})["muc"].f1.tolist() == [1.0]


def test_no_document_in_common(tmp_path):
    """As `score_batch` does, a sweep refuses to score nothing."""
    for responses in ({"one": {}}, {"fine": WHOLE, "one": {}}):
        with pytest.raises(ac.DocumentMismatchError, match="setting one: none of the key's 3 documents is among"):
            sweep(KEY, responses, missing_documents="skip")
    (tmp_path / "key.jsonl").write_text('{"doc_key": "a", "clusters": []}\n')
    (tmp_path / "run.jsonl").write_text('{"doc_key": "b", "clusters": []}\n')
    with pytest.raises(ac.DocumentMismatchError, match=r"run run.jsonl: none of the key's 1 documents is among"):
        ac.sweep_files(
            tmp_path / "key.jsonl",
            {"run.jsonl": tmp_path / "run.jsonl"},
            missing_documents="skip",
            extra_documents="ignore",
        )


def test_tables_and_files(swept, tmp_path):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    long = swept.to_frame("pandas", per_document=True)
    assert list(zip(long["setting"], long["document"], strict=True)) == [
        ("whole", "a"),
        ("whole", "b"),
        ("whole", "c"),
        ("part", "a"),
        ("part", "c"),
        ("small", "b"),
        ("small", "c"),
    ]
    assert long["muc_f1"].tolist() == [b["muc"].f1 for batch in swept for b in batch]
    assert isinstance(long, pandas.DataFrame)
    labelled = swept.to_xarray()
    assert isinstance(labelled, xarray.Dataset)
    totals = labelled.sums.sum("document", skipna=True)
    assert float(totals.sel(setting="part", group="muc", sum="recall_den")) == swept[1]["muc"].recall_den
    swept.save(tmp_path / "s.npz")
    again = load_sweep(tmp_path / "s.npz")
    assert again == swept
    assert (again.scored == swept.scored).all()


def test_a_checkpoint_keeps_what_was_skipped(tmp_path):
    path = tmp_path / "c.npz"
    options = {"missing_documents": "skip", "checkpoint": path}
    sweep(KEY, {"part": PART}, **options)
    found = sweep(KEY, OUTPUTS, **options)
    assert found == sweep(KEY, OUTPUTS, missing_documents="skip")


def test_files_that_lack_documents(tmp_path):
    def write(name, documents):
        lines = []
        for document, clusters in documents.items():
            numbered = [[["xyzw".index(m)] * 2 for m in cluster] for cluster in clusters]
            lines.append(f'{{"doc_key": "{document}", "clusters": {numbered}}}\n')
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    key, runs = write("key.jsonl", KEY), {name: write(f"{name}.jsonl", output) for name, output in OUTPUTS.items()}
    found = ac.sweep_files(key, runs, missing_documents="skip", threads=2)
    for path, batch in zip(runs.values(), found, strict=True):
        assert batch == ac.score_files(key, path, missing_documents="skip")
    np.testing.assert_allclose(found.sums, sweep(KEY, OUTPUTS, missing_documents="skip").sums)
    with pytest.raises(ac.DocumentMismatchError, match="run part: the response lacks 1 of 3"):
        ac.sweep_files(key, runs)
    with pytest.raises(ac.DocumentMismatchError, match="setting part: the response lacks 1 of 3"):
        sweep(KEY, OUTPUTS)


def test_gold_metrics_pass_over_skipped_documents():
    gold = {"a": [["x", "y", "z"]], "c": [["x", "y"]]}
    found = sweep(KEY, {"gold": gold}, metrics="rand", missing_documents="skip")
    assert found[0] == ac.score_batch(KEY, gold, metrics="rand", missing_documents="skip")
    with pytest.raises(ac.InputError, match="gold mentions only"):
        sweep(KEY, {"gold": gold}, metrics="rand", missing_documents="empty")


def test_pooled():
    """The sums of a system's seeds, as one scoring of all its outputs would add them."""
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 201, 20)
    key, responses = rng.integers(0, 5, 200), rng.integers(0, 5, (6, 200))
    settings = {"system": ["x", "y"], "seed": [1, 2, 3]}
    found = sweep(key, responses, offsets, settings=settings, names=[f"d{d}" for d in range(10)])
    pools = found.pooled("system")
    assert list(pools) == ["x", "y"]
    for system, rows in (("x", responses[:3]), ("y", responses[3:])):
        whole = ac.score_labels_batch(np.tile(key, 3), rows.ravel(), np.arange(0, 601, 20))
        for metric in found.metrics:
            assert pools[system][metric].f1 == pytest.approx(whole[metric].f1, abs=1e-14)
        assert pools[system].names == found.document_names
    assert ac.compare(pools, resamples=100).n_tests == 1
    assert list(found.pooled("seed")) == [1, 2, 3]
    with pytest.raises(ac.InputError, match="values of system have 2 to 3 settings"):
        found.select([0, 1, 2, 3, 4]).pooled("system")
    with pytest.raises(ac.UnknownNameError, match="unknown parameter 'sysem'"):
        found.pooled("sysem")
    with pytest.raises(ac.InputError, match="setting 0 has no parameters; expected a dict with 'system': runs"):
        sweep(key, responses, offsets).pooled("system")


def test_pools_share_their_documents():
    settings = [{"system": "x"}, {"system": "y"}]
    lacking = sweep(KEY, zip(settings, (WHOLE, PART), strict=True), missing_documents="skip")
    with pytest.raises(ac.DocumentMismatchError, match="on_shared_documents"):
        lacking.pooled("system")
    assert lacking.on_shared_documents().pooled("system")["y"].names == ("a", "c")
