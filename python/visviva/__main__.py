"""python -m visviva: the program, with the same arguments."""
from __future__ import annotations

import os
import sys

from ._errors import UsageError
from .pictures import program


def main() -> None:
    try:
        path = program()
    except UsageError as e:
        sys.exit(f"visviva: {e}")
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
