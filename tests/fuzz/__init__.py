"""Fuzzing: functions that take any bytes, and hold readers and labels to what they promise.

`registry.TARGETS` names them. ``python -m tests.fuzz TARGET --minutes 5`` runs one for long, guided by coverage, which
needs atheris; `test_fuzz` runs each over its corpus, over what was once found, and over random changes of these.
"""
