/* The volume under a face with shape functions N_i, V = 1/3 int x . (x_u x x_v) du dv, and its derivatives.
 *
 * Of order 2 V has a term of each of the 20 triples of nodes: weight / 6 times their determinant, the weights from the
 * integrals of the N_i. The gradient of V is the pressure's force int N_i (x_u x x_v) du dv,
 * less 1/3 int N_i (x x x_s) ds along each side, which the neighbour there has with the other sign. */
#include "energy/points/face.h"

#include "base/vec.h"

#include <string.h>

static const signed char flat_triple[1][3] = { { 0, 1, 2 } };
static const double flat_weight[1] = { 1 };
const vv_face vv_face_flat = { 3, 1, flat_triple, flat_weight };

static const signed char order2_triple[20][3] = {
    { 0, 1, 2 },                           /* the corners */
    { 0, 1, 3 }, { 1, 2, 4 }, { 2, 0, 5 }, /* a side */
    { 1, 0, 4 }, { 1, 0, 5 }, { 2, 1, 5 },
    { 2, 1, 3 }, { 0, 2, 3 }, { 0, 2, 4 }, /* its ends, another's middle */
    { 0, 3, 4 }, { 0, 4, 5 }, { 1, 4, 5 },
    { 1, 5, 3 }, { 2, 5, 3 }, { 2, 3, 4 }, /* a corner, not between its middles */
    { 0, 3, 5 }, { 1, 4, 3 }, { 2, 5, 4 }, /* and between them */
    { 3, 4, 5 },                           /* the middles */
};
static const double order2_weight[20] = {
    2 / 15.0, 3 / 15.0, 3 / 15.0, 3 / 15.0, 5 / 15.0, 5 / 15.0, 5 / 15.0,  5 / 15.0,  5 / 15.0,  5 / 15.0,
    4 / 15.0, 4 / 15.0, 4 / 15.0, 4 / 15.0, 4 / 15.0, 4 / 15.0, 24 / 15.0, 24 / 15.0, 24 / 15.0, 16 / 15.0,
};
const vv_face vv_face_order2 = { 6, 20, order2_triple, order2_weight };

const signed char vv_face_within[VV_FACE_NODES] = { 0, 4, 8, 9, 10, 11 };

void vv_face_gradient(const vv_face *face, double (*at)[3], double scale, double (*out)[3])
{
    double c[3];
    for (int i = 0; i < face->triples; i++) {
        const signed char *v = face->triple[i];
        const double f = scale * face->weight[i];
        for (int k = 0; k < 3; k++) {
            vv_cross(at[v[(k + 1) % 3]], at[v[(k + 2) % 3]], c);
            for (int j = 0; j < 3; j++)
                out[v[k]][j] += f * c[j];
        }
    }
}

/* Of a straight side both ends get (x_a x x_b) / 6; of three nodes, the end, the middle and the other end get these
 * parts of a x m, m x b and a x b. */
static const double side_share[3][3] = { { 3 / 15.0, -1 / 45.0, -1 / 30.0 },
                                         { 4 / 15.0, 4 / 15.0, -2 / 45.0 },
                                         { -1 / 45.0, 3 / 15.0, -1 / 30.0 } };

static void side_of(double (*at)[3], const int v[3], double scale, double (*out)[3])
{
    double c[3][3];
    vv_cross(at[v[0]], at[v[1]], c[0]);
    vv_cross(at[v[1]], at[v[2]], c[1]);
    vv_cross(at[v[0]], at[v[2]], c[2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                out[v[i]][j] += scale * side_share[i][k] * c[k][j];
}

static void rim_of_triangle(double (*x)[3], double (*at)[3], double scale, double (*out)[3])
{
    double n[3], c[3];
    vv_triangle_normal(x[0], (const int[]){ 0, 1, 2 }, n);
    for (int k = 0; k < 3; k++) {
        vv_cross(at[(k + 1) % 3], at[(k + 2) % 3], c);
        for (int j = 0; j < 3; j++)
            out[k][j] += scale / 6 * (n[j] - c[j]);
    }
}

void vv_face_rim(const vv_face *face, double (*x)[3], const double *apex, double scale, double (*out)[3])
{
    double at[VV_FACE_NODES][3];
    for (int i = 0; i < face->nodes; i++)
        vv_sub(x[i], apex, at[i]);
    if (face->nodes == 3)
        rim_of_triangle(x, at, scale, out);
    for (int k = 0; face->nodes == 6 && k < 3; k++)
        side_of(at, (const int[]){ k, 3 + k, (k + 1) % 3 }, scale, out);
}

void vv_face_area(double (*x)[3], double (*out)[3])
{
    double at[VV_FACE_NODES][3];
    for (int i = 0; i < VV_FACE_NODES; i++)
        vv_sub(x[i], x[0], at[i]);
    memset(out, 0, VV_FACE_NODES * sizeof *out);
    vv_face_gradient(&vv_face_order2, at, 1 / 6.0, out);
    vv_face_rim(&vv_face_order2, x, x[0], 1, out);
}
