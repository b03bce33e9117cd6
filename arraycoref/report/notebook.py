"""Show results in notebooks as tables, convert them to tables of other libraries, and complete names of metrics.

This module imports nothing heavy, so that results can derive from `Shown` at no cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arraycoref.report.tables import TextTable

HEAD = 20
"""The number of settings or documents that a notebook shows of a longer list."""


def check_digits(digits: Any) -> None:
    """Refuse a number of decimals that is not valid.

    Raises:
        OptionError: ``digits`` is no whole number from 0 to 15.
    """
    from numbers import Integral

    from arraycoref.errors import OptionError

    if isinstance(digits, bool) or not isinstance(digits, Integral) or not 0 <= int(digits) <= 15:
        raise OptionError(f"digits is {digits!r}; expected a whole number, 0 to 15")


class Shown(ABC):
    """A result that can be laid out as tables and as columns."""

    @abstractmethod
    def tables(self, digits: int) -> Sequence[TextTable]:
        """Return the tables for reading.

        Args:
            digits: decimals of percentages.
        """

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, by name: lists or arrays, all of one length."""

    def caption(self, digits: int) -> Sequence[str]:
        """Return lines that describe what the tables show.

        Args:
            digits: decimals of percentages.
        """
        return ()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the result as a table of another library, numbers at full precision.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.

        Raises:
            MissingDependencyError: the backend, or every one of them, is not installed.
            UnknownNameError: there is no such backend.
        """
        from arraycoref.report.frames import table_maker

        return table_maker(backend)(self.columns())

    def to_html(self, digits: int = 2) -> str:
        """Return the tables as HTML; the caption belongs to the last table.

        Args:
            digits: decimals of percentages, 15 at most.

        Raises:
            OptionError: ``digits`` is no whole number from 0 to 15.
        """
        check_digits(digits)
        *others, last = self.tables(digits)
        return "".join([*(table.html() for table in others), last.html(self.caption(digits))])

    def _repr_html_(self) -> str:
        return self.to_html()

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that shells offer after ``result["``."""
        return list(getattr(self, "metrics", ()))
