"""Compute attributes, and import modules, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar, overload

from arraycoref.errors import MissingDependencyError

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  # named like the one of functools that it stands for
    """What `functools.cached_property` is from Python 3.12 on: without a lock.

    Until then one lock serves all objects of a class: threads would wait for each other's, and a process forked while
    another thread holds it would wait for good. Here two threads that ask one object at once may both compute.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> cached_property[T] | T:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value


def need(module: str, what: str, extra: str) -> ModuleType:
    """Import a module of a package that not every installation has.

    Args:
        module: the module.
        what: what needs which package, for the message: ``tables need narwhals``.
        extra: the extra of arraycoref that installs it.

    Raises:
        MissingDependencyError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependencyError(f"{what}; install with: pip install 'arraycoref[{extra}]'") from error


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """Return the ``__getattr__`` of a package whose modules are imported when they are first named."""

    def fetch(name: str) -> ModuleType:
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":  # of something else that the module needs
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return fetch
