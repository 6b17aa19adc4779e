"""Describes the extension module visviva._vv to setuptools (cffi_modules): declarations from the public headers, the C
of support.c, and libvisviva, which is linked statically.

Environment:
  VISVIVA_BUILD   a build folder that has libvisviva.a; without it ../build, and where that has none one is built here
"""
import os
import pathlib
import shlex
import subprocess
import sys

from cffi import FFI

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402
import headers  # noqa: E402

ROOT = HERE.parent


def library_folder():
    """A build folder with the library in it."""
    named = os.environ.get("VISVIVA_BUILD")
    folder = pathlib.Path(named).resolve() if named else ROOT / "build"
    if (folder / "libvisviva.a").exists():
        return folder
    if named:
        sys.exit(f"visviva: {folder} has no libvisviva.a; build it: cmake --build {folder} --target visviva_static")
    folder = HERE / "build" / "library"
    print(f"visviva: building the library in {folder}")
    settings = ["-DCMAKE_BUILD_TYPE=Release", "-DVV_TESTS=OFF", "-DVV_EXAMPLES=OFF", "-DVV_SHARED=OFF"]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *settings], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "visviva_static", "--parallel", "2"], check=True)
    return folder


def link_flags(folder):
    """What the library needs, from its pkg-config file. Its own symbols stay inside the module."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder / "package")}
    found = subprocess.run(["pkg-config", "--static", "--libs", "visviva"], env=environment, capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"visviva: pkg-config cannot read {folder}/package/visviva.pc: {found.stderr}")
    flags = [f for f in shlex.split(found.stdout) if f != "-lvisviva" and not (f.startswith("-L") and "package" in f)]
    return ["-Wl,--exclude-libs,libvisviva.a", *flags]


def version_check():
    """The header's version as constants, for visviva to compare with the library's."""
    return "".join(f"#define VV_VERSION_{part} ...\n" for part in ("MAJOR", "MINOR", "PATCH"))


def make():
    folder = library_folder()
    generate.write()
    program = folder / "visviva"
    (HERE / "visviva" / "_built.py").write_text(
        f'"""Made by build_extension.py: where this package was built."""\nPROGRAM = {str(program)!r}\n')
    ffi = FFI()
    ffi.cdef(version_check() + headers.declarations() + (HERE / "support.h").read_text())
    sanitize = shlex.split(os.environ.get("VISVIVA_SANITIZE", ""))
    ffi.set_source("visviva._vv", (HERE / "support.c").read_text(), include_dirs=[str(ROOT / "include")],
                   extra_objects=[str(folder / "libvisviva.a")], extra_link_args=[*link_flags(folder), *sanitize],
                   extra_compile_args=["-O2", *sanitize], py_limited_api=True)
    return ffi


if __name__ == "__main__":
    make().compile(tmpdir=str(HERE), verbose=True)
else:
    ffi = make()
