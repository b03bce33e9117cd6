"""``python -m arraycoref`` is the command ``arraycoref``."""

from arraycoref.cli import run

if __name__ == "__main__":
    run()
