"""Which library this is, and that it is the one whose headers the module was compiled with."""
from __future__ import annotations

from ._errors import Error
from ._generated import VERSION
from ._struct import text
from ._vv import lib


def check_version(library: str, header: tuple[int, int, int], generated: tuple[int, int, int]) -> None:
    """Raises Error where library, compiled headers and typed layer are not of one version."""
    if library != ".".join(map(str, header)) or header != generated:
        raise Error(f"visviva: the library is version {library}, the headers that its Python module was compiled with are "
                    f"{'.'.join(map(str, header))}, and the typed layer is of {'.'.join(map(str, generated))}. Install the "
                    "package anew: scripts/python-venv, or pip install --force-reinstall ./python")


def version() -> str:
    """ "MAJOR.MINOR.PATCH" of the library (vvVersion)."""
    return text(lib.vvVersion())


def build_description() -> str:
    """Compiler, optional parts and instruction sets (vvBuildDescription)."""
    return text(lib.vvBuildDescription())


__version__ = version()
check_version(__version__, (lib.VV_VERSION_MAJOR, lib.VV_VERSION_MINOR, lib.VV_VERSION_PATCH), VERSION)
