"""Results as text, JSON, dictionaries and tables.

A result is shown by a `Report` (`formats.py`), which offers tables (`table.py`), rows and a dictionary. Each of
`FORMATS` can write every report, and escapes names (`escapes.py`). Reports of scores are in this package (`scores.py`);
reports of rankings, sweeps and taggers are in the packages of these results.
"""
