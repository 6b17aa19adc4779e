/* The solves of triple_body.h in single and in double precision. */
#include "base/simd.h"
#include "solve/triple_kernel.h"

#include <string.h>

#if defined(__AVX512F__)
enum { PART_BYTES = 64 }; /* a register */
#elif defined(__AVX__)
enum { PART_BYTES = 32 };
#else
enum { PART_BYTES = 16 };
#endif
enum { PARTS = 64 / PART_BYTES };

#define REAL float
#define NAME(name) VV_PASTE(single, name)
#include "solve/triple_body.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(name) VV_PASTE(double, name)
#include "solve/triple_body.h"

const vv_triple_kernels *VV_KERNEL(vv_triple_single)(void)
{
    static const vv_triple_kernels kernels = { single_forward, single_backward, single_store };
    return &kernels;
}

const vv_triple_kernels *VV_KERNEL(vv_triple_double)(void)
{
    static const vv_triple_kernels kernels = { double_forward, double_backward, double_store };
    return &kernels;
}
