"""Results as text, JSON, dictionaries and tables.

A result is shown by a `Report` (`formats.py`), which offers tables (`table.py`), rows and a dictionary; each of
`FORMATS` writes any report, and escapes names (`escapes.py`). Reports of scores are here (`scores.py`), those of
rankings, sweeps and taggers beside what they show. Scoring itself needs no more of this than `signature.py`.
"""
