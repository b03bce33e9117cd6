"""An accumulator gives what one scoring of all documents gives."""

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.interop.accumulator import Accumulator

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.integers(-1, 5, 600), rng.integers(-1, 5, 600), np.arange(0, 601, 20)


def close(found, batch):
    assert found.metrics == batch.metrics
    for metric in batch.metrics:
        assert found[metric].f1 == pytest.approx(batch[metric].f1, rel=1e-13)


def test_batches_of_labels(data):
    key, response, offsets = data
    whole = ac.score_labels_batch(key, response, offsets)
    accumulator = Accumulator(keep_documents=True)
    for d in range(0, 30, 10):
        some = slice(20 * d, 20 * d + 200)
        alone = accumulator(key[some], response[some], offsets[:11])
        assert alike(alone, ac.score_labels_batch(key[some], response[some], offsets[:11]).corpus)
    assert accumulator.n_documents == 30
    close(accumulator.compute(), whole)
    assert alike(accumulator.documents(), whole)
    accumulator.reset()
    with pytest.raises(ValueError, match="nothing was added"):
        accumulator.compute()
    assert len(accumulator.documents()) == 0


def test_padded_rows(data):
    key, response, offsets = data
    padded = np.full((2, 30, 25), -1)
    padded[:, :, :20] = np.reshape([key, response], (2, 30, 20))
    accumulator = Accumulator("conll,blanc")
    accumulator.update(*padded)
    close(accumulator.compute(), ac.score_labels_batch(key, response, offsets, metrics="conll,blanc"))
    assert accumulator.n_documents == 30
    with pytest.raises(ac.InputError, match="key has 25 labels and response 3 in document 0; expected"):
        accumulator.update(padded[0], padded[1][:, :3])


def test_clusters_and_one_document():
    key, response = [["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]]
    accumulator = Accumulator()
    accumulator.update(key, response)
    accumulator.update({"x": key}, {"x": response})
    accumulator.update([0, 0, 0, 1, -1], [-1, 0, 0, 1, 1])
    accumulator.add(ac.score(key, response))
    close(accumulator.compute(), ac.score_batch([key] * 4, [response] * 4))


def test_merge(data):
    key, response, offsets = data
    whole = ac.score_labels_batch(key, response, offsets, metrics="muc,lea")
    first, second = (Accumulator("muc,lea", keep_documents=True) for _ in range(2))
    for d in range(30):
        (second if d % 2 else first).update(key[20 * d : 20 * d + 20], response[20 * d : 20 * d + 20])
    first.merge(second)
    close(first.compute(), whole)
    order = [*range(0, 30, 2), *range(1, 30, 2)]
    assert first.documents().counts["lea"].tolist() == whole.counts["lea"][order].tolist()
    assert "30 documents" in repr(first)


def test_states_of_processes_add_up(data):
    key, response, offsets = data
    parts = [Accumulator("muc,bcub") for _ in range(2)]
    for part, *rows in zip(parts, key.reshape(2, 15, 20), response.reshape(2, 15, 20), strict=True):
        part.update(*rows)
    reduced = Accumulator("muc,bcub")
    reduced.state[...] = sum(part.state for part in parts)  # in its place, as an all-reduce does
    assert reduced.n_documents == 30
    close(reduced.compute(), ac.score_labels_batch(key, response, offsets, metrics="muc,bcub"))


def test_what_does_not_fit():
    accumulator = Accumulator("muc")
    with pytest.raises(ac.InputError, match="signature"):
        accumulator.add(ac.score([["a"]], [["a"]], beta=2))
    with pytest.raises(ac.InputError, match="unknown metric 'muc'"):
        accumulator.add(ac.score([["a"]], [["a"]], metrics="bcub"))
    with pytest.raises(ac.InputError, match=r"other accumulator has bcub under .*; expected muc under"):
        accumulator.merge(Accumulator("bcub"))
    with pytest.raises(ac.InputError, match="label"):
        accumulator.update([0, 1], [0])
    assert not accumulator.state.any()


def test_corpora_count_all_their_documents(data):
    whole, kept = ac.score_labels_batch(*data, metrics="muc"), Accumulator("muc", keep_documents=True)
    accumulator = Accumulator("muc")
    accumulator.add(whole.corpus)
    accumulator.add(accumulator.compute())
    assert accumulator.n_documents == 60
    close(accumulator.compute(), whole)
    kept.add(whole[0])
    assert kept.documents().counts["muc"].tolist() == whole.counts["muc"][:1].tolist()
    kept.add(whole.corpus)
    with pytest.raises(ac.InputError, match="the state has 31 documents; 2 of them are kept here"):
        kept.documents()


def test_names_are_kept():
    accumulator, one = Accumulator("muc", keep_documents=True), [["a", "b"]]
    accumulator.update({"x": one}, {"x": [["a"], ["b"]]})
    accumulator.update({"y": one}, {"y": one})
    assert [accumulator.documents()[name]["muc"].recall for name in "xy"] == [0, 1]
    with pytest.raises(ac.InputError, match="'x' was added before"):
        accumulator.update({"x": one}, {"x": one})
    assert accumulator.n_documents == 2


def test_tensors():
    torch = pytest.importorskip("torch")
    accumulator = Accumulator("muc")
    accumulator.update(torch.tensor([[0, 0, -1], [0, 1, 1]]), torch.tensor([[0, 0, -1], [0, 0, 0]]))
    torch.from_numpy(accumulator.state).mul_(2)
    assert accumulator.n_documents == 4
    assert accumulator.compute()["muc"].recall_den == 4


def test_parts_of_scores_are_added(data):
    whole, accumulator = ac.score_labels_batch(*data), Accumulator()
    accumulator.add(whole[:10])
    accumulator.add(whole[10:])
    close(accumulator.compute(), whole)
    with pytest.raises(ac.InputError, match="the scores have signature"):
        accumulator.add(ac.score_labels_batch(*data, beta=2))


def test_ragged_batches(data):
    """Lists of vectors that are equally long, pair by pair, are documents; lists of lists are clusters."""
    key, response, _ = data
    cuts = np.cumsum([3, 0, 90, 7])
    ragged = np.split(key, cuts), np.split(response, cuts)
    accumulator = Accumulator(keep_documents=True)
    accumulator.update(*ragged)
    accumulator.update(*map(tuple, ragged))
    whole = ac.score_labels_batch(key, response, [0, *cuts, 600])
    assert alike(accumulator.documents()[:5].counts.rows, whole.counts.rows)
    assert accumulator.n_documents == 10
    clusters = [[0, 1], [2]], [[0], [1, 2]]
    for sides in (clusters, [list(map(np.array, side)) for side in clusters]):  # of other lengths
        assert Accumulator()(*sides)["muc"].f1 == ac.score(*clusters)["muc"].f1
    assert Accumulator()([[0, 1], [2]], [[0, 1], [5]])["mentions"].recall_den == 3


@pytest.mark.parametrize("step", [1, 2])
def test_documents_of_which_no_mention_is_left(step):
    key, response = (
        np.array([[0, 0, 1], [0, 0, -1], [0, 0, 0], [-1, 0, 0]]),
        [[0, 0, 1], [-1, -1, 0], [0, 0, 1], [0] * 3],
    )
    whole = ac.score_labels_batch(key.ravel(), np.ravel(response), np.arange(5) * 3, restrict="shared")
    accumulator = Accumulator(restrict="shared", keep_documents=True)
    for d in range(0, 4, step):
        accumulator.update(key[d : d + step], response[d : d + step])
    close(accumulator.compute(), whole)
    assert accumulator.documents().counts.rows.tolist() == whole.counts.rows.tolist()
    assert len(whole) == 3
