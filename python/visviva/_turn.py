"""Turns: one thread at a time may use a world.

`world._turn` is {0: thread} while a thread uses the world, else {}. setdefault takes the turn at once; it is given back
where no signal's handler can come between (Python lets these in where functions begin and calls return), so that an
exception of a handler leaves no turn taken. Code that is called often has these lines in itself."""
from __future__ import annotations

from functools import wraps
from threading import get_ident
from typing import Any, Callable, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def in_turn(method: F) -> F:
    """A method of a world, or of a thing of one, during all of which no other thread may use the world: the addresses
    and the counts that the library tells belong together."""

    @wraps(method)
    def whole(self: Any, *args: Any, **values: Any) -> Any:
        world = getattr(self, "world", self)
        me, turn = get_ident(), world._turn
        first = turn.get(0) != me
        try:
            if turn.setdefault(0, me) != me:
                first = False
                raise world._busy()
            return method(self, *args, **values)
        finally:
            if first and 0 in turn and turn[0] == me:
                del turn[0]

    return cast(F, whole)
