/* Eight doubles side by side, as a GCC/Clang vector extension: kernels are written once, lane = element.
 *
 * Files that include this are compiled several times, once per instruction set (CMakeLists.txt: vv_kernels), and selected
 * at run time (base/cpu.h). VV_KERNEL(name) gives a function its instruction set's suffix. With -ffp-contract=off
 * all variants give the same bits. */
#ifndef VV_BASE_SIMD_H
#define VV_BASE_SIMD_H

#include <stdint.h>

#ifndef VV_ISA
#define VV_ISA base
#endif
#define VV_PASTE2(a, b) a##_##b
#define VV_PASTE(a, b) VV_PASTE2(a, b)
#define VV_KERNEL(name) VV_PASTE(name, VV_ISA)

enum { VV_LANES = 8 };
typedef double vv_d8 __attribute__((vector_size(64)));
typedef int64_t vv_i8 __attribute__((vector_size(64))); /* comparison masks: 0 or -1 */

#define VV_INLINE static inline __attribute__((always_inline))

#endif
