"""``python -m arraycoref`` is the command ``arraycoref``."""

from arraycoref.cli import main

if __name__ == "__main__":
    main(prog_name="arraycoref")
