/* Elements that are inside out: which materials without a barrier against it allow. */
#include "base/vec.h"
#include "mesh/tet10.h"
#include "world/bodies/regions.h"
#include "world/world.h"

#include <stdio.h>

static double volume6(const double *x, const int *tet)
{
    double a[3], b[3], c[3], n[3];
    const double *origin = x + 3 * (size_t)tet[0];
    vv_sub(x + 3 * (size_t)tet[1], origin, a);
    vv_sub(x + 3 * (size_t)tet[2], origin, b);
    vv_sub(x + 3 * (size_t)tet[3], origin, c);
    vv_cross(a, b, n);
    return vv_dot(n, c);
}

/* Element t: det F somewhere in it, least and with the sign of the least; the nodes of its corners. */
static double least_j(const vvWorld *w, const vv_body *b, int t, const int **corners)
{
    if (b->tet10_count) {
        *corners = b->tets10 + 10 * (size_t)t;
        return vv_tet10_least_det(w->state.q, *corners) / volume6(w->rest, *corners);
    }
    *corners = b->tets + 4 * (size_t)t;
    return volume6(w->state.q, *corners) / volume6(w->rest, *corners);
}

static void look_at(const vvWorld *w, const vv_body *b, vvInverted *out)
{
    for (int t = 0; t < (b->tet10_count ? b->tet10_count : b->tet_count); t++) {
        const int *tet;
        double j = least_j(w, b, t, &tet);
        out->tets += j <= 0;
        if (j > 0 || (out->tets > 1 && j >= out->detF))
            continue;
        out->detF = j;
        out->model = vv_material_of_tet(b, t)->def.model;
        snprintf(out->body, sizeof out->body, "%s", b->name);
        for (size_t k = 0; k < 3; k++) {
            out->point[k] = 0;
            for (int i = 0; i < 4; i++)
                out->point[k] += 0.25 * w->state.q[3 * (size_t)tet[i] + k];
        }
    }
}

void vvWorldInverted(const vvWorld *w, vvInverted *out)
{
    if (!out)
        return;
    *out = (vvInverted){ .model = "" };
    for (size_t b = 0; vv_world_readable(w) && b < w->body_count; b++)
        if (!w->bodies[b].kinematic)
            look_at(w, w->bodies + b, out);
}
