"""Tables are warned of as text tables are: a side without mentions, mentions written or counted in two ways."""

import pytest

import arraycoref as ac
from arraycoref.interop.tables import score_parquet

pytestmark = pytest.mark.usefixtures("engine")

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

DOCUMENTS = ["a"] * 6 + ["b"] * 6
NUMBERS = [*range(6), *range(6)]
PADDED = [f"{n:02}" for n in NUMBERS]
LABELS = [0, 0, 1, 1, 2, 2] * 2


def by_parquet(key, response, folder, note, **options):
    sides = (folder / "key.parquet", folder / "response.parquet")
    for table, path in zip((key, response), sides, strict=True):
        table.to_parquet(path, row_group_size=4)
    return score_parquet(*map(str, sides), on_error=note, **options)


def by_dask(key, response, _, note, **options):
    dask_frame = pytest.importorskip("dask.dataframe")
    from arraycoref.interop.dask import score_table

    parts = [dask_frame.from_pandas(table, npartitions=3, sort=False) for table in (key, response)]
    return score_table(*parts, on_error=note, **options)


def spans(shift, length):
    return {"start": [3 * n + shift for n in NUMBERS], "end": [3 * n + length for n in NUMBERS]}


CASES = {
    "no mention": ({"mention": NUMBERS}, {"mention": NUMBERS, "label": [-1] * 12}, "no document of the response has"),
    "zeros": ({"mention": PADDED}, {"mention": list(map(str, NUMBERS))}, "12 would be shared if texts and numbers"),
    "others": (
        {"mention": [f"r{n}" for n in NUMBERS]},
        {"mention": [f"s{n}" for n in NUMBERS]},
        "none of 12 and 12 mentions is shared. Only the key",
    ),
    "half": ({"mention": NUMBERS}, {"mention": [n + 2 for n in NUMBERS]}, None),
    "from 1": (spans(1, 1), spans(0, 0), "12 would be shared if the starts and ends in the key were one less"),
}


@pytest.mark.parametrize("door", [by_parquet, by_dask])
@pytest.mark.parametrize("case", CASES)
def test_what_is_warned_of(case, door, tmp_path):
    key, response, reason = CASES[case]
    tables = [pandas.DataFrame({"document": DOCUMENTS, "label": LABELS} | side) for side in (key, response)]
    options = {"mention": ["start", "end"]} if "start" in key else {}
    warnings = []
    assert (door(*tables, tmp_path, warnings.append, **options)["muc"].f1 == 0.0) == (case != "half")
    assert len(warnings) == (reason is not None)
    for warning in warnings:
        assert reason in warning.reason
        assert "response" in warning.path
    if reason is not None and door is by_parquet:
        with pytest.warns(ac.ReadWarning, match=f"response: .*{reason}"):
            ac.score_table(*tables, **options)


def test_documents_of_one_side_are_no_doubt(tmp_path):
    """Of the key, ``b`` alone is in the response, whose ``c`` is passed over."""
    key = pandas.DataFrame({"document": DOCUMENTS, "mention": NUMBERS, "label": LABELS})
    warnings = []
    options = {"missing_documents": "empty", "extra_documents": "ignore"}
    response = key.replace({"document": {"a": "c"}})
    assert by_parquet(key, response, tmp_path, warnings.append, **options)["mentions"].recall == 0.5
    for profile in ("paper", "conll"):
        with pytest.raises(
            ac.DocumentMismatchError, match=r"key and response have no document in common: .* \('b'\) of the key"
        ):
            by_parquet(key[6:], response[:6], tmp_path, warnings.append, profile=profile)
    assert not warnings
