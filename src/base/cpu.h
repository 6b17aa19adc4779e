/* Which variant of the kernels runs on this processor. */
#ifndef VV_BASE_CPU_H
#define VV_BASE_CPU_H

typedef enum vv_isa { VV_ISA_BASE, VV_ISA_AVX2, VV_ISA_AVX512 } vv_isa;
/* The best variant that was built and the processor supports; VISVIVA_ISA=base|avx2 in the environment lowers it (for tests). */
vv_isa vv_cpu_isa(void);
const char *vv_isa_name(vv_isa isa);

#endif
