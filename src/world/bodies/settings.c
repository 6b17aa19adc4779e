/* Setters of a body and an obstacle: material, damping, friction, filter. */
#include "visviva/settings.h"
#include "base/error.h"
#include "base/memory.h"
#include "world/bodies/directors.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

#include <string.h>

static vvStatus no_body(const char *function, vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT, "%s: no such body; was it removed before?", function);
}

static vvStatus no_obstacle(const char *function, vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT, "%s: no such obstacle; was it removed before?", function);
}

/* ---- materials ---- */

int vvBodyMaterialCount(const vvWorld *w, vvBodyId id)
{
    int b = vv_body_read(w, id);
    return b < 0 ? 0 : w->bodies[b].material_count;
}

bool vvBodyGetMaterial(const vvWorld *w, vvBodyId id, int index, vvMaterialDef *material)
{
    if (!material || index < 0 || index >= vvBodyMaterialCount(w, id))
        return false;
    *material = w->bodies[vv_body_read(w, id)].materials[index].def;
    return true;
}

/* All materials of a body, as vvWorldAddBody would check them. */
static vvStatus check_materials(const vv_body *b, const vvMaterialDef *list, vvError *error)
{
    const vvMesh mesh = { .vertexCount = b->vertex_count,
                          .tetCount = b->tet_count,
                          .triangleCount = b->triangle_count,
                          .edgeCount = b->edge_count,
                          .pointCount = b->point_count,
                          .tet10Count = b->tet10_count };
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh, body.thickness = b->thickness, body.triangleThickness = b->triangle_thickness;
    body.material = list[0];
    body.moreMaterials = list + 1, body.moreMaterialCount = b->material_count - 1;
    body.tetMaterials = b->regions.of;
    vvStatus status = vv_body_check_materials(&body, error);
    bool directors = false;
    for (int i = 0; status == VV_OK && i < b->material_count; i++)
        directors = directors || vv_element_kind_find(list[i].model)->directors;
    if (status == VV_OK && vv_element_kind_find(list[0].model)->affine != (b->solid_volume > 0))
        status = vv_fail(error, VV_ERROR_INPUT,
                         "it is %s and stays so; only young, density and damping of its material may change",
                         b->solid_volume > 0 ? "an affine body" : "no affine body");
    if (status == VV_OK && directors != (vv_body_directors(b) > 0))
        status = vv_fail(error, VV_ERROR_INPUT, "its nodes are %s and stay so: %s",
                         directors ? "vertices only" : "vertices and directors",
                         directors ? "a model that needs a director on each edge must be there from the start"
                                   : "one of its models must use these");
    return status == VV_OK ? status : vv_fail_prefix(error, "body \"%s\": ", b->name);
}

static uint64_t kind_bit(const vv_element_kind *kind)
{
    int k = 0;
    while (vv_element_kind_at(k) && vv_element_kind_at(k) != kind)
        k++;
    return (uint64_t)1 << k;
}

/* Whether the energy of the new one couples no nodes that that of the old one did not. */
static bool same_couplings(const vv_material *a, const vv_material *b)
{
    return a->kind->cell == b->kind->cell && a->kind->directors == b->kind->directors &&
           a->kind->mean == b->kind->mean && !a->kind->create == !b->kind->create &&
           (a->def.bendStiffness > 0) == (b->def.bendStiffness > 0);
}

/* New masses in the world's array, or the old ones on failure. */
static vvStatus change_mass(vvWorld *w, vv_body *b, int index, const vv_material *material, vvError *error)
{
    vv_material before = b->materials[index];
    double *mass = w->mass + b->first, *old = vv_alloc_copy(mass, (size_t)b->count, sizeof *mass);
    if (!old)
        return vv_fail_memory(error, "a body's mass");
    b->materials[index] = *material;
    memset(mass, 0, (size_t)b->count * sizeof *mass);
    vvStatus status = vv_body_set_mass(b, w->rest, w->mass, error);
    if (status != VV_OK) {
        b->materials[index] = before;
        memcpy(mass, old, (size_t)b->count * sizeof *mass);
    }
    vv_free(old);
    return status;
}

/* What the change makes out of date; 0: nothing differs. Only a body's first material gives it mass and damping, but
 * for shells and rods whose directors have an inertia of their own, and regions, each of which has its mass. */
static unsigned stales(const vv_body *b, int index, const vv_material *old, const vv_material *made)
{
    unsigned stale = vv_members_stale(&vv_material_members, &old->def, &made->def);
    const bool thicker = old->def.thickness != made->def.thickness;
    if (index > 0)
        stale &= ~(unsigned)(b->regions.of ? VV_STALE_DAMPING : VV_STALE_DAMPING | VV_STALE_BOOKS);
    if (thicker && (index == 0 || old->kind->directors || made->kind->directors))
        stale |= VV_STALE_BOOKS;
    return stale;
}

static vvStatus put_material(vvWorld *w, int body, int index, const vv_material *made, vvError *error)
{
    vv_body *b = w->bodies + body;
    const vv_material old = b->materials[index];
    const unsigned stale = stales(b, index, &old, made);
    const bool mass = stale & VV_STALE_BOOKS;
    double *before = mass ? vv_world_note_gravity(w) : NULL;
    if (mass && !before)
        return vv_fail_memory(error, "a body's mass");
    vvStatus status = mass ? change_mass(w, b, index, made, error) : VV_OK;
    if (status != VV_OK) {
        vv_free(before);
        return status;
    }
    b->materials[index] = *made;
    if (mass)
        vv_world_regard_gravity(w, before);
    if (stale & VV_STALE_RAYLEIGH)
        w->stale_rayleigh |= w->baked ? kind_bit(made->kind) : 0;
    if (stale & VV_STALE_ELASTIC)
        w->stale_kinds |= w->baked ? kind_bit(made->kind) | kind_bit(old.kind) : 0;
    if (!same_couplings(&old, made))
        vv_world_changed(w);
    else
        vv_world_part_changed(w, stale);
    vv_world_note_material(w, b->name, &old.def, &made->def);
    return VV_OK;
}

vvStatus vv_world_set_materials(vvWorld *w, int body, const vvMaterialDef *list, vvError *error)
{
    const vv_body *b = w->bodies + body;
    vvStatus status = check_materials(b, list, error);
    for (int i = 0; status == VV_OK && i < b->material_count; i++) {
        vv_material made = vv_make_material(list + i, b->tet10_count > 0);
        if (vv_members_same(&vv_material_members, &b->materials[i].def, &made.def))
            continue;
        status = vv_world_remember_made(w, VV_SETTING_MATERIAL, body) ? put_material(w, body, i, &made, error)
                                                                      : vv_fail_memory(error, "a material");
    }
    return status;
}

/* In the place of the present one. */
static vvStatus set_one(vvWorld *w, int body, int index, const vvMaterialDef *def, vvError *error)
{
    const vv_body *b = w->bodies + body;
    if (index < 0 || index >= b->material_count)
        return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" has no material %d: it has %d%s", b->name, index,
                       b->material_count, b->kinematic ? ", as it is kinematic" : "");
    if (vv_check_made(def->internalValue, "vvMaterialDef", "vvBodySetMaterial: the definition", error) != VV_OK)
        return VV_ERROR_INPUT;
    vvMaterialDef *list = vv_alloc((size_t)b->material_count, sizeof *list);
    if (!list)
        return vv_fail_memory(error, "a material");
    for (int i = 0; i < b->material_count; i++)
        list[i] = i == index ? *def : b->materials[i].def;
    vvStatus status = vv_world_set_materials(w, body, list, error);
    vv_free(list);
    return status;
}

static vvStatus set_material(vvWorld *w, vvBodyId id, int index, const vvMaterialDef *def, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return no_body("vvBodySetMaterial", error);
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetMaterial needs a definition, found NULL");
    vvStatus status = vv_world_open(w, "set a material", error);
    return status == VV_OK ? set_one(w, body, index, def, error) : status;
}

vvStatus vvBodySetMaterial(vvWorld *w, vvBodyId id, int index, const vvMaterialDef *material, vvError *error)
{
    VV_WORLD_CALL(w, error, set_material(w, id, index, material, error));
}

/* Of material 0 or, where regions have theirs, of all. */
static vvStatus set_dampings(vvWorld *w, int body, const vvDampingDef *damping, vvError *error)
{
    const vv_body *b = w->bodies + body;
    vvMaterialDef *list = vv_alloc((size_t)b->material_count, sizeof *list);
    if (!list)
        return vv_fail_memory(error, "a material");
    for (int i = 0; i < b->material_count; i++) {
        list[i] = b->materials[i].def;
        if (i == 0 || b->regions.of)
            list[i].damping = *damping;
    }
    vvStatus status = vv_world_set_materials(w, body, list, error);
    vv_free(list);
    return status;
}

static vvStatus set_damping(vvWorld *w, vvBodyId id, const vvDampingDef *damping, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return no_body("vvBodySetDamping", error);
    if (!damping)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodySetDamping needs a definition, found NULL");
    vvStatus status = vv_world_open(w, "set damping", error);
    if (status == VV_OK && w->bodies[body].material_count == 0)
        status = vv_fail(error, VV_ERROR_INPUT, "vvBodySetDamping: body \"%s\" is kinematic and has no damping",
                         w->bodies[body].name);
    if (status != VV_OK)
        return status;
    return set_dampings(w, body, damping, error);
}

vvStatus vvBodySetDamping(vvWorld *w, vvBodyId id, const vvDampingDef *damping, vvError *error)
{
    VV_WORLD_CALL(w, error, set_damping(w, id, damping, error));
}

/* ---- friction ---- */

vvStatus vv_check_surface_owner(const vvWorld *w, int body, const char *function, const char *instead, vvError *error)
{
    if (!w->bodies[body].frame)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s: body \"%s\" carries an obstacle that moves and touches nothing itself; %s sets that of the "
                   "obstacle",
                   function, w->bodies[body].name, instead);
}

void vv_body_put_friction(vvWorld *w, int body, double friction)
{
    if (w->bodies[body].friction == friction)
        return;
    w->bodies[body].friction = friction;
    vv_world_part_changed(w, VV_STALE_FRICTION);
    vv_world_note_setting(w, friction < 0 ? "%.100s: no friction of its own" : "%.100s: friction=%.6g",
                          w->bodies[body].name, friction);
}

static vvStatus set_friction(vvWorld *w, vvBodyId id, double friction, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return no_body("vvBodySetFriction", error);
    vvStatus status = vv_check_surface_owner(w, body, "vvBodySetFriction", "vvObstacleSetFriction", error);
    if (status == VV_OK)
        status = vv_check_friction(&friction, "vvBodySetFriction: the coefficient", error);
    if (status == VV_OK)
        status = vv_world_open(w, "set friction", error);
    if (status == VV_OK && !vv_world_remember_made(w, VV_SETTING_SURFACE, body))
        status = vv_fail_memory(error, "a body's friction");
    if (status == VV_OK)
        vv_body_put_friction(w, body, friction);
    return status;
}

vvStatus vvBodySetFriction(vvWorld *w, vvBodyId id, double friction, vvError *error)
{
    VV_WORLD_CALL(w, error, set_friction(w, id, friction, error));
}

double vvBodyFriction(const vvWorld *w, vvBodyId id)
{
    int body = vv_body_read(w, id);
    return body < 0 ? NAN : w->bodies[body].friction;
}

/* ---- filters ---- */

static bool same_filter(const vvFilter *a, const vvFilter *b)
{
    return a->category == b->category && a->mask == b->mask && a->group == b->group;
}

void vv_body_put_filter(vvWorld *w, int body, const vvFilter *filter, bool self)
{
    vv_body *b = w->bodies + body;
    if (same_filter(&b->filter, filter) && b->self_contact == self)
        return;
    bool other = !same_filter(&b->filter, filter);
    b->filter = *filter;
    b->self_contact = self;
    vv_world_part_changed(w, VV_STALE_CONTACT);
    if (other)
        vv_world_note_setting(w, "%.60s: filter (category %llx, mask %llx, group %d)", b->name,
                              (unsigned long long)filter->category, (unsigned long long)filter->mask,
                              (int)filter->group);
    else
        vv_world_note_setting(w, "%.100s: self_contact=%s", b->name, self ? "true" : "false");
}

static vvStatus check_filter(const vvFilter *filter, const char *function, vvError *error)
{
    if (!filter)
        return vv_fail(error, VV_ERROR_INPUT, "%s needs a filter, found NULL", function);
    return vv_check_made(filter->internalValue, "vvFilter", function, error);
}

static vvStatus set_filter(vvWorld *w, vvBodyId id, const vvFilter *filter, vvError *error)
{
    int body = vv_body_index(w, id);
    if (body < 0)
        return no_body("vvBodySetFilter", error);
    vvStatus status = vv_check_surface_owner(w, body, "vvBodySetFilter", "vvObstacleSetFilter", error);
    if (status == VV_OK)
        status = check_filter(filter, "vvBodySetFilter", error);
    if (status == VV_OK)
        status = vv_world_open(w, "set a filter", error);
    if (status == VV_OK && !vv_world_remember_made(w, VV_SETTING_SURFACE, body))
        status = vv_fail_memory(error, "a body's filter");
    if (status == VV_OK)
        vv_body_put_filter(w, body, filter, w->bodies[body].self_contact);
    return status;
}

vvStatus vvBodySetFilter(vvWorld *w, vvBodyId id, const vvFilter *filter, vvError *error)
{
    VV_WORLD_CALL(w, error, set_filter(w, id, filter, error));
}

/* ---- obstacles ---- */

void vv_obstacle_put(vvWorld *w, int obstacle, double friction, const vvFilter *filter)
{
    vv_obstacle *o = w->obstacles + obstacle;
    unsigned stale = same_filter(&o->filter, filter) ? 0 : VV_STALE_CONTACT;
    stale |= o->friction == friction ? 0 : VV_STALE_FRICTION;
    if (!stale)
        return;
    o->friction = friction;
    o->filter = *filter;
    if (o->body1 > 0) /* what queries see of one that moves */
        w->bodies[o->body1 - 1].filter = *filter;
    vv_world_part_changed(w, stale);
    vv_world_note_setting(w,
                          stale & VV_STALE_CONTACT ? "obstacle %d \"%s\": filter" : "obstacle %d \"%s\": friction=%.6g",
                          obstacle, o->name, friction);
}

static vvStatus set_obstacle(vvWorld *w, int o, double friction, const vvFilter *filter, vvError *error)
{
    if (!vv_world_remember_made(w, VV_SETTING_OBSTACLE, o))
        return vv_fail_memory(error, "an obstacle's settings");
    vv_obstacle_put(w, o, friction, filter);
    return VV_OK;
}

static vvStatus set_obstacle_friction(vvWorld *w, vvObstacleId id, double friction, vvError *error)
{
    int o = vv_obstacle_index(w, id);
    if (o < 0)
        return no_obstacle("vvObstacleSetFriction", error);
    vvStatus status = vv_check_friction(&friction, "vvObstacleSetFriction: the coefficient", error);
    if (status == VV_OK)
        status = vv_world_open(w, "set friction", error);
    return status == VV_OK ? set_obstacle(w, o, friction, &w->obstacles[o].filter, error) : status;
}

vvStatus vvObstacleSetFriction(vvWorld *w, vvObstacleId id, double friction, vvError *error)
{
    VV_WORLD_CALL(w, error, set_obstacle_friction(w, id, friction, error));
}

static vvStatus set_obstacle_filter(vvWorld *w, vvObstacleId id, const vvFilter *filter, vvError *error)
{
    int o = vv_obstacle_index(w, id);
    if (o < 0)
        return no_obstacle("vvObstacleSetFilter", error);
    vvStatus status = check_filter(filter, "vvObstacleSetFilter", error);
    if (status == VV_OK)
        status = vv_world_open(w, "set a filter", error);
    return status == VV_OK ? set_obstacle(w, o, w->obstacles[o].friction, filter, error) : status;
}

vvStatus vvObstacleSetFilter(vvWorld *w, vvObstacleId id, const vvFilter *filter, vvError *error)
{
    VV_WORLD_CALL(w, error, set_obstacle_filter(w, id, filter, error));
}

vvFilter vvObstacleFilter(const vvWorld *w, vvObstacleId id)
{
    int o = vv_world_readable(w) ? vv_obstacle_index(w, id) : -1;
    return o < 0 ? (vvFilter){ 0 } : w->obstacles[o].filter;
}
