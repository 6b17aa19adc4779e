/* Eight doubles side by side, as a GCC/Clang vector extension: kernels are written once, lane = element.
 *
 * Files that include this are compiled several times, once per instruction set (cmake/layers.cmake), and one variant is
 * chosen at run time (base/simd/variant.h). With -ffp-contract=off all variants give the same bits. */
#ifndef VV_BASE_SIMD_SIMD_H
#define VV_BASE_SIMD_SIMD_H

#include <stdint.h>

#ifndef VV_ISA
#define VV_ISA base
#endif
#define VV_PASTE2(a, b) a##_##b
#define VV_PASTE(a, b) VV_PASTE2(a, b)
/* The name of a table or function in the variant that is being compiled, and the declaration of all its variants. */
#define VV_KERNEL(name) VV_PASTE(name, VV_ISA)
#define VV_VARIANTS(type, name) extern type name##_base, name##_avx2, name##_avx512

enum { VV_LANES = 8 };
typedef double vv_d8 __attribute__((vector_size(64)));
typedef int64_t vv_i8 __attribute__((vector_size(64))); /* comparison masks: 0 or -1 */

#define VV_INLINE static inline __attribute__((always_inline))

/* A function of which there is to be one instance, whatever it is called with: it compiles once. */
#if defined(__clang__)
#define VV_ONE_INSTANCE __attribute__((noinline))
#else
#define VV_ONE_INSTANCE __attribute__((noinline, noclone))
#endif

#endif
