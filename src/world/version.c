/* Version and build text. */
#include "base/cpu.h"
#include "visviva/base.h"

const char *vvVersion(void) { return "0.1.0"; }

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *vvBuildDescription(void)
{
    static const char *const text[] = { COMPILER ", instruction set base", COMPILER ", instruction set avx2",
                                        COMPILER ", instruction set avx512" };
    return text[vv_cpu_isa()];
}
