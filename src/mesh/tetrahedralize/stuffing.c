/* Isosurface stuffing: F. Labelle, J. R. Shewchuk, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral
 * Angles", SIGGRAPH 2007, with uniform tets.
 *
 * Lattice points of the body-centred cubic lattice have doubled integer coordinates, all even or all odd; long edges
 * join points of one kind (length a), short ones points of both (length a sqrt(3)/2). A point closer than alpha times
 * the edge to a place where the surface cuts one of its edges is warped there (sign 0). What is left of each lattice
 * tet inside the surface matches one of a few stencils. Quadrilateral sides are cut from the deeper of their two inner
 * corners: this orders all lattice points, so neighbours agree and every prism splits into three tets; the paper's
 * parity rule is not needed, as vv_make_smooth follows. */
#include "mesh/tetrahedralize/stuffing.h"

#include "base/memory.h"
#include "mesh/generate/make.h"

#include <math.h>
#include <string.h>

#define ALPHA_LONG 0.24999
#define ALPHA_SHORT 0.41189

enum { EDGES = 7 }; /* each edge belongs to its end with the smaller coordinate; 3 long, then 4 short */
static const int edge_step[EDGES][3] = { { 2, 0, 0 },  { 0, 2, 0 },  { 0, 0, 2 },  { 1, 1, 1 },
                                         { 1, 1, -1 }, { 1, -1, 1 }, { 1, -1, -1 } };

typedef struct lattice {
    const vv_solid *solid;
    double half;  /* a / 2 */
    int first[3]; /* doubled coordinates of the first point, even */
    int cells[3];
    int even, points; /* number of even points, and of all */
    double *value;    /* of the function; 0 once warped */
    double *position;
    int *vertex; /* vertex + 1 of each lattice point; 0: none yet */
    int *cut;    /* the same for each edge */
    vv_builder builder;
    int visited, stage;
    bool stopped;
} lattice;

/* Index of the point at doubled coordinates p, relative to `first`; -1 outside. */
static int point_at(const lattice *l, const int p[3])
{
    int odd = p[0] & 1, index = 0;
    for (int k = 0; k < 3; k++) {
        int count = l->cells[k] + 1 - odd, i = (p[k] - odd) / 2;
        if (p[k] < odd || i >= count)
            return -1;
        index = index * count + i;
    }
    return odd ? l->even + index : index;
}

static void set_point(lattice *l, const int p[3])
{
    int index = point_at(l, p);
    double *x = l->position + 3 * (size_t)index;
    for (int k = 0; k < 3; k++)
        x[k] = l->half * (l->first[k] + p[k]);
    l->value[index] = l->solid->distance(l->solid->arg, x);
}

static bool stops(lattice *l)
{
    static const double parts[] = VV_STUFFING_PARTS;
    double from = parts[l->stage], to = parts[l->stage + 1];
    if (!l->stopped && l->solid->stop)
        l->stopped = l->solid->stop(l->solid->arg, from + (to - from) * l->visited++ / (l->points > 0 ? l->points : 1));
    return l->stopped;
}

static void for_all_points(lattice *l, int stage, void (*visit)(lattice *l, const int p[3]))
{
    l->stage = stage;
    l->visited = 0;
    for (int odd = 0; odd < 2; odd++)
        for (int i = odd; i <= 2 * l->cells[0]; i += 2)
            for (int j = odd; j <= 2 * l->cells[1]; j += 2)
                for (int k = odd; k <= 2 * l->cells[2] && !stops(l); k += 2)
                    visit(l, (int[]){ i, j, k });
}

/* Where the function is zero between points a (value fa) and b, which have opposite signs: false position with the
 * Illinois modification. */
static void find_cut(const lattice *l, int a, int b, double x[3])
{
    const double *xa = l->position + 3 * (size_t)a, *xb = l->position + 3 * (size_t)b;
    double s = 0, t = 1, fs = l->value[a], ft = l->value[b];
    for (int i = 0; i < 60; i++) {
        double u = s - fs * (t - s) / (ft - fs);
        for (int k = 0; k < 3; k++)
            x[k] = xa[k] + u * (xb[k] - xa[k]);
        double fu = l->solid->distance(l->solid->arg, x);
        if (fabs(fu) <= 1e-13 * l->half || t - s < 1e-14)
            return;
        if ((fu < 0) == (ft < 0)) {
            t = u;
            ft = fu;
            fs /= 2;
        } else {
            s = t;
            fs = ft;
            t = u;
            ft = fu;
        }
        if (s > t) {
            double swap = s;
            s = t;
            t = swap;
            swap = fs;
            fs = ft;
            ft = swap;
        }
    }
}

static bool opposite(double f, double g) { return (f < 0 && g > 0) || (f > 0 && g < 0); }

/* Warps a point to the nearest of the cuts that are too close to it. Later points see the warped ones, which have no
 * cuts. */
static void warp_point(lattice *l, const int p[3])
{
    int a = point_at(l, p);
    double best[3] = { 0, 0, 0 }, nearest = INFINITY;
    const double *xa = l->position + 3 * (size_t)a;
    for (int e = 0; e < 2 * EDGES; e++) {
        int q[3], sign = e < EDGES ? 1 : -1;
        for (int k = 0; k < 3; k++)
            q[k] = p[k] + sign * edge_step[e % EDGES][k];
        int b = point_at(l, q);
        if (b < 0 || !opposite(l->value[a], l->value[b]))
            continue;
        double x[3], limit = e % EDGES < 3 ? 2 * ALPHA_LONG : sqrt(3) * ALPHA_SHORT;
        if (sign > 0)
            find_cut(l, a, b, x);
        else
            find_cut(l, b, a, x);
        double d =
            sqrt((x[0] - xa[0]) * (x[0] - xa[0]) + (x[1] - xa[1]) * (x[1] - xa[1]) + (x[2] - xa[2]) * (x[2] - xa[2]));
        if (d < limit * l->half && d < nearest) {
            nearest = d;
            memcpy(best, x, sizeof best);
        }
    }
    if (nearest < INFINITY) {
        memcpy(l->position + 3 * (size_t)a, best, sizeof best);
        l->value[a] = 0;
    }
}

/* ---- stencils ------------------------------------------------------------------------------------------------ */

/* A corner of a lattice tet. */
typedef struct corner {
    int p[3], index;
    double value;
} corner;

static int corner_vertex(lattice *l, const corner *c)
{
    const double *x = l->position + 3 * (size_t)c->index;
    if (!l->vertex[c->index])
        l->vertex[c->index] = vv_make_vertex(&l->builder, x[0], x[1], x[2]) + 1;
    return l->vertex[c->index] - 1;
}

static int cut_vertex(lattice *l, const corner *c, const corner *d)
{
    int e = 0;
    for (; e < 2 * EDGES; e++) {
        const int *step = edge_step[e % EDGES];
        int s = e < EDGES ? 1 : -1;
        if (d->p[0] - c->p[0] == s * step[0] && d->p[1] - c->p[1] == s * step[1] && d->p[2] - c->p[2] == s * step[2])
            break;
    }
    int from = e < EDGES ? c->index : d->index, to = e < EDGES ? d->index : c->index;
    int *slot = l->cut + EDGES * (size_t)from + (size_t)(e % EDGES);
    if (!*slot) {
        double x[3];
        find_cut(l, from, to, x);
        *slot = vv_make_vertex(&l->builder, x[0], x[1], x[2]) + 1;
    }
    return *slot - 1;
}

/* Two corners inside, two outside. */
static void wedge(lattice *l, const corner *in, const corner *out)
{
    vv_builder *b = &l->builder;
    int a0 = corner_vertex(l, &in[0]), a1 = corner_vertex(l, &in[1]);
    int c00 = cut_vertex(l, &in[0], &out[0]), c01 = cut_vertex(l, &in[0], &out[1]);
    int c10 = cut_vertex(l, &in[1], &out[0]), c11 = cut_vertex(l, &in[1], &out[1]);
    if (b->failed)
        return;
    vv_make_tet(b, a0, a1, c10, c11);
    bool first = vv_make_distance2(b, c00, c11) <
                 vv_make_distance2(b, c10, c01); /* the surface's own quadrilateral: no neighbour needs to agree */
    vv_make_tet(b, a0, c00, c10, first ? c11 : c01);
    vv_make_tet(b, a0, first ? c00 : c10, c11, c01);
}

static void prism(lattice *l, const corner *in, const corner *out)
{
    int a[3], c[3];
    for (int i = 0; i < 3; i++) {
        a[i] = corner_vertex(l, &in[i]);
        c[i] = cut_vertex(l, &in[i], out);
    }
    vv_make_tet(&l->builder, a[0], a[1], a[2], c[2]);
    vv_make_tet(&l->builder, a[0], a[1], c[1], c[2]);
    vv_make_tet(&l->builder, a[0], c[0], c[1], c[2]);
}

/* Corners sorted by value, the deepest first: `in` negative ones, then `zero` ones, then those outside. */
static void stencil(lattice *l, const corner *c, int in, int zero)
{
    int out = 4 - in - zero;
    if (in == 0)
        return;
    if (in == 2 && out == 2) {
        wedge(l, c, c + 2);
    } else if (in == 3 && out == 1) {
        prism(l, c, c + 3);
    } else if (in == 2 && out == 1) {
        int a = corner_vertex(l, &c[0]), b = corner_vertex(l, &c[1]), z = corner_vertex(l, &c[2]);
        int ac = cut_vertex(l, &c[0], &c[3]), bc = cut_vertex(l, &c[1], &c[3]);
        vv_make_tet(&l->builder, z, a, b, bc);
        vv_make_tet(&l->builder, z, a, bc, ac);
    } else { /* all corners in, or one */
        int v[4];
        for (int i = 0; i < 4; i++)
            v[i] = i < in + zero ? corner_vertex(l, &c[i]) : cut_vertex(l, &c[0], &c[i]);
        vv_make_tet(&l->builder, v[0], v[1], v[2], v[3]);
    }
}

static void lattice_tet(lattice *l, int p[4][3])
{
    corner c[4];
    int in = 0, zero = 0;
    for (int i = 0; i < 4; i++) {
        corner made = { .index = point_at(l, p[i]) };
        if (made.index < 0)
            return;
        memcpy(made.p, p[i], sizeof made.p);
        made.value = l->value[made.index];
        in += made.value < 0;
        zero += made.value == 0;
        int at = i;
        for (; at > 0 &&
               (c[at - 1].value > made.value || (c[at - 1].value == made.value && c[at - 1].index > made.index));
             at--)
            c[at] = c[at - 1];
        c[at] = made;
    }
    stencil(l, c, in, zero);
}

/* The four tets around each long edge between odd points; visiting even points would find them again. */
static void tets_of_point(lattice *l, const int p[3])
{
    if (!(p[0] & 1))
        return;
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        static const int turn[5][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 }, { -1, -1 } };
        for (int side = 0; side < 4; side++) {
            int c[4][3];
            for (int i = 0; i < 4; i++)
                memcpy(c[i], p, sizeof c[i]);
            c[1][axis] += 2;
            for (int i = 0; i < 2; i++) {
                c[2 + i][axis] += 1;
                c[2 + i][u] += turn[side + i][0];
                c[2 + i][v] += turn[side + i][1];
            }
            lattice_tet(l, c);
        }
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

static vvStatus set_size(lattice *l, vvError *error)
{
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        double low = floor(l->solid->low[k] / (2 * l->half)), high = ceil(l->solid->high[k] / (2 * l->half));
        cells *= high - low;
        if (!(cells < 8.0 * VV_GENERATOR_TETS / 12))
            return vv_make_check(12 * cells / 8, "tets", "make 'edge' larger", error);
        l->first[k] = 2 * (int)low;
        l->cells[k] = (int)(high - low);
    }
    l->even = (l->cells[0] + 1) * (l->cells[1] + 1) * (l->cells[2] + 1);
    l->points = l->even + l->cells[0] * l->cells[1] * l->cells[2];
    return VV_OK;
}

vvStatus vv_make_stuffed(const vv_solid *solid, double edge, vvMesh *mesh, vvError *error)
{
    lattice l = { .solid = solid, .half = edge / 2 };
    vvStatus status = set_size(&l, error);
    if (status != VV_OK)
        return status;
    size_t n = (size_t)l.points;
    l.value = vv_alloc(n, sizeof *l.value);
    l.position = vv_alloc(3 * n, sizeof *l.position);
    l.vertex = vv_alloc(n, sizeof *l.vertex);
    l.cut = vv_alloc(EDGES * n, sizeof *l.cut);
    if (l.value && l.position && l.vertex && l.cut) {
        for_all_points(&l, 0, set_point);
        for_all_points(&l, 1, warp_point);
        for_all_points(&l, 2, tets_of_point);
    } else {
        l.builder.failed = true;
    }
    vv_free(l.value);
    vv_free(l.position);
    vv_free(l.vertex);
    vv_free(l.cut);
    double tets = (double)l.builder.tets.count;
    status = vv_make_done(&l.builder, mesh, error);
    if (status == VV_OK && l.stopped)
        status = vv_fail_cancelled(error);
    if (status == VV_OK)
        status = vv_make_check(tets, "tets", "make 'edge' larger", error);
    if (status == VV_OK)
        status = vv_mesh_boundary(mesh, NULL, error);
    if (status != VV_OK)
        vvMeshDestroy(mesh);
    return status;
}
