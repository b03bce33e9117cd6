"""Ctrl-C ends the command with a line and status 130, whatever it is doing: no traceback, no half file."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from arraycoref.saving import remove_unfinished

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130  # exit status that shells report for SIGINT
PATIENCE = 1.0  # seconds that compiled code may go on after Ctrl-C


class Interrupts:
    """Handle Ctrl-C in the process of a command.

    The first Ctrl-C ends the command in order: a sweep writes its checkpoint. The process ends at once on a second
    Ctrl-C; on the first, if compiled code keeps Python from noticing it for `PATIENCE` seconds; and on one that comes
    where Python ignores exceptions. `KeyboardInterrupt` is never raised: click would end the command with status 1.
    """

    def __init__(self) -> None:
        self.noticed = False

    def install(self) -> None:
        """Replace Python's handler of SIGINT; do nothing on Windows, or if the signal is ignored (``nohup``)."""
        if os.name != "posix" or signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, signal.SIG_DFL):
            return
        self.reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self._end_in_order)
        sys.unraisablehook = self._not_ignored
        threading.Thread(target=self._watch, daemon=True).start()

    def _end_in_order(self, _number: int, _frame: FrameType | None) -> NoReturn:
        if self.noticed:
            end_at_once()
        self.noticed = True
        _tell()
        raise SystemExit(INTERRUPTED)

    def _watch(self) -> None:
        """Wait, in a thread, for the signals that the main thread may be slow to notice."""
        if _next_interrupt(self.reader, None) and (_next_interrupt(self.reader, PATIENCE) or not self.noticed):
            if not self.noticed:
                _tell()
            end_at_once()
        if _next_interrupt(self.reader, None):
            end_at_once()

    def _not_ignored(self, unraisable: sys.UnraisableHookArgs) -> None:
        """End the process if the exception that Python is about to ignore, as in ``__del__``, was raised by Ctrl-C.

        After Ctrl-C, other ignored exceptions come from objects that the interrupt left half made; they are not shown.
        """
        if not self.noticed:
            sys.__unraisablehook__(unraisable)
        elif issubclass(unraisable.exc_type, SystemExit):
            end_at_once()


def end_at_once() -> NoReturn:
    """Remove unfinished files and end the process, without unwinding the stack."""
    remove_unfinished()
    os._exit(INTERRUPTED)


def _tell() -> None:
    """Print that the command was interrupted, without Python's buffers, which may be in use.

    Also show the cursor again, which a progress bar may have hidden.
    """
    os.write(2, b"\x1b[?25h\narraycoref: interrupted\n" if os.isatty(2) else b"arraycoref: interrupted\n")


def _next_interrupt(reader: int, seconds: float | None) -> bool:
    """Return whether SIGINT comes within some seconds, or at all if they are None; other signals do not count."""
    while select.select([reader], [], [], seconds)[0]:
        if os.read(reader, 1) == bytes([signal.SIGINT]):
            return True
    return False
