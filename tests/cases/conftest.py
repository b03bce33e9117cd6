"""Run the command line on the files of this folder."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from arraycoref.cli import main


@pytest.fixture
def run(monkeypatch, request):
    """Run ``arraycoref`` in the folder that the test module names in ``FOLDER``; it ends, and without a traceback."""
    monkeypatch.chdir(Path(__file__).parent / request.module.FOLDER)

    def command(*arguments):
        done = CliRunner(env={"COLUMNS": None}).invoke(main, list(map(str, arguments)), prog_name="arraycoref")
        assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
        return done

    return command
