/* The kinds of elements of rods that bend and twist (theory §4.12): joints, stiffnesses and rest shapes from a body's
 * edges and material. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/rods/joints.h"
#include "energy/batch/rayleigh.h"
#include "energy/rods/rods.h"

#include <math.h>

#define VV_PI 3.14159265358979323846

typedef struct section {
    double ei, gj; /* N m^2 */
} section;

static section section_of(const vv_element_part *part)
{
    const vv_material *m = part->material;
    double r = 0.5 * part->thickness, area_moment = 0.25 * VV_PI * r * r * r * r;
    return (section){ vv_rod_stiffness(part), m->mu * 2 * area_moment };
}

/* ---- the shape of a joint ---- */

typedef struct frame {
    double t[3], m1[3], m2[3], length, radius;
} frame;

static bool frame_of(const double *x, int a, int b, int director, frame *f)
{
    double u[3];
    vv_sub(x + 3 * (size_t)b, x + 3 * (size_t)a, f->t);
    f->length = vv_norm(f->t);
    if (!(f->length > 0))
        return false;
    for (int k = 0; k < 3; k++)
        f->t[k] /= f->length;
    if (director < 0)
        return true;
    for (size_t k = 0; k < 3; k++)
        u[k] = x[3 * (size_t)director + k] - 0.5 * (x[3 * (size_t)a + k] + x[3 * (size_t)b + k]);
    double along = vv_dot(f->t, u);
    for (int k = 0; k < 3; k++)
        f->m1[k] = u[k] - along * f->t[k];
    f->radius = vv_norm(f->m1);
    for (int k = 0; k < 3; k++)
        f->m1[k] /= f->radius;
    vv_cross(f->t, f->m1, f->m2);
    return f->radius > 0;
}

bool vv_rod_measure(vv_rod_kind kind, const double *x, vv_rod_joint *j)
{
    const bool twist = kind == VV_ROD_TWISTING;
    frame f[2] = { { .radius = 0 } };
    double kb[3], chi = 0;
    for (int i = 0; i < 2; i++)
        if (!frame_of(x, j->nodes[i], j->nodes[i + 1], twist ? j->nodes[3 + i] : -1, f + i))
            return false;
    for (int k = 0; k < 3; k++)
        chi += 0.5 * (f[0].t[k] + f[1].t[k]) * (f[0].t[k] + f[1].t[k]);
    if (!(chi > 1e-12)) /* a turn by all but 1.4e-6 */
        return false;
    vv_cross(f[0].t, f[1].t, kb);
    for (int k = 0; k < 3; k++)
        kb[k] *= 2 / chi;
    j->square = vv_dot(kb, kb);
    for (int i = 0; i < 2; i++) {
        j->length[i] = f[i].length;
        if (twist) {
            j->radius[i] = f[i].radius;
            j->rest[i][0] = vv_dot(kb, f[i].m1), j->rest[i][1] = vv_dot(kb, f[i].m2);
        }
    }
    if (twist)
        j->rest_twist = atan2(vv_dot(f[0].m2, f[1].m1) - vv_dot(f[0].m1, f[1].m2),
                              vv_dot(f[0].m1, f[1].m1) + vv_dot(f[0].m2, f[1].m2));
    return true;
}

/* ---- joints of a part ---- */

typedef struct joint_list {
    vv_rod_kind kind;
    const double *rest;
    const vv_element_part *part;
    section section;
    int *joints_of_edge;
    vv_rod_joint *out;
    int count;
} joint_list;

/* As quick as the edges' ends along a rod: 4 E J. Much softer, and twist waves throw directors across their edges
 * (theory §4.12). */
static double hold_of(const joint_list *l, int edge, double length, double radius)
{
    return 8 * l->section.ei / (length * radius * radius) / (l->joints_of_edge[edge] > 0 ? l->joints_of_edge[edge] : 1);
}

static vvStatus no_shape(const joint_list *l, const vv_joint *j, vvError *error)
{
    for (int i = 0; i < 2; i++)
        if (!(vv_edge_length(l->rest, j->nodes[i], j->nodes[i + 1]) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "edge %d of body %d has no length at rest, which the material \"%s\" needs; join its "
                           "vertices",
                           j->edges[i], l->part->body, l->part->material->kind->info.name);
    return vv_fail(
        error, VV_ERROR_INPUT,
        "edge %d of body %d lies back on edge %d at rest: the material \"%s\" has no bend of 180 degrees; turn one "
        "of the edges",
        j->edges[1], l->part->body, j->edges[0], l->part->material->kind->info.name);
}

/* An angle in (-2 pi, 2 pi) as one in [-pi, pi]. */
static double wrap(double angle)
{
    return angle > VV_PI ? angle - 2 * VV_PI : angle < -VV_PI ? angle + 2 * VV_PI : angle;
}

static vvStatus add_joint(joint_list *l, const vv_joint *from, vvError *error)
{
    const vvMaterialDef *m = &l->part->material->def;
    vv_rod_joint j = { .nodes = { from->nodes[0], from->nodes[1], from->nodes[2] } };
    for (int i = 0; i < 2; i++)
        j.nodes[3 + i] = l->part->director + from->edges[i];
    if (!vv_rod_measure(l->kind, l->rest, &j))
        return no_shape(l, from, error);
    double length = 0.5 * (j.length[0] + j.length[1]), more = m->restTwist * length;
    if (l->kind == VV_ROD_TWISTING && !(fabs(more) < VV_PI))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "rest_twist is %g rad/m, a turn by %g from edge %d of body %d to edge %d; it must be less than pi "
            "between two edges: make them shorter, or rest_twist smaller",
            m->restTwist, more, from->edges[0], l->part->body, from->edges[1]);
    j.rest_twist = wrap(j.rest_twist + more);
    j.bend = l->section.ei / length;
    j.twist = l->section.gj / length;
    if (m->flat) {
        j.square = 0;
        for (int i = 0; i < 4; i++)
            j.rest[i / 2][i % 2] = 0;
    }
    for (int i = 0; l->kind == VV_ROD_TWISTING && i < 2; i++)
        j.hold[i] = hold_of(l, from->edges[i], j.length[i], j.radius[i]);
    l->out[l->count++] = j;
    return VV_OK;
}

/* An edge that is joined to none has a director that wants to be held: a joint without stiffness, of this edge and
 * none. */
static vvStatus add_lone_edge(joint_list *l, int edge, vvError *error)
{
    const int *ends = l->part->edges + 2 * (size_t)edge, director = l->part->director + edge;
    frame f;
    vv_rod_joint j = { .nodes = { ends[0], ends[1], ends[1], director, director } };
    if (!frame_of(l->rest, ends[0], ends[1], director, &f))
        return no_shape(l, &(vv_joint){ { ends[0], ends[1], ends[1] }, { edge, edge } }, error);
    j.length[0] = j.length[1] = f.length;
    j.radius[0] = j.radius[1] = f.radius;
    j.hold[0] = hold_of(l, edge, f.length, f.radius);
    l->out[l->count++] = j;
    return VV_OK;
}

static vvStatus add_part(joint_list *l, vvError *error)
{
    vv_joint *joints;
    int count;
    vvStatus status = vv_joints_find(l->part->edge_count, l->part->edges, l->rest, &joints, &count, error);
    if (status != VV_OK)
        return status;
    l->section = section_of(l->part);
    for (int e = 0; e < l->part->edge_count; e++)
        l->joints_of_edge[e] = 0;
    for (int i = 0; i < 2 * count; i++)
        l->joints_of_edge[joints[i / 2].edges[i % 2]]++;
    for (int i = 0; status == VV_OK && i < count; i++)
        status = add_joint(l, joints + i, error);
    for (int e = 0; status == VV_OK && l->kind == VV_ROD_TWISTING && e < l->part->edge_count; e++)
        if (l->joints_of_edge[e] == 0)
            status = add_lone_edge(l, e, error);
    vv_free(joints);
    return status;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    size_t edges = 0, most = 0;
    *out = NULL;
    for (int p = 0; p < in->part_count; p++) {
        size_t own = (size_t)in->parts[p].edge_count;
        edges += own;
        most = own > most ? own : most;
    }
    joint_list l = { .kind = (vv_rod_kind)(kind - vv_rod_kinds),
                     .rest = in->rest,
                     .joints_of_edge = vv_alloc(most, sizeof(int)),
                     .out = vv_alloc(2 * edges, sizeof *l.out) };
    int *start = vv_alloc((size_t)in->part_count + 1, sizeof *start),
        *body = vv_alloc((size_t)in->part_count, sizeof *body);
    vvStatus status = l.joints_of_edge && l.out && start && body ? VV_OK : vv_fail_memory(error, "the joints of rods");
    for (int p = 0; status == VV_OK && p < in->part_count; p++) {
        l.part = in->parts + p;
        body[p] = l.part->body;
        status = add_part(&l, error);
        start[p + 1] = l.count;
    }
    if (status == VV_OK && l.count > 0)
        status = vv_rods_create(l.kind, in->node_count, in->part_count, start, l.out, body, out, error);
    vv_free(l.joints_of_edge);
    vv_free(l.out);
    vv_free(start);
    vv_free(body);
    return status;
}

const vv_element_kind vv_rod_kinds[VV_ROD_COUNT] = {
#define VV_ROW(row, word, summary)                   \
    [row] = { { word, summary },                     \
              VV_CELL_CURVES,                        \
              .moduli = true,                        \
              .create = create_of_parts,             \
              .rayleigh = vv_rayleigh_of_parts,      \
              .thick = true,                         \
              .directors = (row) == VV_ROD_TWISTING, \
              .winds = (row) == VV_ROD_TWISTING,     \
              .bending = true },
    VV_RODS(VV_ROW)
#undef VV_ROW
};
