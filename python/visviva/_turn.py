"""Turns: one thread at a time may use a world."""
from __future__ import annotations

from functools import wraps
from typing import Any, Callable, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def in_turn(method: F) -> F:
    """A method of a world, or of a thing of one, during all of which no other thread may use the world: the addresses
    and the counts that the library tells belong together."""

    @wraps(method)
    def whole(self: Any, *args: Any, **values: Any) -> Any:
        world = getattr(self, "world", self)
        if not world._lock.acquire(False):
            raise world._busy()
        try:
            return method(self, *args, **values)
        finally:
            world._lock.release()

    return cast(F, whole)
