"""A metric for Hugging Face's library evaluate, which loads it from this folder: ``evaluate.load(FOLDER)``."""

from pathlib import Path

FOLDER = str(Path(__file__).parent)
