"""Score one key against the responses of many settings, counted in blocks as ordinary batches; see `Sweep`."""

from arraycoref.scoring.settings import grid
from arraycoref.sweeps.cuts import sweep_antecedents, sweep_linkage, sweep_pairs
from arraycoref.sweeps.files import sweep_files
from arraycoref.sweeps.pairs import score_pairs
from arraycoref.sweeps.responses import sweep
from arraycoref.sweeps.result import Sweep, average, choose, concat, load_sweep, pool
from arraycoref.sweeps.variants import Variants, score_variants

__all__ = [
    "Sweep",
    "Variants",
    "average",
    "choose",
    "concat",
    "grid",
    "load_sweep",
    "pool",
    "score_pairs",
    "score_variants",
    "sweep",
    "sweep_antecedents",
    "sweep_files",
    "sweep_linkage",
    "sweep_pairs",
]
