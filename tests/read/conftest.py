"""A reader of text, as a file has it: of CoNLL, where the module of tests names no other ``SUFFIX``."""

import pytest

from arraycoref.read import read_documents


@pytest.fixture
def read(tmp_path, request):
    def reader(text: str | bytes, **options):
        path = tmp_path / f"x{getattr(request.module, 'SUFFIX', '.conll')}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_documents(path, **options)

    return reader
