"""What warming up compiles."""

import os
import subprocess
import sys


def test_warmup():
    """It calls every kernel that scores, but for two of the public ones."""
    modules = ["alignment", "cells", "fused", "mentions"]
    code = (
        "import importlib\n"
        "import arraycoref; arraycoref.warmup()\n"
        f"for module in {modules}:\n"
        "    for name, each in vars(importlib.import_module(f'arraycoref.kernels.{module}')).items():\n"
        "        if hasattr(getattr(each, '_cache', None), '_cache_file') and not each.signatures:\n"
        "            print(name)"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["align", "contingency_document"]
