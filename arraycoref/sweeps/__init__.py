"""Score one key against the responses of many settings, counted in blocks as ordinary batches; see `Runs`."""

from arraycoref.stats.run_scores import grid
from arraycoref.stats.runs import average, choose, concat, load_sweep, pool
from arraycoref.sweeps.cuts import sweep_antecedents, sweep_linkage, sweep_pairs
from arraycoref.sweeps.files import sweep_files
from arraycoref.sweeps.responses import sweep
from arraycoref.sweeps.stages import linking_stages
from arraycoref.sweeps.wrong import wrong_pairs

__all__ = [
    "average",
    "choose",
    "concat",
    "grid",
    "linking_stages",
    "load_sweep",
    "pool",
    "sweep",
    "sweep_antecedents",
    "sweep_files",
    "sweep_linkage",
    "sweep_pairs",
    "wrong_pairs",
]
