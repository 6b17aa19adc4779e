/* Which variant of the kernels this processor runs. */
#ifndef VV_BASE_CPU_H
#define VV_BASE_CPU_H

typedef enum vv_isa { VV_ISA_BASE, VV_ISA_AVX2, VV_ISA_AVX512 } vv_isa;
/* Best of what was built and what the processor has; VISVIVA_ISA=base|avx2 in the environment lowers it (for tests). */
vv_isa vv_cpu_isa(void);
const char *vv_isa_name(vv_isa isa);

#endif
