/* Run-time choice of instruction set. */
#include "base/simd/cpu.h"
#include "base/simd/kernels_built.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool built;
} isas[VV_ISA_COUNT] = {
    [VV_ISA_BASE] = { "base", VV_BUILT_BASE },
    [VV_ISA_AVX2] = { "avx2", VV_BUILT_AVX2 },
    [VV_ISA_AVX512] = { "avx512", VV_BUILT_AVX512 },
};

const char *vv_isa_name(vv_isa isa) { return isas[isa].name; }

bool vv_isa_built(vv_isa isa) { return isas[isa].built; }

/* What the flags of the compiler ask for (cmake/layers.cmake). */
static bool processor_supports(vv_isa isa)
{
#if defined(__x86_64__)
    if (isa == VV_ISA_AVX2)
        return __builtin_cpu_supports("avx2");
    if (isa == VV_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return isa == VV_ISA_BASE;
}

vv_isa vv_cpu_isa(void)
{
    const char *wish = getenv("VISVIVA_ISA");
    vv_isa most = VV_ISA_COUNT - 1, best = VV_ISA_COUNT;
    for (vv_isa isa = 0; wish && isa < VV_ISA_COUNT; isa++)
        if (strcmp(wish, isas[isa].name) == 0)
            most = isa;
    for (vv_isa isa = 0; isa < VV_ISA_COUNT; isa++)
        if (isas[isa].built && (best == VV_ISA_COUNT || (isa <= most && processor_supports(isa))))
            best = isa;
    return best;
}
