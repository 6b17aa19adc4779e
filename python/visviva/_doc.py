"""Ties Python's functions to those of the library: which they stand for, and what the headers say of these."""
from __future__ import annotations

from typing import Any, Callable, TypeVar

from ._generated import COMMENTS

F = TypeVar("F", bound=Callable[..., Any])

BOUND: dict[str, list[str]] = {}  # {"vvWorldStep": ["World.step", ...]}


def bound(*names: str) -> Callable[[F], F]:
    """Names the library's functions that a function stands for, and adds their comments to its docstring."""

    def add(function: F) -> F:
        lines = [function.__doc__ or ""]
        for name in names:
            BOUND.setdefault(name, []).append(f"{function.__module__}.{function.__qualname__}")
            comment = COMMENTS[name]
            if comment:
                lines.append(f"    {name}: " + comment.replace("\n", "\n    "))
        function.__doc__ = "\n\n".join(line for line in lines if line)
        return function

    return add
