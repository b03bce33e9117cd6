"""Compile the kernels of tagger evaluation, before a cluster or an image needs them."""

from __future__ import annotations

WORDS = b"1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\t_\tADP\t_\t_\t0\t_\t_\t_\n2\tdem\t_\tDET\t_\t_\t0\t_\t_\t_\n"


def warmup() -> None:
    """Run each kernel once on a few words, so that its machine code is on disk."""
    from arraycoref.tagging.api import score_comparison, score_tags
    from arraycoref.tagging.errors_by import category_errors
    from arraycoref.tagging.matching import compare_texts
    from arraycoref.tagging.read import read_conllu
    from arraycoref.tagging.tagsets import load_tagset

    comparison = compare_texts(read_conllu(WORDS, "gold"), read_conllu(WORDS, "system"), tagset=load_tagset("ud"))
    score_comparison(comparison)
    category_errors(comparison)
    score_tags([["X", "Y"]], ["X"])
