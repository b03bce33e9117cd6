"""On a cluster of processes: the numbers of memory, a worker that dies, progress, the command."""

import os
import signal
import time

import numpy as np
import pytest
from click.testing import CliRunner
from long_tables import assert_close, frame, random_rows, write_parquet

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.interop.dask import score_table
from marks import process, slow

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pytestmark = process


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options, memory_limit=0) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(1, timeout=600)
        yield client


@pytest.fixture(scope="module")
def rows():
    return random_rows(np.random.default_rng(20), n_documents=30, order="scattered")


@pytest.fixture(scope="module")
def expected(rows):
    return ac.score_table(*map(frame, rows))


def part(number, table, n_parts, victim=None, marker=None):
    """A partition, whose making kills its own process if it is the victim: once, with a file to remember it by."""
    if number == victim and (marker is None or not os.path.exists(marker)):
        if marker is not None:
            open(marker, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return table.iloc[number * len(table) // n_parts : (number + 1) * len(table) // n_parts]


def in_parts(rows, n_parts, **death):
    table = frame(rows)
    return dd.from_map(part, range(n_parts), table=table, n_parts=n_parts, meta=table.iloc[:0], **death)


def test_data_frames(client, rows, expected):
    calls = []
    found = score_table(in_parts(rows[0], 6), in_parts(rows[1], 4), progress=lambda *call: calls.append(call))
    assert_close(found, expected)
    assert calls == [(done, 6) for done in range(1, 7)]
    corpus = score_table(in_parts(rows[0], 3), in_parts(rows[1], 5), client=client, keep_documents=False)
    assert alike(corpus["muc"], found["muc"])


def test_a_worker_that_dies(client, rows, expected, tmp_path):
    marker, calls = str(tmp_path / "died"), []
    sides = in_parts(rows[0], 6), in_parts(rows[1], 6, victim=4, marker=marker)
    assert_close(score_table(*sides, progress=lambda *call: calls.append(call)), expected)
    assert os.path.exists(marker)
    assert [done for done, _ in calls] == list(range(1, len(calls) + 1))


@pytest.mark.parametrize("scheduler", [True, False])
def test_command(cluster, rows, expected, tmp_path, scheduler):
    folders = [str(write_parquet(tmp_path / side, some)) for side, some in zip(("key", "response"), rows, strict=True)]
    address = ["--scheduler", cluster.scheduler_address] if scheduler else ["--threads", "2"]
    done = CliRunner().invoke(main, ["score", *folders, "--engine", "dask", *address, "--format", "csv", "--progress"])
    assert done.exit_code == 0, done.output
    printed = CliRunner().invoke(main, ["score", *folders, "--format", "csv"])
    assert done.stdout == printed.stdout


def test_nobody_at_the_address(tmp_path, rows):
    dask = pytest.importorskip("dask")
    folder = str(write_parquet(tmp_path / "key", rows[0]))
    expected = {"tcp://127.0.0.1:9": "Timed out trying to connect", "nowhere": "expected an address such as tcp://host"}
    for address, reason in expected.items():
        with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}):
            done = CliRunner().invoke(main, ["score", folder, folder, "--engine", "dask", "--scheduler", address])
        assert done.exit_code == 1
        assert reason in done.stderr


@slow
def test_workers_that_die_again_and_again(client, cluster, rows):
    cluster.scheduler.allowed_failures = 0  # the last test: the cluster is not as it was
    with pytest.raises(ac.ArraycorefError, match="workers died again and again over one task"):
        score_table(in_parts(rows[0], 2), in_parts(rows[1], 2, victim=1))
