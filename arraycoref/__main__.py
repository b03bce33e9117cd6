"""``python -m arraycoref`` is the command ``arraycoref``."""

import os
import sys


def run() -> None:
    """Run the command line as a process of its own; Ctrl-C ends it with a line and status 130."""
    # OpenBLAS starts a thread per core when NumPy is imported, which takes a tenth of a second; no command needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from arraycoref.cli import main

        main(prog_name="arraycoref")
    except KeyboardInterrupt:  # while modules are imported; later, the commands handle it
        print("arraycoref: interrupted", file=sys.stderr)
        sys.exit(130)


def leave_working_directory() -> None:
    """Import nothing more from the working directory, which ``-m`` puts first, unless this package comes from there."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and sys.path[0] != home and sys.path[0] == os.getcwd():
        del sys.path[0]


if __name__ == "__main__":
    leave_working_directory()
    run()
