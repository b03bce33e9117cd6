"""What importing and warming up do."""

import subprocess
import sys

from arraycoref.warming import warmup

HEAVY = "numba scipy pandas polars pyarrow narwhals sklearn xarray matplotlib torch click concurrent.futures"


def test_imports_are_light():
    code = (
        "import sys, arraycoref.sweeps, arraycoref.pipelines.accumulator, arraycoref.pipelines.clustering\n"
        "import arraycoref.pipelines.tables, arraycoref.pipelines.readers\n"
        f"print(*[name for name in {HEAVY.split()!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_warmup():
    warmup()
