"""The command ``arraycoref``. A subcommand, and what does its work, is imported when it runs."""

from arraycoref.cli.main import main

__all__ = ["main"]
