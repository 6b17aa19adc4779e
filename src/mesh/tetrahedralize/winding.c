/* Generalized winding numbers: w(p) is the sum of the triangles' solid angles over 4 pi (A. Jacobson, L. Kavan,
 * O. Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding Numbers", SIGGRAPH 2013). Triangles
 * that are far away count by groups: one whose mean place is c, and the sum of whose area vectors is A, as
 * A . (c - p) / (4 pi |c - p|^3) (G. Barill et al., "Fast Winding Numbers for Soups and Clouds", SIGGRAPH 2018, of
 * first order). */
#include "mesh/tetrahedralize/winding.h"

#include "base/memory.h"
#include "base/vec.h"

#include <math.h>

enum { FAR = 7, NORMAL = 0, PLACE = 3, RADIUS = 6 };
/* A group is far away at so many times its radius: there first order is right to some thousandths. */
static const double far_away = 3;

/* The area vector and the mean place of a triangle; its area. */
static double measure(const vv_surface_check *s, int t, double normal[3], double place[3])
{
    const double *a = vv_surface_corner(s, t, 0), *b = vv_surface_corner(s, t, 1), *c = vv_surface_corner(s, t, 2);
    double u[3], v[3];
    vv_sub(b, a, u);
    vv_sub(c, a, v);
    vv_cross(u, v, normal);
    for (int k = 0; k < 3; k++) {
        normal[k] /= 2;
        place[k] = (a[k] + b[k] + c[k]) / 3;
    }
    return vv_norm(normal);
}

/* The radius of a node's box around a place. */
static double radius_of(const vv_box *box, const double place[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double reach = fmax(box->high[k] - place[k], place[k] - box->low[k]);
        square += reach * reach;
    }
    return sqrt(square);
}

vvStatus vv_winding_open(vv_winding *w, const vv_surface_check *surface, vvError *error)
{
    const vv_bvh *tree = &surface->tree;
    const int nodes = 2 * tree->count - 1;
    *w = (vv_winding){ .surface = surface };
    w->far = vv_alloc((size_t)nodes, FAR * sizeof *w->far);
    double *area = vv_alloc((size_t)nodes, sizeof *area);
    if (!w->far || !area) {
        vv_free(area);
        return vv_fail_memory(error, "winding numbers");
    }
    for (int i = nodes - 1; i >= 0; i--) { /* children come after their parents */
        const vv_bvh_node *node = tree->nodes + i;
        double *far = w->far + FAR * (size_t)i;
        if (!node->second) {
            area[i] = measure(surface, node->item, far + NORMAL, far + PLACE);
        } else {
            const int child[2] = { i + 1, node->second };
            area[i] = area[child[0]] + area[child[1]];
            for (int c = 0; c < 2; c++) {
                const double *of = w->far + FAR * (size_t)child[c];
                const double part = area[i] > 0 ? area[child[c]] / area[i] : 0.5;
                for (int k = 0; k < 3; k++) {
                    far[NORMAL + k] += of[NORMAL + k];
                    far[PLACE + k] += part * of[PLACE + k];
                }
            }
        }
        far[RADIUS] = radius_of(&node->box, far + PLACE);
    }
    vv_free(area);
    return VV_OK;
}

void vv_winding_close(vv_winding *w)
{
    vv_free(w->far);
    *w = (vv_winding){ 0 };
}

/* A. van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983. */
static double solid_angle(const vv_surface_check *s, int t, const double p[3])
{
    double x[3][3], length[3], c[3];
    for (int k = 0; k < 3; k++) {
        vv_sub(vv_surface_corner(s, t, k), p, x[k]);
        length[k] = vv_norm(x[k]);
    }
    vv_cross(x[1], x[2], c);
    const double above = vv_dot(x[0], c);
    const double below = length[0] * length[1] * length[2] + vv_dot(x[0], x[1]) * length[2] +
                         vv_dot(x[1], x[2]) * length[0] + vv_dot(x[2], x[0]) * length[1];
    return above == 0 && below == 0 ? 0 : 2 * atan2(above, below);
}

double vv_winding_at(const vv_winding *w, const double point[3])
{
    enum { DEPTH = 64 }; /* the tree's is at most log2 n + 1 */
    const vv_bvh *tree = &w->surface->tree;
    int stack[DEPTH], top = 0;
    double angle = 0;
    stack[top++] = 0;
    while (top) {
        const int i = stack[--top];
        const vv_bvh_node *node = tree->nodes + i;
        const double *far = w->far + FAR * (size_t)i;
        double d[3];
        vv_sub(far + PLACE, point, d);
        const double square = vv_dot(d, d), reach = far_away * far[RADIUS];
        if (square > reach * reach) {
            angle += vv_dot(far + NORMAL, d) / (square * sqrt(square));
        } else if (!node->second) {
            angle += solid_angle(w->surface, node->item, point);
        } else {
            stack[top++] = node->second;
            stack[top++] = i + 1;
        }
    }
    return angle / (4 * M_PI);
}
