"""Single values that a caller gives: numbers, whole numbers, words and paths. What cannot be one is refused by the name of
the argument."""
from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from ._keywords import Path

# what the integers of C hold
RANGES = {"int": (-(2**31), 2**31 - 1), "int32_t": (-(2**31), 2**31 - 1), "int64_t": (-(2**63), 2**63 - 1), "uint32_t": (0, 2**32 - 1),
          "unsigned int": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1), "size_t": (0, 2**64 - 1)}


def short(value: Any) -> str:
    """A value in a message."""
    try:
        said = " ".join(repr(value).split())
    except Exception:  # its own, or an integer of thousands of digits
        said = f"a {type(value).__name__}"
    return said if len(said) <= 60 else said[:57] + "..."


def number(value: Any, where: str) -> float:
    if type(value) is float:
        return float(value)
    if not isinstance(value, (str, bytes, bytearray, np.datetime64, np.timedelta64)) and not np.iscomplexobj(value):
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{where}: a number up to 1.8e308 is needed, not {short(value)}") from None
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{where}: a number is needed, not {short(value)}")


def whole(value: Any, where: str, kind: str = "int") -> int:
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{where}: a whole number is needed, not {short(value)}") from None
    low, high = RANGES[kind]
    if not low <= found <= high:
        raise ValueError(f"{where}: a whole number from {low} to {high} is needed, not {short(value)}")
    return found


def flag(value: Any, where: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{where}: True or False is needed, not {short(value)}")
    return bool(value)


def word(value: Any, where: str) -> bytes:
    """Text as C takes it."""
    if not isinstance(value, str):
        raise TypeError(f"{where}: text is needed, not {short(value)}")
    if "\0" in value:
        raise ValueError(f"{where}: text without a zero byte is needed, not {short(value)}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{where}: text that UTF-8 can hold is needed, not {short(value)}") from None


def path_bytes(path: Path, where: str = "path") -> bytes:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{where}: a path is needed, not {short(path)}")
    try:
        out = os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(f"{where}: a path that the file system can hold is needed, not {short(path)}") from None
    if b"\0" in out:
        raise ValueError(f"{where}: a path without a zero byte is needed, not {short(path)}")
    return out
