"""Compute attributes, and import modules, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar, overload

from arraycoref.errors import MissingDependencyError

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  # named like the one of functools
    """Compute an attribute once, without a lock, as `functools.cached_property` does from Python 3.12 on.

    Before 3.12, all objects of a class share one lock: a thread would wait until another has computed the attribute of
    another object, and a process that is forked while a thread holds the lock would wait for ever. Without a lock, two
    threads that ask for the attribute of one object at the same time may both compute it.
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
            if error.name != f"{package}.{name}":  # the module exists, but another that it imports does not
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return fetch
