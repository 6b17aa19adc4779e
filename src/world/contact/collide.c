/* What collides in a world, in the form contact/surfaces/mesh.h needs. And a check of elements that a body's mass does
 * not reveal. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/springs/constraint.h"
#include "world/world.h"

#include <string.h>

/* ---- contact ---- */

static const char *name_of(const void *world, int body) { return ((const vvWorld *)world)->bodies[body].name; }

static bool keeps_shape(const vvWorld *w, const vv_body *b)
{
    bool keeps = b->kinematic;
    for (size_t a = 0; keeps && a < w->attach_count; a++)
        keeps = !(w->bodies + w->attaches[a].body == b && (w->attaches[a].shape_count > 0 || w->attaches[a].driven));
    return keeps;
}

uint64_t vv_world_rigid_bodies(const vvWorld *w)
{
    uint64_t hash = 1;
    for (size_t b = 0; b < w->body_count; b++)
        if (w->bodies[b].kinematic)
            hash = hash * 6364136223846793005u + 2 * b + keeps_shape(w, w->bodies + b);
    return hash;
}

/* Whether obstacles keep out the nodes within a body, too. */
static bool all_nodes(const vvWorld *w, const vv_body *b)
{
    bool invertible = false;
    for (int m = 0; m < b->material_count; m++)
        invertible = invertible || !b->materials[m].kind->inversion_free;
    return w->def.contact.innerNodes && b->tet_count > 0 && !b->kinematic && b->solid_volume == 0 &&
           !b->surface_collides && vv_contact_keeps_inner(vv_world_model(w), invertible);
}

/* What was set at rest was never where gaps are measured. */
static vv_stay stay_of(const vv_body *b) { return b->stage & VV_BODY_RESTS ? (vv_stay){ 1, 1 } : b->stay; }

/* A solid collides with its boundary, not the edges of its tets; or with the surface that it carries. */
static vv_contact_body surface_of(const vvWorld *w, const vv_body *b, bool penetrates)
{
    if (b->frame || b->left_out) /* the obstacle collides, not what carries it */
        return (vv_contact_body){ .first_node = b->first, .base = b->first, .stay = stay_of(b), .filter = b->filter };
    vv_contact_body s = { .first_node = b->first,
                          .vertex_count = b->vertex_count,
                          .base = b->first,
                          .triangle_count = b->triangle_count,
                          .edge_count = b->tet_count ? 0 : b->edge_count,
                          .point_count = b->point_count,
                          .triangles = b->triangles,
                          .edges = b->edges,
                          .points = b->points,
                          .self = w->def.contact.self && b->self_contact,
                          .moves = !b->kinematic,
                          .rigid = keeps_shape(w, b) || b->solid_volume > 0,
                          .affine = b->solid_volume > 0,
                          .solid = b->tet_count > 0 || b->solid_volume > 0,
                          .stay = stay_of(b),
                          .thickness = b->thickness,
                          .friction = b->friction,
                          .filter = b->filter };
    if (penetrates && b->solid_volume == 0 && !b->surface_collides)
        s.tet_count = b->tet_count, s.tets = b->tets;
    s.bound = all_nodes(w, b);
    if (b->surface_collides) {
        s.base = 0, s.vertex_count = b->skin.vertex_count, s.nodes = b->skin.nodes, s.weights = b->skin.weights;
        s.triangle_count = b->skin.triangle_count, s.triangles = b->skin.triangles, s.edge_count = s.point_count = 0;
    }
    return s;
}

/* What contact is made of, in memory of its own: bodies and pairs that joints keep apart. */
typedef struct surroundings {
    vvContactDef contact;
    vv_contact_body *bodies;
    int (*apart)[2];
    vv_contact_def def;
} surroundings;

static void forget_surroundings(surroundings *s)
{
    vv_free(s->bodies);
    vv_free(s->apart);
}

static vvStatus find_surroundings(const vvWorld *w, bool mesh_only, surroundings *s, vvError *error)
{
    *s = (surroundings){ .contact = vv_world_contact_def(w),
                         .bodies = vv_alloc(w->body_count, sizeof *s->bodies),
                         .apart = vv_alloc(w->joint_count, sizeof *s->apart) };
    const vvContactDef *c = &s->contact;
    if (!s->bodies || !s->apart) {
        forget_surroundings(s);
        return vv_fail_memory(error, "the surfaces");
    }
    int joined = 0;
    for (size_t j = 0; j < w->joint_count; j++)
        if (!w->joints[j].collide && w->joints[j].body[0] >= 0 && w->joints[j].body[1] >= 0)
            memcpy(s->apart[joined++], w->joints[j].body, sizeof *s->apart);
    const vv_contact_model *model = vv_contact_model_find(c->model);
    double most = c->distance;
    for (size_t b = 0; b < w->body_count; b++) {
        s->bodies[b] = surface_of(w, w->bodies + b, vv_contact_overlaps(model));
        s->bodies[b].distance = vv_body_distance(w, w->bodies + b, c->distance);
        most = fmax(most, s->bodies[b].distance);
    }
    s->def =
        (vv_contact_def){ .bodies = s->bodies,
                          .apart = (const int(*)[2])s->apart,
                          .apart_count = joined,
                          .body_count = (int)w->body_count,
                          .node_count = w->nodes,
                          .rest = w->rest,
                          .placed = w->placed,
                          .obstacles = w->obstacles,
                          .obstacle_count = (int)w->obstacle_count,
                          .distance = most,
                          .least = c->distance,
                          .stiffness = c->stiffness,
                          .friction = c->friction,
                          .friction_speed = c->frictionSpeed,
                          .convergent = c->convergent,
                          .follow = w->given.distance == 0 && c->relativeDistance == 0,
                          .exact = c->checkIntersections,
                          .mesh_only = mesh_only,
                          .model = model,
                          .per_vertex = c->penalty.perVertex,
                          .penetration_stiffness = c->penalty.between > 0 ? c->penalty.between : c->penalty.stiffness,
                          .name = name_of,
                          .user = w };
    return VV_OK;
}

vvStatus vv_world_make_contact(const vvWorld *w, bool mesh_only, vv_contact **out, vvError *error)
{
    surroundings s;
    *out = NULL;
    vvStatus status = find_surroundings(w, mesh_only, &s, error);
    if (status != VV_OK)
        return status;
    status = vv_contact_create(&s.def, out, error);
    forget_surroundings(&s);
    return status;
}

vvStatus vv_world_set_obstacles(vvWorld *w, vvError *error)
{
    surroundings s;
    vvStatus status = find_surroundings(w, false, &s, error);
    if (status != VV_OK)
        return status;
    status = vv_contact_set_obstacles(w->contact, &s.def, error);
    forget_surroundings(&s);
    return status;
}

void vv_world_refresh_friction(vvWorld *w)
{
    vv_contact *c = w->contact;
    c->barrier.friction = w->def.contact.friction;
    c->barrier.friction_speed = w->def.contact.frictionSpeed;
    c->stick.on = w->def.contact.stick && c->stick.sum;
    for (size_t b = 0; b < w->body_count; b++) {
        c->speeds[b] = vv_friction_speed_of(w, w->bodies + b);
        c->stick.of_body[b] = w->bodies[b].stick;
    }
    for (int v = 0; v < c->bound.count; v++)
        c->vertices.friction[v] = w->bodies[c->vertices.body[v]].friction;
}

/* ---- elements without length or area ---- */

/* Marks the nodes to which contact/surfaces/mesh.c gives an area. */
static void mark_areas(const vv_body *b, const double *rest, unsigned char *has)
{
    for (int t = 0; t < b->triangle_count; t++)
        if (vv_triangle_area(rest, b->triangles + 3 * t) > 0)
            for (int k = 0; k < 3; k++)
                has[b->triangles[3 * t + k]] = 1;
    for (int e = 0; b->tet_count == 0 && e < b->edge_count; e++)
        if (vv_edge_length(rest, b->edges[2 * e], b->edges[2 * e + 1]) > 0)
            has[b->edges[2 * e]] = has[b->edges[2 * e + 1]] = 1;
}

vvStatus vv_check_lengths(const vv_body *b, const double *rest, vvError *error)
{
    unsigned char *has = vv_alloc((size_t)b->count, 1);
    vvStatus status = has ? VV_OK : vv_fail_memory(error, "a body");
    if (has)
        mark_areas(b, rest, has);
    for (int i = 0; status == VV_OK && i < 3 * b->triangle_count; i++)
        if (!has[b->triangles[i]])
            status = vv_fail(error, VV_ERROR_INPUT,
                             "body \"%s\": triangle %d has all corners in one place%s; run the mesh through "
                             "vvMeshFinish",
                             b->name, i / 3, b->tet_count ? " or on a line" : "");
    for (int i = 0; status == VV_OK && b->tet_count == 0 && i < 2 * b->edge_count; i++)
        if (!has[b->edges[i]])
            status = vv_fail(error, VV_ERROR_INPUT,
                             "body \"%s\": edge (%d, %d) has both ends in one place; run the mesh through "
                             "vvMeshFinish",
                             b->name, b->edges[i - i % 2], b->edges[i - i % 2 + 1]);
    vv_free(has);
    return status;
}

/* Relative to the largest squared side: what rounding leaves of an area whose corners are collinear. */
static const double FLAT = 1e-12;

vvStatus vv_check_surface(const vv_body *b, const double *rest, vvError *error)
{
    double *x = vv_alloc(3 * (size_t)b->skin.vertex_count, sizeof *x);
    if (!x)
        return vv_fail_memory(error, "a carried surface");
    vv_skin_positions(&b->skin, rest, x);
    vvStatus status = VV_OK;
    for (int t = 0; status == VV_OK && t < b->skin.triangle_count; t++) {
        const int *v = b->skin.triangles + 3 * (size_t)t;
        double side =
            fmax(vv_edge_length(x, v[0], v[1]), fmax(vv_edge_length(x, v[1], v[2]), vv_edge_length(x, v[2], v[0])));
        if (!(2 * vv_triangle_area(x, v) > FLAT * side * side))
            status = vv_fail(error, VV_ERROR_INPUT,
                             "body \"%s\": triangle %d of its surface, which collides, has all corners in one "
                             "place or on a line (vertices %d, %d, %d); leave it out",
                             b->name, t, v[0], v[1], v[2]);
    }
    vv_free(x);
    return status;
}
