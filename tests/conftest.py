"""What differs between where tests may run: versions of what they use, and who started them."""

import functools
import inspect
import signal

from click.testing import CliRunner, Result

if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click before 8.2: standard error apart, as later
    CliRunner.__init__ = functools.partialmethod(CliRunner.__init__, mix_stderr=False)
    Result.output = property(lambda result: result.stdout + result.stderr)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as jobs in the background inherit it, and hand it on
    signal.signal(signal.SIGINT, signal.default_int_handler)
