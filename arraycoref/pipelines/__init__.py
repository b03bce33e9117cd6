"""arraycoref inside numerical pipelines: arrays and tables of others, accumulators, metric functions, readers."""
