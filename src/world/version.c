/* Version and build text. */
#include "base/cpu.h"
#include "visviva/base.h"

const char *vvVersion(void) { return "0.1.0"; }

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if !defined(VV_HAVE_CHOLMOD)
#define PARTS ", without CHOLMOD"
#elif defined(VV_HAVE_SUPERNODAL)
#define PARTS ", CHOLMOD with its supernodal module (GPL)"
#else
#define PARTS ", CHOLMOD without its supernodal module"
#endif

const char *vvBuildDescription(void)
{
    static const char *const text[] = { COMPILER PARTS ", instruction set base", COMPILER PARTS ", instruction set avx2",
                                        COMPILER PARTS ", instruction set avx512" };
    return text[vv_cpu_isa()];
}
