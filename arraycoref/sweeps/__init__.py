"""Score one key against the responses of many settings, counted in blocks as ordinary batches; see `Runs`."""

from arraycoref.stats.run_scores import grid as grid
from arraycoref.stats.runs import (
    average as average,
    choose as choose,
    concat as concat,
    load_runs as load_runs,
    pool as pool,
)
from arraycoref.sweeps.cuts import (
    sweep_antecedents as sweep_antecedents,
    sweep_linkage as sweep_linkage,
    sweep_pairs as sweep_pairs,
)
from arraycoref.sweeps.files import sweep_files as sweep_files
from arraycoref.sweeps.responses import sweep as sweep
from arraycoref.sweeps.stages import linking_stages as linking_stages
from arraycoref.sweeps.wrong import wrong_pairs as wrong_pairs
