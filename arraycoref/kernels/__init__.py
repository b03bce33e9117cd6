"""Everything that numba compiles; one self-contained file a kernel. Importing this package imports numba."""
