"""``python -m arraycoref`` is the command ``arraycoref``."""

import signal


def run() -> None:
    """Run the command line as a process of its own.

    Ctrl-C is met from the first line on: until `Interrupts` can be imported, it ends the process without a word.
    What is imported and compiled lives as long as the process does; to look through it for garbage again and again
    takes an eighth of the time of a short run, and to do so once more at its end a seventh.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import atexit
    import gc

    from arraycoref.interrupt import Interrupts

    Interrupts().install()
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)
    from arraycoref.cli import main

    main(prog_name="arraycoref")


if __name__ == "__main__":
    run()
