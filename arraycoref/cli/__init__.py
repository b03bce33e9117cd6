"""The command ``arraycoref``. Each subcommand imports the modules that do its work only when it runs."""

from arraycoref.cli import compare, corefud, files, score, tags  # each adds its commands to `main`
from arraycoref.cli.main import main

__all__ = ["compare", "corefud", "files", "main", "score", "tags"]
