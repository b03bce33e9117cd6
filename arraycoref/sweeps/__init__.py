"""Score one key against the responses of many settings, counted in blocks as ordinary batches; see `Sweep`."""

from arraycoref.sweeps.choice import Choice, choose
from arraycoref.sweeps.files import sweep_files
from arraycoref.sweeps.linkage import sweep_antecedents, sweep_linkage, sweep_pairs
from arraycoref.sweeps.repeats import Averages, average, concat, pool
from arraycoref.sweeps.responses import sweep
from arraycoref.sweeps.result import Sweep, load_sweep
from arraycoref.sweeps.settings import grid

__all__ = [
    "Averages",
    "Choice",
    "Sweep",
    "average",
    "choose",
    "concat",
    "grid",
    "load_sweep",
    "pool",
    "sweep",
    "sweep_antecedents",
    "sweep_files",
    "sweep_linkage",
    "sweep_pairs",
]
