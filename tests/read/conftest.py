"""A reader of CoNLL text, as a file has it."""

import pytest

from arraycoref.read import read_documents


@pytest.fixture
def read(tmp_path):
    def reader(text: str | bytes, **options):
        path = tmp_path / "x.conll"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_documents(path, **options)

    return reader
