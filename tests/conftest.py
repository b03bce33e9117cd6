"""What differs between the oldest supported versions of what the tests use and the newest."""

import functools
import inspect

from click.testing import CliRunner, Result

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2: standard error apart, as later
    CliRunner.__init__ = functools.partialmethod(CliRunner.__init__, mix_stderr=False)
    Result.output = property(lambda result: result.stdout + result.stderr)
