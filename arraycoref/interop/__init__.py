"""Connect to other libraries: tables, Parquet files, scikit-learn, coreference tools; sum scores batch by batch."""

from arraycoref.lazy import modules_of

__getattr__ = modules_of(__name__)
