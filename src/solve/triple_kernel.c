/* The solves of triple_body.h in single and in double precision. */
#include "base/simd.h"
#include "solve/triple_kernel.h"

#include "solve/triple_rows.h"

#include <string.h>

enum { AHEAD = 12 }; /* nodes that lie scattered are asked for so much earlier */

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
    static const vv_triple_kernels kernels = { single_forward, single_backward, single_begin_up, single_up,
                                                   single_begin_down, single_down, single_settle, single_end_down, single_store };
    return &kernels;
}

const vv_triple_kernels *VV_KERNEL(vv_triple_double)(void)
{
    static const vv_triple_kernels kernels = { double_forward, double_backward, double_begin_up, double_up,
                                                   double_begin_down, double_down, double_settle, double_end_down, double_store };
    return &kernels;
}
