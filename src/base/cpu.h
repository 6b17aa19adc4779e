/* Which variant of the kernels runs on this processor. */
#ifndef VV_BASE_CPU_H
#define VV_BASE_CPU_H

typedef enum vv_isa { VV_ISA_BASE, VV_ISA_AVX2, VV_ISA_AVX512 } vv_isa;
/* The best variant that was built and the processor supports; VISVIVA_ISA=base|avx2 in the environment lowers it (for tests). */
vv_isa vv_cpu_isa(void);
const char *vv_isa_name(vv_isa isa);

/* A function or table of the AVX-512 kernels. Where these were left out (VV_KERNELS=native) it is that of AVX2, and vv_cpu_isa goes no further.
 * VV_AVX512_KERNELS is defined for the files alone that have this macro in them, so that few are compiled anew where it changes. */
#if !defined(VV_AVX512_KERNELS)
#define VV_AVX512(name) name##_: run_cmake_again
#elif VV_AVX512_KERNELS
#define VV_AVX512(name) name##_avx512
#else
#define VV_AVX512(name) name##_avx2
#endif

#endif
