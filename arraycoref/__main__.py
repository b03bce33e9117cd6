"""``python -m arraycoref`` is the command ``arraycoref``."""

import os
import sys


def run() -> None:
    """Run the command line as a process of its own.

    Ctrl-C is handled from the first line on: until `Interrupts` can be imported, it ends the process without a word.
    """
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from arraycoref.interrupt import Interrupts

    Interrupts().install()
    from arraycoref.cli import main

    main(prog_name="arraycoref")


def leave_working_directory() -> None:
    """Import nothing more from the working directory, which ``-m`` puts first, unless this package comes from there."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not sys.flags.safe_path and sys.path[0] != home and sys.path[0] == os.getcwd():
        del sys.path[0]


if __name__ == "__main__":
    leave_working_directory()
    run()
