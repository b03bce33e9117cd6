"""arraycoref inside numerical pipelines: arrays and tables of others, accumulators, metric functions, readers."""

from arraycoref.lazy import modules_of

__getattr__ = modules_of(__name__)
