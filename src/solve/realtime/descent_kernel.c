/* The node's step: Newton's, with the 3x3 Hessian of the node alone (theory §6.13).
 *
 * H may be indefinite: its negative eigenvalues become 0, and the mass is added after that, so that the matrix A is
 * at least m I. So are then the Schur complements that are its pivots; where rounding makes one smaller (stiff in
 * another direction), it is m. */
#include "solve/realtime/descent_kernel.h"

#include "base/simd/svd8.h"

void VV_KERNEL(vv_descent)(const vv_d8 *blocks, const vv_d8 *mass, const vv_d8 away[3], vv_d8 *moves)
{
    vv_sym8 a;
    vv_d8 b[3], m = *mass, least = vv8_max(m, vv8_set(1e-200));
    for (int k = 0; k < 3; k++) {
        b[k] = -(blocks[k] + m * away[k]);
        a.d[k] = blocks[3 + k];
        a.o[k] = blocks[6 + k];
    }
    vv8_project_semidefinite(&a);
    for (int k = 0; k < 3; k++)
        a.d[k] += m;
    vv_d8 i0 = 1 / vv8_max(a.d[0], least), l1 = a.o[2] * i0, l2 = a.o[1] * i0; /* A = L D L^T */
    vv_d8 i1 = 1 / vv8_max(a.d[1] - l1 * a.o[2], least), u = a.o[0] - l1 * a.o[1], l3 = u * i1;
    vv_d8 i2 = 1 / vv8_max(a.d[2] - l2 * a.o[1] - l3 * u, least);
    b[1] -= l1 * b[0];
    b[2] -= l2 * b[0] + l3 * b[1];
    moves[2] = b[2] * i2;
    moves[1] = b[1] * i1 - l3 * moves[2];
    moves[0] = b[0] * i0 - l1 * moves[1] - l2 * moves[2];
}
