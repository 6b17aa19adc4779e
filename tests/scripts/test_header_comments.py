#!/usr/bin/env python3
"""Every public function, member and enumerator has a comment, and every array its shape, in the form that include/visviva/base.h
describes and python/headers.py reads; and the reader finds what is missing."""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.dont_write_bytecode = True
import headers  # noqa: E402

BASE = """/* base */
#define VV_VERSION_MAJOR 0
#define VV_VERSION_MINOR 3
#define VV_VERSION_PATCH 0
typedef struct vvThing {
    int count; /* how many */
    double *values; /* %s */
    int lone;%s
} vvThing;
/* Does it. %s */
VV_API void vvDo(const vvThing *thing, double *positions);
VV_API double vvShared(const vvThing *thing); /* m */

VV_API int vvAlone(void);%s
"""


def found(*parts):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "visviva.h").write_text('/* all */\n#include "base.h"\n')
        (pathlib.Path(folder) / "base.h").write_text(BASE % parts)
        return list(headers.faults(headers.parse(folder)))


def main():
    failures = []
    good = ("[count] m", " /* alone */", "Arrays: positions[n x 3].", " /* one */")
    if found(*good):
        failures.append(f"what is right is found wrong: {found(*good)}")
    for i, bad, word in ((0, "m", "does not begin with its shape"), (1, "", "vvThing.lone has no comment"),
                         (2, "", "the shape of positions is not said"), (2, "Arrays: positons[n].", "positions is not said"),
                         (3, "", "vvAlone has no comment")):
        wrong = found(*good[:i], bad, *good[i + 1:])
        if not any(word in w for w in wrong):
            failures.append(f"not found: {word}, but {wrong}")
    api = headers.parse()
    failures += headers.faults(api)
    if len(api.functions) < 250 or len(api.structs) < 80:
        failures.append(f"only {len(api.functions)} functions and {len(api.structs)} structs were read")
    print("\n".join(failures) or f"{len(api.functions)} functions, {len(api.structs)} structs: all have their comments and shapes")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
