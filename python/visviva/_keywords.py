"""How members of C structs are called in Python; for what is generated and what runs."""
from __future__ import annotations

import difflib
import os
import re
from typing import Any, Mapping, Sequence, Union

from numpy.typing import NDArray

Vector = Union[Sequence[float], NDArray[Any]]
Path = Union[str, "os.PathLike[str]"]

# members that are no keyword: the library's own, and those for which Python has another way
INTERNAL = ("internalValue", "userData", "host")
# members whose name Python uses for something else
RENAMED = {"self": "self_contact", "list": "vertices", "lambda": "lambda_", "minJ": "min_j", "detF": "det_f"}


def snake(name: str) -> str:
    if name in RENAMED:
        return RENAMED[name]
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name)


def given(**values: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {k: v for k, v in values.items() if v is not None}


def nearest(word: str, words: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, words, 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def unknown_keyword(where: str, word: str, known: Sequence[str]) -> TypeError:
    hint = nearest(word, known) or "; there are: " + ", ".join(known)
    return TypeError(f"{where + ': ' if where else ''}there is no '{word}'{hint}")


def refuse(where: str, unknown: Mapping[str, Any], known: Sequence[str]) -> None:
    for word in unknown:
        raise unknown_keyword(where, word, known)
