/* vvMeshFill, vvMeshFillWith: a surface as a signed distance, filled by isosurface stuffing. The distance is to the
 * nearest triangle (found with the tree), the sign is exact. One that bounds no volume is wrapped: inside is where it
 * winds around by more than a half (in either turn), and the distance is at most the edge times what is missing to a
 * half, so that it has no jumps where holes are bridged. */
#include "base/geometry/intersect.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/vec.h"
#include "mesh/repair/surface.h"
#include "mesh/tetrahedralize/stuffing.h"
#include "mesh/tetrahedralize/winding.h"

#include <math.h>
#include <stdio.h>

typedef struct nearest_query {
    const vv_surface_check *s;
    double point[3], nearest[3], best;
} nearest_query;

static double distance2(void *arg, int t)
{
    nearest_query *q = arg;
    double at[3], d[3];
    vv_nearest_of_triangle(q->point, vv_surface_corner(q->s, t, 0), vv_surface_corner(q->s, t, 1),
                           vv_surface_corner(q->s, t, 2), at);
    vv_sub(at, q->point, d);
    double square = vv_dot(d, d);
    if (square < q->best) {
        q->best = square;
        for (int k = 0; k < 3; k++)
            q->nearest[k] = at[k];
    }
    return square;
}

/* The lattice is counted from the surface's corner: far from the origin its numbers would grow too large. */
typedef struct shifted {
    const vv_surface_check *s;
    const vv_winding *winding; /* of a surface that is wrapped; NULL: it is sound */
    double origin[3], edge;
    const vvFillDef *def;
} shifted;

static nearest_query find_nearest(const shifted *from, const double x[3])
{
    nearest_query q = { .s = from->s, .best = INFINITY };
    double best = INFINITY;
    for (int k = 0; k < 3; k++)
        q.point[k] = (from->origin[k] + x[k]) * from->s->scale;
    vv_bvh_nearest(&q.s->tree, q.point, distance2, &q, &best);
    return q;
}

static double signed_distance(const void *arg, const double x[3])
{
    nearest_query q = find_nearest(arg, x);
    double distance = sqrt(q.best) / q.s->scale;
    return vv_surface_has_inside(q.s, q.point) ? -distance : distance;
}

static double wrapped_distance(const void *arg, const double x[3])
{
    const shifted *from = arg;
    nearest_query q = find_nearest(from, x);
    const double beyond = fabs(vv_winding_at(from->winding, q.point)) - 0.5;
    /* within the solid there may be more surface, at which nothing ends */
    const double distance = fmax(fmin(sqrt(q.best) / q.s->scale, from->edge * fabs(beyond)), 1e-12 * from->edge);
    return beyond > 0 ? -distance : distance;
}

static void onto_surface(const void *arg, double x[3])
{
    const shifted *from = arg;
    nearest_query q = find_nearest(from, x);
    for (int k = 0; k < 3; k++)
        x[k] = q.nearest[k] / q.s->scale - from->origin[k];
}

static bool stop(const void *arg, double done)
{
    const vvFillDef *def = ((const shifted *)arg)->def;
    if (def->watch.progress)
        def->watch.progress(def->watch.user, def->what ? def->what : "filling a surface with tets", done);
    return (def->watch.cancel && def->watch.cancel(def->watch.user)) || vv_stopped();
}

enum { SMOOTHING_PASSES = 4 };

static vvStatus fill(const vv_surface_check *s, const vv_winding *winding, double edge, const vvFillDef *def,
                     vvMesh *mesh, vvError *error)
{
    shifted from = { .s = s, .winding = winding, .edge = edge, .def = def };
    vv_solid solid = { .distance = winding ? wrapped_distance : signed_distance,
                       .project = winding ? NULL : onto_surface,
                       .arg = &from,
                       .stop = stop };
    vv_mesh_bounds(s->mesh, from.origin, solid.high);
    double diagonal[3];
    vv_sub(solid.high, from.origin, diagonal);
    for (int k = 0; k < 3; k++) {
        solid.low[k] = -edge;
        solid.high[k] += edge - from.origin[k];
    }
    vvStatus status = vv_make_stuffed(&solid, edge, mesh, error);
    if (status == VV_OK && !mesh->tetCount)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "no tet of edge %g m fits into the surface, whose diagonal is %.4g m; give a smaller "
                         "edge, or none: a thirtieth of the diagonal is usual",
                         edge, vv_norm(diagonal));
    if (status == VV_OK)
        status = vv_make_smooth(&solid, edge, mesh, SMOOTHING_PASSES, error);
    for (int i = 0; status == VV_OK && i < 3 * mesh->vertexCount; i++)
        mesh->positions[i] += from.origin[i % 3];
    return status;
}

/* ---- one edge, or the largest that keeps thin parts ---- */

vvFillDef vvDefaultFillDef(void) { return (vvFillDef){ .internalValue = VV_MADE_BY_DEFAULT }; }

static double diagonal_of(const vvMesh *surface)
{
    double low[3], high[3], d[3];
    vv_mesh_bounds(surface, low, high);
    vv_sub(high, low, d);
    return vv_norm(d);
}

double vvMeshProposeEdge(const vvMesh *surface)
{
    if (!surface || !surface->vertexCount)
        return 0;
    double edge = diagonal_of(surface) / 30, unit = pow(10, floor(log10(edge)) - 1);
    return edge > 0 && unit > 0 ? round(edge / unit) * unit : edge;
}

/* What a surface bounds. */
typedef struct bounded {
    const vv_surface_check *s;
    const vv_winding *winding; /* NULL: it is sound */
    double volume;             /* m^3; of a wrapped one by samples */
} bounded;

/* The volume that a surface winds around, by points of a grid. -1: the host wants no more. */
static double sample_volume(const bounded *b)
{
    enum { ALONG = 60 };
    double low[3], high[3], size[3], largest = 0, volume = 1;
    int count[3];
    long inside = 0;
    vv_mesh_bounds(b->s->mesh, low, high);
    vv_sub(high, low, size);
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, size[k]);
    for (int k = 0; k < 3; k++) {
        count[k] = 1 + (int)(ALONG * size[k] / largest);
        volume *= size[k] / count[k];
    }
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        if (i % 256 == 255 && vv_stopped())
            return -1;
        const int at[3] = { i % count[0], i / count[0] % count[1], i / count[0] / count[1] };
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] = (low[k] + size[k] * (at[k] + 0.5) / count[k]) * b->s->scale;
        inside += fabs(vv_winding_at(b->winding, point)) > 0.5;
    }
    return volume * (double)inside;
}

static double area_vector(const vvMesh *m, int t, double middle[3], double normal[3])
{
    const int *v = m->triangles + 3 * (size_t)t;
    double e[2][3];
    for (int k = 0; k < 3; k++) {
        const double x[3] = { m->positions[3 * (size_t)v[0] + (size_t)k], m->positions[3 * (size_t)v[1] + (size_t)k],
                              m->positions[3 * (size_t)v[2] + (size_t)k] };
        middle[k] = (x[0] + x[1] + x[2]) / 3;
        e[0][k] = x[1] - x[0], e[1][k] = x[2] - x[0];
    }
    vv_cross(e[0], e[1], normal);
    return vv_norm(normal) / 2;
}

/* The part of the tets' surface that is farther than half an edge from each triangle. -1: the host wants no more. */
static double bridged(const bounded *b, const vvMesh *mesh, double edge)
{
    const shifted from = { .s = b->s };
    double all = 0, far = 0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        double middle[3], normal[3], area = area_vector(mesh, t, middle, normal);
        if (t % 256 == 255 && vv_stopped())
            return -1;
        all += area;
        if (sqrt(find_nearest(&from, middle).best) / b->s->scale > 0.5 * edge)
            far += area;
    }
    return all > 0 ? far / all : 0;
}

/* How much of the volume is filled, and how far the tips of thin parts lie outside the tets: a tail has little
 * volume. */
static vvStatus measure(const bounded *b, const vvMesh *mesh, vvFillNotes *notes, vvError *error)
{
    double volume = 0;
    size_t count = (size_t)b->s->mesh->vertexCount;
    vvEmbedNotes embed = { 0 };
    for (int t = 0; t < mesh->tetCount; t++)
        volume += vv_tet_det(mesh->positions, mesh->tets + 4 * (size_t)t) / 6;
    notes->part = volume / b->volume;
    int *nodes = vv_alloc(4 * count, sizeof *nodes);
    double *weights = vv_alloc(4 * count, sizeof *weights);
    vvStatus status = nodes && weights ? vvMeshEmbed(mesh, b->s->mesh, nodes, weights, &embed, error)
                                       : vv_fail_memory(error, "the surface around its tets");
    notes->farthest = embed.farthest;
    if (b->winding && status == VV_OK)
        notes->bridged = bridged(b, mesh, notes->edge);
    if (status == VV_OK && notes->bridged < 0)
        status = vv_fail_cancelled(error);
    vv_free(nodes);
    vv_free(weights);
    return status;
}

/* Of a proposed edge. What is wrapped may have loose ends, which no edge would reach. */
static bool keeps_parts(const bounded *b, const vvFillNotes *notes)
{
    static const double enough = 0.93, near = 0.02, tip = 0.05; /* of the volume, twice; of the diagonal */
    if (b->winding) /* of a sheet, finer tets would only make a thinner skin on one side */
        return fabs(notes->part - 1) <= near || notes->bridged > VV_FILL_SHEET;
    return notes->pieces <= notes->parts && notes->part > enough && notes->farthest <= tip * diagonal_of(b->s->mesh);
}

/* A proposed edge that loses parts is made smaller, a few times; the last one has to do. */
static vvStatus fill_and_measure(const bounded *b, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes,
                                 vvError *error)
{
    enum { TRIES = 5 };
    static const double smaller = 0.75;
    bool proposed = def->edge == 0;
    notes->edge = proposed ? vvMeshProposeEdge(b->s->mesh) : def->edge;
    for (notes->tries = 1;; notes->tries++) {
        bool last = !proposed || notes->tries == TRIES;
        vvMeshNotes made = { 0 };
        vvStatus status = fill(b->s, b->winding, notes->edge, def, mesh, error);
        if (status == VV_OK)
            status = vv_mesh_finish(mesh, NULL, &made, error);
        notes->pieces = made.components;
        bool filled = status == VV_OK;
        if (filled)
            status = measure(b, mesh, notes, error);
        /* an edge too large for the surface leaves no tet */
        if (status != VV_OK && (last || filled || status != VV_ERROR_INPUT))
            return status;
        if (last || (filled && keeps_parts(b, notes)))
            return VV_OK;
        vvMeshDestroy(mesh);
        notes->edge *= smaller;
    }
}

static vvStatus check_part(const vvFillNotes *notes, vvError *error)
{
    if (fabs(notes->part - 1) <= 0.5)
        return VV_OK;
    if (notes->wrapped)
        return vv_fail(error, VV_ERROR_INPUT,
                       "a wrap of edge %g m holds %.3g of the volume enclosed by the surface: it is a sheet, or "
                       "thinner than that; give a smaller edge, or make it cloth",
                       notes->edge, notes->part);
    return vv_fail(error, VV_ERROR_INPUT,
                   "tets of edge %g m fill %.3g of the volume that the surface bounds: its parts are thinner than "
                   "that; give a smaller edge",
                   notes->edge, notes->part);
}

static vvStatus wrap(const vv_surface_check *s, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes, vvError *error)
{
    vv_winding winding;
    bounded b = { .s = s, .winding = &winding };
    vvStatus status = vv_winding_open(&winding, s, error);
    if (status == VV_OK)
        b.volume = sample_volume(&b);
    if (status == VV_OK && b.volume < 0)
        status = vv_fail_cancelled(error);
    if (status == VV_OK && !(b.volume > 0))
        status = vv_fail(error, VV_ERROR_INPUT,
                         "the surface encloses nothing: it is a sheet, or thinner everywhere than a sixtieth of its "
                         "size; it cannot be made solid");
    notes->wrapped = true;
    if (status == VV_OK)
        status = fill_and_measure(&b, def, mesh, notes, error);
    vv_winding_close(&winding);
    return status;
}

static vvStatus fill_checked(const vv_surface_check *s, const vvSurfaceCheck *check, const vvFillDef *def, vvMesh *mesh,
                             vvFillNotes *notes, vvError *error)
{
    if (!check->sound && !def->wrap)
        return vv_surface_refuse(s->mesh, check, error);
    if (!(def->edge >= 0 && def->edge <= VV_COORDINATE_LIMIT))
        return vv_fail(error, VV_ERROR_INPUT, "the edge is %g m; it must be positive, or 0 for a proposal", def->edge);
    const bounded b = { .s = s, .volume = check->volume };
    *notes = (vvFillNotes){ .parts = check->sound ? check->partCount - check->cavityCount : 0 };
    return check->sound ? fill_and_measure(&b, def, mesh, notes, error) : wrap(s, def, mesh, notes, error);
}

static vvStatus open_and_fill(const vvMesh *surface, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes,
                              vvError *error)
{
    vv_surface_check s;
    vvSurfaceCheck check;
    if (!surface || !mesh)
        return vv_fail(error, VV_ERROR_INPUT, "vvMeshFill needs a surface and a pointer for the mesh, found NULL");
    *mesh = (vvMesh){ 0 };
    vvStatus status = vv_surface_open(&s, surface, &check, error);
    if (status == VV_OK)
        status = fill_checked(&s, &check, def, mesh, notes, error);
    if (status != VV_OK)
        vvMeshDestroy(mesh);
    vvSurfaceCheckDestroy(&check);
    vv_surface_close(&s);
    return status;
}

vvStatus vvMeshFill(const vvMesh *surface, double edge, vvMesh *mesh, vvError *error)
{
    const vvFillDef def = { .edge = edge };
    vvFillNotes notes;
    if (mesh)
        *mesh = (vvMesh){ 0 };
    if (!(edge > 0 && edge <= VV_COORDINATE_LIMIT))
        return vv_fail(error, VV_ERROR_INPUT, "the edge is %g m; it must be positive", edge);
    VV_STOPPABLE(open_and_fill(surface, &def, mesh, &notes, error));
}

static vvStatus fill_with(const vvMesh *surface, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes, vvError *error)
{
    const vvFillDef none = vvDefaultFillDef();
    vvFillNotes made = { 0 };
    def = def ? def : &none;
    if (mesh)
        *mesh = (vvMesh){ 0 };
    vvStatus status = vv_check_made(def->internalValue, "vvFillDef", "vvMeshFillWith: the definition", error);
    if (status == VV_OK)
        status = open_and_fill(surface, def, mesh, &made, error);
    if (status == VV_OK && (status = check_part(&made, error)) != VV_OK)
        vvMeshDestroy(mesh);
    if (notes)
        *notes =
            status != VV_OK ? (vvFillNotes){ .edge = made.edge, .tries = made.tries, .wrapped = made.wrapped } : made;
    return status;
}

vvStatus vvMeshFillWith(const vvMesh *surface, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes, vvError *error)
{
    VV_STOPPABLE(fill_with(surface, def, mesh, notes, error));
}
