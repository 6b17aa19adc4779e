/* visviva new --from-ipc: lengths, and the stiffness of contact.
 *
 * IPC's d-hat, eps_v and tolerance are parts of D, the diagonal of the box of all tets, unless useAbsParameters is
 * set. Its barrier is on squared distances, k b(d2, dhat2) with b = -(d2 - dhat2)^2 ln(d2 / dhat2), without the h^2
 * of the other energies; at s = d / dhat it pushes with
 *
 *     f = (k / h^2) 2 dhat^3 s [2 (1 - s^2) ln(1 / s^2) + (1 - s^2)^2 / s^2].
 *
 * k adapts itself from a least value of 1e11 m / (4e-16 D^2 b''(1e-16 D^2)), m the mean mass of a node (Li et al.
 * 2020, their supplement). Ours pushes with kappa A [2 (1 - s) ln(1 / s) + (1 - s)^2 / s], A the area of the pair,
 * and keeps kappa. Chosen is the kappa at which both are equal at s = 1/2 under the least k, on a vertex of mean
 * area. IPC knows no areas, so there a needle pushes as hard as a floor; here nearly so, since where a point meets a
 * surface, the surface's area counts (theory, section 5.4). */
#include "ipc/ipc.h"

#include <math.h>

static double tet_volume(const vv_ipc_shape *s, int tet)
{
    double x[4][3], e[3][3];
    for (int k = 0; k < 4; k++)
        vv_ipc_point(s, s->mesh->mesh.tets[4 * tet + k], x[k]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = x[i + 1][k] - x[0][k];
    return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static double triangle_area(const vv_ipc_shape *s, int triangle)
{
    double x[3][3], a[3], b[3];
    for (int k = 0; k < 3; k++)
        vv_ipc_point(s, s->mesh->mesh.triangles[3 * triangle + k], x[k]);
    for (int k = 0; k < 3; k++) {
        a[k] = x[1][k] - x[0][k];
        b[k] = x[2][k] - x[0][k];
    }
    return 0.5 * sqrt(pow(a[1] * b[2] - a[2] * b[1], 2) + pow(a[2] * b[0] - a[0] * b[2], 2) +
                      pow(a[0] * b[1] - a[1] * b[0], 2));
}

/* Means over all shapes of tets. */
static void means(const vv_ipc *c, double *mass, double *area)
{
    double nodes = 0, corners = 0;
    *mass = *area = 0;
    for (int i = 0; i < c->shape_count; i++) {
        const vv_ipc_shape *s = &c->shapes[i];
        if (s->mesh->kind != VV_IPC_TETS)
            continue;
        double copies = (double)s->count[0] * s->count[1] * s->count[2], volume = 0, surface = 0;
        double density = isfinite(s->density) ? s->density : c->density;
        for (int t = 0; t < s->mesh->mesh.tetCount; t++)
            volume += tet_volume(s, t);
        for (int t = 0; t < s->mesh->mesh.triangleCount; t++)
            surface += triangle_area(s, t);
        nodes += copies * s->mesh->mesh.vertexCount;
        corners += copies * (2 + 0.5 * s->mesh->mesh.triangleCount); /* of a closed surface: Euler */
        *mass += copies * density * volume;
        *area += copies * surface;
    }
    *mass /= nodes;
    *area /= corners;
}

/* b'' of IPC's barrier at d2, both squared */
static double barrier_slope_rate(double d2, double dhat2)
{
    double gap = d2 - dhat2;
    return -2 * log(d2 / dhat2) - 4 * gap / d2 + gap * gap / (d2 * d2);
}

static double rounded(double value)
{
    double unit = pow(10, floor(log10(value)) - 1);
    return unit > 0 && isfinite(unit) ? round(value / unit) * unit : value;
}

static double match_stiffness(const vv_ipc *c, double distance)
{
    double mass, area, d2 = 1e-16 * c->diagonal * c->diagonal;
    means(c, &mass, &area);
    double least = c->kappa_scale * mass / (4 * d2 * barrier_slope_rate(d2, distance * distance)), s = 0.5, s2 = s * s;
    double theirs = least / (c->step * c->step) * 2 * pow(distance, 3) * s *
                    (2 * (1 - s2) * log(1 / s2) + (1 - s2) * (1 - s2) / s2);
    double ours = area * (2 * (1 - s) * log(1 / s) + (1 - s) * (1 - s) / s);
    return rounded(theirs / ours);
}

int vv_ipc_measure(const vv_ipc *c, vv_ipc_lengths *out)
{
    double unit = c->absolute ? 1 : c->diagonal;
    vv_ipc_lengths l = { .distance = c->distance * unit, .speed = c->slow * unit, .tolerance = c->tolerance * unit };
    if (c->absolute)
        l.tolerance /= c->step; /* then IPC compares the step itself with it, else the step by h */
    l.stiffness = match_stiffness(c, l.distance);
    *out = l;
    /* IPC's least stiffness is measured at 1e-8 of the diagonal */
    if (!(l.distance > 1e-8 * c->diagonal))
        return vv_cli_wrong("%s: contact acts below %.9g m (dHat), which must be more than 1e-8 of %.9g m, the "
                            "diagonal of the box of all tets",
                            c->path, l.distance, c->diagonal);
    const double all[] = { l.distance, l.speed, l.tolerance, l.stiffness };
    for (int i = 0; i < 4; i++)
        if (!(all[i] > 0 && isfinite(all[i])))
            return vv_cli_wrong("%s: the lengths, times, densities and stiffnesses of the file are out of the range of "
                                "numbers: contact would act "
                                "below %.9g m, with a stiffness of %.9g Pa, and the tolerance would be %.9g m/s",
                                c->path, l.distance, l.stiffness, l.tolerance);
    return VV_CLI_GO;
}
