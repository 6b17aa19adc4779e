/* Choosing the variant of a kernel: a table or function that was compiled once per instruction set (base/simd/simd.h).
 *
 * All kernels are chosen by these two macros, so that none of them can be left behind. */
#ifndef VV_BASE_SIMD_VARIANT_H
#define VV_BASE_SIMD_VARIANT_H

#include "base/simd/cpu.h"
#include "base/simd/kernels_built.h"

/* The address of the variant of `name` for an instruction set that was built, and for the one in use on this
 * processor. */
#define VV_VARIANT(isa, name)                         \
    ((isa) == VV_ISA_AVX512 ? VV_VARIANT_AVX512(name) \
     : (isa) == VV_ISA_AVX2 ? VV_VARIANT_AVX2(name)   \
                            : VV_VARIANT_BASE(name))
#define VV_VARIANT_HERE(name) VV_VARIANT(vv_cpu_isa(), name)

/* In the place of what was not built, and so is never chosen, the linker finds what was. */
#if VV_BUILT_BASE
#define VV_VARIANT_BASE(name) (&name##_base)
#elif VV_BUILT_AVX2
#define VV_VARIANT_BASE(name) (&name##_avx2)
#else
#define VV_VARIANT_BASE(name) (&name##_avx512)
#endif
#if VV_BUILT_AVX2
#define VV_VARIANT_AVX2(name) (&name##_avx2)
#else
#define VV_VARIANT_AVX2 VV_VARIANT_BASE
#endif
#if VV_BUILT_AVX512
#define VV_VARIANT_AVX512(name) (&name##_avx512)
#else
#define VV_VARIANT_AVX512 VV_VARIANT_AVX2
#endif

#endif
