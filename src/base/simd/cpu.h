/* Instruction sets for which kernels are compiled, and which of them is used on this processor. */
#ifndef VV_BASE_SIMD_CPU_H
#define VV_BASE_SIMD_CPU_H

#include <stdbool.h>

/* From the least to the most. */
typedef enum vv_isa { VV_ISA_BASE, VV_ISA_AVX2, VV_ISA_AVX512, VV_ISA_COUNT } vv_isa;
const char *vv_isa_name(vv_isa isa);
/* Whether this build has kernels for it. */
bool vv_isa_built(vv_isa isa);
/* The most that was built and the processor supports; VISVIVA_ISA=base|avx2|avx512 in the environment lowers it, to
 * one that was built. */
vv_isa vv_cpu_isa(void);

#endif
