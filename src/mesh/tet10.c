/* The tet of ten nodes (tet10.h): its shape at a point, its sign, its lumped mass, its subdivision. */
#include "mesh/tet10.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

const signed char vv_tet10_ends[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
const signed char vv_tet10_middle[4][4] = { { 0, 4, 6, 7 }, { 4, 1, 5, 8 }, { 6, 5, 2, 9 }, { 7, 8, 9, 3 } };

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Four points with one coordinate p and three of q, whose sum is 1; six with two of each. */
#define FOUR(p, q) \
    { p, q, q, q }, { q, p, q, q }, { q, q, p, q }, { q, q, q, p }
#define SIX(p, q) \
    { p, p, q, q }, { p, q, p, q }, { p, q, q, p }, { q, p, p, q }, { q, p, q, p }, { q, q, p, p }

static const double points_2[4][4] = { FOUR(VV_TET10_NEAR, VV_TET10_FAR) };
static const double weights_2[4] = { 0.25, 0.25, 0.25, 0.25 };

/* Walkington 2000, "Quadrature on simplices of arbitrary dimension": 14 points of degree 5. */
static const double points_5[14][4] = { FOUR(0.067342242210098170608, 0.31088591926330060980),
                                        FOUR(0.72179424906732632079, 0.092735250310891226402),
                                        SIX(0.45449629587435036433, 0.045503704125649635672) };
static const double weights_5[14] = { 0.11268792571801585080,  0.11268792571801585080,  0.11268792571801585080,
                                      0.11268792571801585080,  0.073493043116361949544, 0.073493043116361949544,
                                      0.073493043116361949544, 0.073493043116361949544, 0.042546020777081466438,
                                      0.042546020777081466438, 0.042546020777081466438, 0.042546020777081466438,
                                      0.042546020777081466438, 0.042546020777081466438 };

const vv_tet10_rule vv_tet10_rules[VV_TET10_RULES] = {
    { { "degree-2", "four points: exact for straight tets in small strains" }, 4, points_2, weights_2 },
    { { "degree-5", "14 points: exact for curved tets in small strains and affine states; 3.5 times the work" },
      14,
      points_5,
      weights_5 },
};

const vvInfo *vv_quadrature_info(int rule)
{
    return rule >= 0 && rule < VV_TET10_RULES ? &vv_tet10_rules[rule].info : NULL;
}

int vv_quadrature_find(const char *name)
{
    for (int i = 0; name && i < VV_TET10_RULES; i++)
        if (strcmp(vv_tet10_rules[i].info.name, name) == 0)
            return i;
    return 0;
}

void vv_tet10_point(int q, double l[4]) { memcpy(l, points_2[q], sizeof points_2[q]); }

/* ---- the element at a point ------------------------------------------------------------------------------------- */

/* y_a by differences from node 0: what is far from the origin keeps its digits. */
static void virtual_corner(const double *x, const int nodes[10], const double l[4], int a, double y[3])
{
    const double *origin = x + 3 * (size_t)nodes[0];
    for (int k = 0; k < 3; k++)
        y[k] = 0;
    for (int b = 0; b < 4; b++) {
        const double *at = x + 3 * (size_t)nodes[vv_tet10_middle[a][b]], by = a == b ? 4 * l[a] - 1 : 4 * l[b];
        for (int k = 0; k < 3; k++)
            y[k] += by * (at[k] - origin[k]);
    }
}

void vv_tet10_edges(const double *x, const int nodes[10], const double l[4], double d[9])
{
    double y[4][3];
    for (int a = 0; a < 4; a++)
        virtual_corner(x, nodes, l, a, y[a]);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            d[3 * k + a] = y[a + 1][k] - y[0][k];
}

/* Whether the middles are in the middle: det is the same at all corners. */
static bool is_straight(const double *x, const int nodes[10])
{
    double longest = 0, off = 0;
    for (int e = 0; e < 6; e++) {
        const double *a = x + 3 * (size_t)nodes[vv_tet10_ends[e][0]], *b = x + 3 * (size_t)nodes[vv_tet10_ends[e][1]];
        const double *m = x + 3 * (size_t)nodes[4 + e];
        for (int k = 0; k < 3; k++) {
            longest = fmax(longest, fabs(a[k] - b[k]));
            off = fmax(off, fabs(m[k] - 0.5 * (a[k] + b[k])) - 1e-12 * (fabs(a[k]) + fabs(b[k])));
        }
    }
    return off <= 1e-9 * longest;
}

/* ---- subdivision ------------------------------------------------------------------------------------------------ */

static double square_between(const double *x, int i, int j)
{
    double d[3];
    vv_sub(x + 3 * (size_t)i, x + 3 * (size_t)j, d);
    return vv_dot(d, d);
}

void vv_tet10_subdivide(const double *x, const int nodes[10], int tets[8][4])
{
    static const signed char diagonal[3][2] = { { 4, 9 }, { 5, 7 }, { 6, 8 } };
    static const signed char ring[3][4] = { { 5, 6, 7, 8 }, { 6, 4, 8, 9 }, { 4, 5, 9, 7 } };
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double length = square_between(x, nodes[diagonal[i][0]], nodes[diagonal[i][1]]);
        if (length < least * (1 - 1e-9)) /* the first of equal ones, whatever rounding says */
            least = length, best = i;
    }
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 4; k++)
            tets[t][k] = nodes[vv_tet10_middle[t][k]];
        tets[4 + t][0] = nodes[diagonal[best][0]];
        tets[4 + t][1] = nodes[diagonal[best][1]];
        tets[4 + t][2] = nodes[ring[best][t]];
        tets[4 + t][3] = nodes[ring[best][(t + 1) % 4]];
    }
}

bool vv_tet10_join(const int *tets, int nodes[10])
{
    bool fit = true;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            nodes[vv_tet10_middle[a][b]] = tets[4 * a + b];
            fit = fit && tets[4 * a + b] == tets[4 * b + a];
        }
    return fit;
}

/* The edge whose middle is nearest to the node. */
static int nearest_edge(const double *x, const int nodes[10], int node)
{
    const double *at = x + 3 * (size_t)node;
    int best = 0;
    double least = INFINITY;
    for (int e = 0; e < 6; e++) {
        const double *a = x + 3 * (size_t)nodes[vv_tet10_ends[e][0]], *b = x + 3 * (size_t)nodes[vv_tet10_ends[e][1]];
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (at[k] - 0.5 * (a[k] + b[k])) * (at[k] - 0.5 * (a[k] + b[k]));
        if (square < least)
            least = square, best = e;
    }
    return best;
}

void vv_tet10_place_middles(const double *x, int nodes[10])
{
    int placed[6] = { -1, -1, -1, -1, -1, -1 };
    for (int m = 4; m < 10; m++) {
        const int e = nearest_edge(x, nodes, nodes[m]);
        if (placed[e] >= 0)
            return;
        placed[e] = nodes[m];
    }
    memcpy(nodes + 4, placed, sizeof placed);
}

/* ---- sign of the Jacobian --------------------------------------------------------------------------------------- */

/* The Jacobian's determinant is a cubic. Its 20 Bernstein coefficients follow from the differences y_a - y_0 at the
 * corners of the element, which are linear in l: with D_i those at corner i, that of i + j + k is the mean over the
 * permutations of (i, j, k) of det[D_i column 0, D_j column 1, D_k column 2]. */
static double coefficient(double d[4][9], int i, int j, int k)
{
    const int of[3] = { i, j, k };
    static const signed char order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                             { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    double sum = 0;
    for (int p = 0; p < 6; p++) {
        double m[9];
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                m[3 * r + c] = d[of[order[p][c]]][3 * r + c];
        sum += vv_det(m);
    }
    return sum / 6;
}

/* Of the part of the element whose corners are l. */
static double least_of_part(const double *x, const int nodes[10], double l[4][4], int depth)
{
    double d[4][9], least = INFINITY, corner = INFINITY;
    for (int i = 0; i < 4; i++)
        vv_tet10_edges(x, nodes, l[i], d[i]);
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            for (int k = j; k < 4; k++) {
                const double c = coefficient(d, i, j, k);
                least = fmin(least, c);
                corner = i == k ? fmin(corner, c) : corner;
            }
    if (least > 0 || corner <= 0 || depth == 0)
        return corner <= 0 ? corner : least;
    least = INFINITY;
    for (int t = 0; t < 8; t++) { /* the parts of the first of the three diagonals */
        static const signed char part[8][4] = { { 0, 4, 6, 7 }, { 4, 1, 5, 8 }, { 6, 5, 2, 9 }, { 7, 8, 9, 3 },
                                                { 4, 9, 5, 6 }, { 4, 9, 6, 7 }, { 4, 9, 7, 8 }, { 4, 9, 8, 5 } };
        double inner[4][4];
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++) {
                const int n = part[t][k];
                inner[k][c] = n < 4 ? l[n][c] : 0.5 * (l[vv_tet10_ends[n - 4][0]][c] + l[vv_tet10_ends[n - 4][1]][c]);
            }
        const double of = least_of_part(x, nodes, inner, depth - 1);
        if (of <= 0)
            return of;
        least = fmin(least, of);
    }
    return least;
}

double vv_tet10_least_det(const double *x, const int nodes[10])
{
    if (is_straight(x, nodes))
        return vv_tet_det(x, nodes);
    double l[4][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
    return least_of_part(x, nodes, l, 4);
}

double vv_tet10_det_at_points(const double *x, const int nodes[10], int rule)
{
    double least = INFINITY;
    for (int q = 0; q < vv_tet10_rules[rule].points; q++) {
        double d[9];
        vv_tet10_edges(x, nodes, vv_tet10_rules[rule].l[q], d);
        least = fmin(least, vv_det(d));
    }
    return least;
}

/* ---- mass ------------------------------------------------------------------------------------------------------- */

/* Gauss and Legendre's five points on [0, 1]: degree 9. The square of a shape function times det is one of degree 7,
 * and the map from a cube to a tet adds 2. */
static const double gauss_at[5] = { 0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                                    0.953089922969332 };
static const double gauss_weight[5] = { 0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                        0.23931433524968324, 0.11846344252809454 };

static void add_at_point(const double *x, const int nodes[10], const double l[4], double weight, double *volume,
                         double diagonal[10])
{
    double d[9];
    vv_tet10_edges(x, nodes, l, d);
    weight *= vv_det(d);
    *volume += weight;
    for (int n = 0; n < 10; n++) {
        const double value =
            n < 4 ? l[n] * (2 * l[n] - 1) : 4 * l[vv_tet10_ends[n - 4][0]] * l[vv_tet10_ends[n - 4][1]];
        diagonal[n] += weight * value * value;
    }
}

double vv_tet10_lump(const double *x, const int nodes[10], double share[10])
{
    double volume = 0, sum = 0, diagonal[10] = { 0 };
    if (is_straight(x, nodes)) {
        for (int n = 0; n < 10; n++)
            share[n] = n < 4 ? 1.0 / 36 : 4.0 / 27;
        return vv_tet_det(x, nodes) / 6;
    }
    for (int i = 0; i < 125; i++) {
        const double u = gauss_at[i / 25], v = gauss_at[i / 5 % 5], w = gauss_at[i % 5];
        const double l[4] = { (1 - u) * (1 - v) * (1 - w), (1 - u) * (1 - v) * w, (1 - u) * v, u };
        add_at_point(x, nodes, l,
                     gauss_weight[i / 25] * gauss_weight[i / 5 % 5] * gauss_weight[i % 5] * (1 - u) * (1 - u) * (1 - v),
                     &volume, diagonal);
    }
    for (int n = 0; n < 10; n++)
        sum += diagonal[n];
    for (int n = 0; n < 10; n++)
        share[n] = diagonal[n] / sum;
    return volume;
}
