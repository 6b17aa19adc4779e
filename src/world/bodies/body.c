/* Bodies: placement and lumped mass; their edges and hinges are found in edges.c. */
#include "base/error.h"
#include "base/vec.h"
#include "mesh/tet10.h"
#include "world/bodies/affine.h"
#include "world/bodies/edges.h"
#include "world/bodies/directors.h"
#include "world/bodies/regions.h"
#include "world/settings/members.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

vvMaterialDef vvDefaultMaterialDef(void)
{
    vvMaterialDef material = { .internalValue = VV_MADE_BY_DEFAULT };
    vv_members_default(&vv_material_members, &material);
    return material;
}

vvMaterialDef vvDefaultMaterialOf(const char *model)
{
    vvMaterialDef m = vvDefaultMaterialDef();
    const vv_element_kind *kind = model ? vv_element_kind_find(model) : NULL;
    m.model = model;
    if (kind && kind->young > 0)
        m.young = kind->young;
    return m;
}

vvBodyDef vvDefaultBodyDef(void)
{
    return (vvBodyDef){ .name = "",
                        .material = vvDefaultMaterialDef(),
                        .scale = { 1, 1, 1 },
                        .friction = -1,
                        .filter = vvDefaultFilter(),
                        .motion = vvDefaultMotionDef(),
                        .selfContact = true,
                        .internalValue = VV_MADE_BY_DEFAULT };
}

bool vvBodyIsKinematic(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    return b >= 0 && world->bodies[b].kinematic;
}

bool vvBodyIsAffine(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    return b >= 0 && world->bodies[b].solid_volume > 0;
}

bool vvBodyIsValid(const vvWorld *world, vvBodyId id) { return vv_body_read(world, id) >= 0; }

int vvWorldBodyCount(const vvWorld *world) { return vv_world_readable(world) ? (int)world->body_count : 0; }

double vvBodyThickness(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    return b < 0 ? 0 : world->bodies[b].thickness;
}

const char *vvBodyName(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    return b < 0 ? "" : world->bodies[b].name;
}

void vvBodyNodes(const vvWorld *world, vvBodyId id, int *first, int *count)
{
    int b = vv_body_read(world, id);
    if (first)
        *first = b < 0 ? 0 : world->bodies[b].first;
    if (count)
        *count = b < 0 ? 0 : world->bodies[b].count;
}

void vvBodyGetElements(const vvWorld *world, vvBodyId id, vvBodyElements *e)
{
    int b = vv_body_read(world, id);
    if (e)
        *e = (vvBodyElements){ 0 };
    if (b < 0 || !e)
        return;
    const vv_body *body = world->bodies + b;
    *e = (vvBodyElements){ body->tet_count,
                           body->triangle_count,
                           body->edge_count,
                           body->tets,
                           body->triangles,
                           body->edges,
                           body->point_count,
                           body->points,
                           0,
                           0,
                           body->vertex_count,
                           vv_body_directors(body),
                           body->tet10_count,
                           body->tets10,
                           body->regions.of };
    for (int m = 0; m < body->material_count; m++) {
        vv_element_part part = vv_body_part(world, b, m);
        e->springCount += part.material->kind->springs ? part.material->kind->springs(&part) : 0;
    }
    for (size_t a = 0; a < world->attach_count; a++)
        if (world->attaches[a].body == b && vv_attach_is(world->attaches + a, VV_ATTACH_SPRING))
            e->attachmentSpringCount += vv_attach_places(world->attaches + a);
}

static double material_thickness(const vv_body *b, int material)
{
    double own = b->materials[material].def.thickness;
    return own > 0 ? own : b->thickness;
}

double vvBodyDrawnThickness(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    if (b < 0)
        return 0;
    const vv_body *body = world->bodies + b;
    return body->material_count > 0 ? material_thickness(body, 0) : body->thickness;
}

const double *vvWorldRestPositions(const vvWorld *world) { return vv_world_readable(world) ? world->rest : NULL; }

vv_element_part vv_body_part(const vvWorld *w, int index, int material)
{
    const vv_body *b = w->bodies + index;
    vv_element_part part = { index,
                             b->materials + material,
                             b->tet_count,
                             b->triangle_count,
                             b->edge_count,
                             b->hinge_count,
                             b->point_count,
                             b->tets,
                             b->triangles,
                             b->edges,
                             b->hinges,
                             b->points,
                             material_thickness(b, material),
                             b->bend_count,
                             b->bends,
                             b->triangle_thickness,
                             b->triangle_stiffness,
                             b->vertex_count < b->count ? b->first + b->vertex_count : -1,
                             b->hinge_angles,
                             b->solid_volume,
                             b->tet10_count,
                             b->tets10 };
    if (b->regions.of) {
        const int first = b->regions.start[material], count = b->regions.start[material + 1] - first;
        const int per = b->tet10_count ? 8 : 1;
        part.tets = b->regions.tets + 4 * (size_t)(per * first), part.tet_count = per * count;
        if (b->tet10_count)
            part.tets10 = b->regions.tets10 + 10 * (size_t)first, part.tet10_count = count;
    }
    return part;
}

/* ---- building ---- */

static double tet_volume(const double *x, const int *t)
{
    double d[9];
    for (int k = 0; k < 3; k++)
        vv_sub(x + 3 * (size_t)t[k + 1], x + 3 * (size_t)t[0], d + 3 * k);
    return vv_det(d) / 6;
}

/* The density of a tet, where regions have their own. */
static double tet_density(const vv_body *b, int element, double density)
{
    return b->regions.of ? vv_material_of_tet(b, element)->def.density : density;
}

/* Lumps measure (1 for a point) * density of every element on its nodes; returns the total measure. thickness: NULL,
 * or of each triangle: its volume is measured. */
static double lump(const vv_body *b, const double *rest, const double *thickness, double *mass, double density)
{
    double total = 0;
    if (b->tet10_count)
        for (int t = 0; t < b->tet10_count; t++) {
            const double own = tet_density(b, t, density);
            double share[VV_TET10_NODES], volume = vv_tet10_lump(rest, b->tets10 + 10 * (size_t)t, share);
            total += volume;
            for (int n = 0; n < VV_TET10_NODES; n++)
                mass[b->tets10[10 * (size_t)t + (size_t)n]] += own * volume * share[n];
        }
    else if (b->tet_count)
        for (int t = 0; t < b->tet_count; t++) {
            const double own = tet_density(b, t, density), volume = tet_volume(rest, b->tets + 4 * t);
            total += volume;
            for (int k = 0; k < 4; k++)
                mass[b->tets[4 * t + k]] += own * volume / 4;
        }
    else if (b->triangle_count)
        for (int t = 0; t < b->triangle_count; t++) {
            double area = vv_triangle_area(rest, b->triangles + 3 * t) * (thickness ? thickness[t] : 1);
            total += area;
            for (int k = 0; k < 3; k++)
                mass[b->triangles[3 * t + k]] += density * area / 3;
        }
    else if (b->point_count)
        for (int i = 0; i < b->point_count; i++, total++)
            mass[b->points[i]] += density;
    else
        for (int e = 0; e < b->edge_count; e++) {
            double length = vv_edge_length(rest, b->edges[2 * e], b->edges[2 * e + 1]);
            total += length;
            for (int k = 0; k < 2; k++)
                mass[b->edges[2 * e + k]] += density * length / 2;
        }
    return total;
}

/* What a shell's areas (m) or a rod's lengths (m^2) are to be multiplied by to get volumes. */
static double cross_section(const vv_body *b)
{
    double d = material_thickness(b, 0);
    return b->triangle_count ? d : 3.14159265358979323846 / 4 * d * d;
}

vvStatus vv_body_set_mass(const vv_body *b, const double *rest, double *mass, vvError *error)
{
    const vvMaterialDef *m = &b->materials[0].def;
    if (b->solid_volume > 0) { /* the nodes stand where equal masses have the solid's moments */
        for (int i = 0; i < b->count; i++)
            mass[b->first + i] = (m->totalMass > 0 ? m->totalMass : m->density * b->solid_volume) / b->count;
        return VV_OK;
    }
    bool thick = b->materials[0].kind->thick;
    const double *each = thick ? b->triangle_thickness : NULL;
    double across = thick && !each ? cross_section(b) : 1;
    double density = m->totalMass > 0 ? 1 : m->density * across, total = lump(b, rest, each, mass, density);
    if (m->totalMass > 0) {
        density = m->totalMass / total;
        for (int i = 0; i < b->vertex_count; i++)
            mass[b->first + i] *= density;
    }
    for (int i = 0; i < b->vertex_count; i++)
        if (!(mass[b->first + i] > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "body \"%s\": vertex %d has mass %g kg: it belongs to no element or only to "
                           "inverted ones; run the mesh through vvMeshFinish",
                           b->name, i, mass[b->first + i]);
    for (int t = 0; t < b->tet10_count; t++)
        if (!(vv_tet10_least_det(rest, b->tets10 + 10 * (size_t)t) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "body \"%s\": tetrahedron %d of order 2 is turned inside out somewhere as placed; run the "
                           "mesh through vvMeshFinish",
                           b->name, t);
    for (int t = 0; t < b->tet_count; t++)
        if (!(tet_volume(rest, b->tets + 4 * t) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "body \"%s\": tetrahedron %d has volume %g m^3 as placed; it must be positive", b->name, t,
                           tet_volume(rest, b->tets + 4 * t));
    return vv_body_directors(b) > 0 ? vv_directors_set_mass(b, rest, density, mass, error) : VV_OK;
}

static const char *name_of(const void *bodies, int i) { return ((const vv_body *)bodies)[i].name; }

int vv_body_find(const vvWorld *w, const char *name)
{
    const int found = vv_names_find(&w->names, name, name_of, w->bodies);
    for (int i = w->names.count; found < 0 && i < (int)w->body_count; i++)
        if (strcmp(w->bodies[i].name, name) == 0)
            return i;
    return found;
}

/* There is room for all. */
static void index_names(vvWorld *w)
{
    while (w->names.count < (int)w->body_count)
        vv_names_add(&w->names, w->names.count, name_of, w->bodies);
}

vvBodyId vvWorldFindBody(const vvWorld *w, const char *name)
{
    for (size_t i = 0; name && vv_world_readable(w) && i < w->body_count; i++)
        if (strcmp(w->bodies[i].name, name) == 0)
            return vvWorldBody(w, (int)i);
    return (vvBodyId){ 0, 0 };
}

static vvStatus name_body(const vvWorld *w, const char *name, vv_body *b, vvError *error)
{
    if (name && strlen(name) >= sizeof b->name)
        return vv_fail(error, VV_ERROR_INPUT, "body name of %zu characters; at most %zu", strlen(name),
                       sizeof b->name - 1);
    if (name && *name) {
        snprintf(b->name, sizeof b->name, "%s", name);
        if (vv_body_find(w, b->name) >= 0)
            return vv_fail(error, VV_ERROR_INPUT, "two bodies are named \"%s\"; names must differ", b->name);
        return VV_OK;
    }
    for (size_t i = w->body_count + 1; i == w->body_count + 1 || vv_body_find(w, b->name) >= 0; i++)
        snprintf(b->name, sizeof b->name, "body-%zu", i);
    return VV_OK;
}

vv_material vv_make_material(const vvMaterialDef *m, bool order2)
{
    vv_material made = { .kind = vv_element_kind_find(m->model), .def = *m };
    const int rule = vv_quadrature_find(m->quadrature);
    made.kind = order2              ? vv_element_kind_order2(made.kind, rule)
                : m->meanDilatation ? vv_element_kind_mean(made.kind)
                                    : made.kind;
    made.def.quadrature = vv_quadrature_info(rule)->name;
    made.def.model = made.kind->info.name; /* the caller's string may be freed */
    made.mu = m->lame ? m->mu : m->young / (2 * (1 + m->poisson));
    made.lambda = m->lame ? m->lambda : m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    return made;
}

/* A kinematic body has none: no energy reads its material. */
static bool set_materials(const vvBodyDef *def, vv_body *b)
{
    int count = def->kinematic ? 0 : 1 + def->moreMaterialCount;
    b->materials = vv_alloc((size_t)count, sizeof *b->materials);
    if (!b->materials)
        return false;
    for (int i = 0; i < count; i++)
        b->materials[i] = vv_make_material(i == 0 ? &def->material : def->moreMaterials + i - 1, b->tet10_count > 0);
    b->material_count = count;
    return true;
}

static bool set_triangle_numbers(const vvBodyDef *def, vv_body *b)
{
    size_t n = (size_t)b->triangle_count;
    if (def->triangleThickness)
        b->triangle_thickness = vv_alloc_copy(def->triangleThickness, n, sizeof *b->triangle_thickness);
    if (def->triangleStiffness)
        b->triangle_stiffness = vv_alloc_copy(def->triangleStiffness, n, sizeof *b->triangle_stiffness);
    return !def->triangleThickness == !b->triangle_thickness && !def->triangleStiffness == !b->triangle_stiffness;
}

/* Rest places and masses of the body's nodes, which are counted from 0. */
static vvStatus make_nodes(const vvBodyDef *def, const vv_body *b, double **rest, double **mass, vvError *error)
{
    *rest = vv_alloc(3 * (size_t)b->count, sizeof **rest);
    *mass = vv_alloc((size_t)b->count, sizeof **mass);
    if (!*rest || !*mass)
        return vv_fail_memory(error, "a body");
    vv_body_place(def, def->mesh->positions, b->vertex_count, *rest);
    if (def->kinematic)
        return vv_check_lengths(b, *rest, error);
    vvStatus status = vv_body_directors(b) > 0 ? vv_directors_place(b, *rest, *rest, error) : VV_OK;
    return status == VV_OK ? vv_body_set_mass(b, *rest, *mass, error) : status;
}

/* Builds the body on its own, nodes counted from 0; *rest: count x 3, *mass: count. */
static vvStatus build(const vvBodyDef *def, vv_body *b, double **rest, double **mass, vvError *error)
{
    const vvMesh *m = def->mesh;
    b->vertex_count = b->count = m->vertexCount;
    b->friction = def->friction;
    b->filter = def->filter;
    b->kinematic = def->kinematic;
    b->thickness = def->thickness;
    b->self_contact = def->selfContact;
    b->user = def->userData;
    b->surface_collides = def->surfaceCollides;
    b->tet_count = m->tetCount;
    b->triangle_count = m->triangleCount;
    b->point_count = m->pointCount;
    b->tets = vv_alloc_copy(m->tets, 4 * (size_t)m->tetCount, sizeof *b->tets);
    b->tet10_count = m->tet10Count;
    b->tets10 = m->tet10Count ? vv_alloc_copy(m->tets10, 10 * (size_t)m->tet10Count, sizeof *b->tets10) : NULL;
    b->triangles = vv_alloc_copy(m->triangles, 3 * (size_t)m->triangleCount, sizeof *b->triangles);
    if (m->uvs && m->tetCount == 0 && m->triangleCount > 0)
        b->uvs = vv_alloc_copy(m->uvs, 6 * (size_t)m->triangleCount, sizeof *b->uvs);
    bool uvs = b->uvs || !m->uvs || m->tetCount > 0 || m->triangleCount == 0;
    b->points = vv_alloc_copy(m->points, (size_t)m->pointCount, sizeof *b->points);
    b->bend_count = m->bendCount;
    b->bends = vv_alloc_copy(m->bends, 2 * (size_t)m->bendCount, sizeof *b->bends);
    b->held = vv_alloc(vv_body_label_count(b), sizeof *b->held);
    b->stick = vv_alloc(3 * vv_body_label_count(b), sizeof *b->stick);
    bool edges = m->tetCount > 0 || vv_body_edges(m, b);
    if (!b->tets || !b->triangles || !b->points || !b->bends || !b->held || !b->stick || !edges || !uvs ||
        (m->tet10Count && !b->tets10) || !set_materials(def, b) || !set_triangle_numbers(def, b) ||
        !vv_regions_make(def->tetMaterials, b))
        return vv_fail_memory(error, "a body");
    b->count += vv_body_wants_directors(b) ? b->edge_count : 0;
    if (!vv_body_mark_surface(b))
        return vv_fail_memory(error, "a body");
    vvStatus status = vv_body_rest_angles(def, b, error);
    return status == VV_OK ? make_nodes(def, b, rest, mass, error) : status;
}

/* Appends the finished body to the world's lists; all or nothing. */
static vvStatus take_in(vvWorld *w, vv_body *b, const double *rest, const double *mass, vvError *error)
{
    size_t first = (size_t)w->nodes, count = (size_t)b->count, bytes = 3 * count * sizeof(double);
    b->stay.from = w->state.clock.step;
    if (!vv_grow((void **)&w->bodies, &w->body_capacity, w->body_count + 1, sizeof *b) ||
        !vv_state_reserve_bodies(&w->state, w->body_count + 1) || !vv_ids_reserve(&w->body_ids) ||
        !vv_names_reserve(&w->names, (int)w->body_count + 1) || !vv_nodes_reserve(w, first + count))
        return vv_fail_memory(error, "a body");
    vv_world_changed_apart(w); /* what it comes near wakes with the next step */
    w->settled = false;
    memcpy(w->rest + 3 * first, rest, bytes);
    memcpy(w->placed + 3 * first, rest, bytes);
    memcpy(w->state.q + 3 * first, rest, bytes);
    memcpy(w->state.q_previous + 3 * first, rest, bytes);
    memset(w->state.v + 3 * first, 0, bytes);
    memset(w->state.v_previous + 3 * first, 0, bytes);
    memset(w->state.force + 3 * first, 0, bytes);
    memcpy(w->mass + first, mass, count * sizeof *mass);
    memset(w->fixed + first, 0, count);
    vv_body_shift(b, w->nodes);
    vv_state_add_body(&w->state, w->body_count);
    w->bodies[w->body_count++] = *b;
    index_names(w);
    w->nodes += b->count;
    vv_ids_push(&w->body_ids);
    w->revision++;
    return VV_OK;
}

/* Below this part of the body's size nobody sees it. */
static const double SEEN = 1e-3;

/* A carried surface that does not collide may stand out of what collides for it, and poke into what that touches. */
static void say_what_shows(const vvWorld *w, const vvBodyDef *def, const vv_body *b)
{
    const double *k = def->scale, scale = fmax(fabs(k[0]), fmax(fabs(k[1]), fabs(k[2])));
    const double out = b->skin.outside * scale;
    if (b->surface_collides || !def->surface || !vv_contact_acts(vv_world_model(w)) ||
        b->skin.outside <= SEEN * vv_skin_diagonal(def->mesh))
        return;
    vv_world_log(w, VV_LOG_INFO,
                 "body \"%s\": the shown surface protrudes up to %.3g mm from the tets that collide for it, and may "
                 "penetrate whatever they touch: let it collide (surface.collides), or give the body a thickness of "
                 "%.2g m",
                 b->name, 1e3 * out, 2 * out);
}

static vvStatus too_many(vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED, "the world would have more than %d nodes", INT32_MAX / 4);
}

vvStatus vv_world_add_body(vvWorld *w, const vvBodyDef *def, vvBodyId *id, vvError *error)
{
    vv_body b = { 0 };
    vv_affine affine;
    vvBodyDef inner;
    vv_attach whole = { 0 };
    double *rest = NULL, *mass = NULL;
    vvStatus status = vv_world_open(w, "add a body", error);
    if (status == VV_OK)
        status = vv_body_check_made(def, error);
    if (status == VV_OK)
        status = name_body(w, def->name, &b, error);
    if (status == VV_OK)
        status = vv_body_check_mesh(def->mesh, error);
    if (status == VV_OK)
        status = vv_body_check_placement(def, error);
    if (status == VV_OK && vv_affine_is(def)) {
        status = vv_affine_make(def, b.name, &affine, &b.skin, &inner, error);
        b.solid_volume = affine.volume;
        if (status == VV_OK && affine.floored)
            vv_world_log(w, VV_LOG_INFO,
                         "body \"%s\" is so thin that its nodes are placed farther apart, at %g of the largest spread: "
                         "its moments of inertia are slightly too large",
                         b.name, VV_AFFINE_THINNEST);
        def = &inner;
    }
    if (status == VV_OK && !def->kinematic)
        status = vv_body_check_materials(def, error);
    if (status == VV_OK)
        status = vv_body_check_triangle_numbers(def, error);
    if (status == VV_OK)
        status = vv_follow_check(def, b.name, error);
    if (status == VV_OK && (int64_t)w->nodes + def->mesh->vertexCount > INT32_MAX / 4)
        status = too_many(error);
    if (status == VV_OK && def->surfaceCollides && !def->surface && b.solid_volume == 0)
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "body \"%s\": surfaceCollides is set, but it carries no surface; give vvBodyDef.surface", b.name);
    if (status == VV_OK && def->surface)
        status = vv_skin_build(def->mesh, def->surface, &b.skin, error);
    if (status == VV_OK)
        status = build(def, &b, &rest, &mass, error);
    if (status == VV_OK && (int64_t)w->nodes + b.count > INT32_MAX / 4)
        status = too_many(error);
    if (status == VV_OK && b.surface_collides)
        status = vv_check_surface(&b, rest, error);
    if (status == VV_OK)
        say_what_shows(w, def, &b);
    if (status == VV_OK && def->kinematic)
        status = vv_attach_whole(w, &def->motion, b.count, &whole, error);
    if (status == VV_OK && def->kinematic)
        status = vv_follow_take(def, &whole, error);
    if (status == VV_OK)
        status = take_in(w, &b, rest, mass, error);
    vv_free(rest);
    vv_free(mass);
    if (status != VV_OK) {
        vv_body_free(&b);
        vv_attach_free(&whole);
        return status;
    }
    if (def->kinematic)
        vv_attach_take_in(w, &whole);
    if (id)
        *id = vvWorldBody(w, (int)w->body_count - 1);
    return VV_OK;
}

vvStatus vvWorldAddBody(vvWorld *w, const vvBodyDef *def, vvBodyId *id, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_add_body(w, def, id, error));
}
