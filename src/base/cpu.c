/* Run-time choice of instruction set. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

vv_isa vv_cpu_isa(void)
{
    vv_isa best = VV_ISA_BASE;
#if defined(VV_HAVE_X86_KERNELS)
    if (__builtin_cpu_supports("avx2"))
        best = VV_ISA_AVX2;
    if (VV_AVX512_KERNELS && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        best = VV_ISA_AVX512;
#endif
    const char *wish = getenv("VISVIVA_ISA");
    if (VV_PLAIN_KERNELS && wish && strcmp(wish, "base") == 0)
        best = VV_ISA_BASE;
    if (wish && strcmp(wish, "avx2") == 0 && best > VV_ISA_AVX2)
        best = VV_ISA_AVX2;
    return best;
}

const char *vv_isa_name(vv_isa isa)
{
    static const char *const names[] = { "base", "avx2", "avx512" };
    return names[isa];
}
