# the extension module that cffi makes: the library's functions and constants (lib), and C's types (ffi)
from typing import Any

ffi: Any
lib: Any
