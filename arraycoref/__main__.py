"""``python -m arraycoref`` is the command ``arraycoref``."""

import signal


def run() -> None:
    """Run the command line as a process of its own.

    Ctrl-C is handled from the first line on: until `Interrupts` can be imported, it ends the process without a word.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from arraycoref.interrupt import Interrupts

    Interrupts().install()
    from arraycoref.cli import main

    main(prog_name="arraycoref")


if __name__ == "__main__":
    run()
