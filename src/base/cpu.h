/* Which variant of the kernels runs on this processor. */
#ifndef VV_BASE_CPU_H
#define VV_BASE_CPU_H

typedef enum vv_isa { VV_ISA_BASE, VV_ISA_AVX2, VV_ISA_AVX512 } vv_isa;
/* The best variant that was built and the processor supports; VISVIVA_ISA=base|avx2 in the environment lowers it, to one that was built (for tests). */
vv_isa vv_cpu_isa(void);
const char *vv_isa_name(vv_isa isa);

/* A function or table of the kernels for AVX-512, and of the plain ones. Where these were left out, as this machine has no use for them
 * (VV_KERNELS=native), it is that of AVX2. Both numbers are defined for the files alone that have one of these macros in them, so that few are
 * compiled anew where they change. */
#if !defined(VV_AVX512_KERNELS)
#define VV_AVX512(name) name##_: run_cmake_again
#elif VV_AVX512_KERNELS
#define VV_AVX512(name) name##_avx512
#else
#define VV_AVX512(name) name##_avx2
#endif
#if defined(VV_PLAIN_KERNELS) && !VV_PLAIN_KERNELS
#define VV_PLAIN(name) name##_avx2
#else
#define VV_PLAIN(name) name##_base
#endif

#endif
