/* One body of a scene: its mesh, material, place, initial states and attachments, given to the world. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/colour.h"
#include "scene/document.h"
#include "scene/rest_angles.h"

enum { MOST_VALUES = 256 }; /* most numbers in the parameters of one generator, state or obstacle */

/* The parameters of the typed object `value`; false (with the error set) if it has more than MOST_VALUES. */
static bool read_values(vv_document *doc, const char *where, const json_t *value, const vv_typed *typed, double *values)
{
    if (vv_typed_size(typed) > MOST_VALUES) {
        vv_scene_fail(doc, where, "\"%s\" has more than %d parameters", typed->info->name, MOST_VALUES);
        return false;
    }
    vv_scene_values(value, typed, values);
    return true;
}

vvStatus vv_scene_make_mesh(vv_document *doc, const json_t *source, const char *pattern, const char *where,
                            vvMesh *mesh, vvMeshNotes *notes)
{
    const char *file = json_string_value(json_object_get(source, "file"));
    double values[MOST_VALUES];
    vv_typed typed = { 0 };
    const json_t *value = NULL;
    vvStatus status = VV_ERROR_INPUT;
    if (vv_scene_is_points(source))
        return vv_scene_make_points(doc, source, where, mesh);
    if (file)
        status = (vv_scene_is_order2(source) ? vvMeshReadOrder2 : vvMeshRead)(file, mesh, notes, doc->error);
    else {
        const char *name = vv_scene_typed_member(source, pattern, &value, &typed);
        vvSetting settings[MOST_VALUES];
        if (!read_values(doc, where, value, &typed, values))
            return status;
        status = vv_scene_generate(doc, where, name, settings, vv_scene_settings(&typed, values, settings),
                                   vv_scene_is_order2(source), mesh);
    }
    return status != VV_OK ? vv_scene_prefix(doc, where) : VV_OK;
}

/* Of tets only the boundary, with the vertices that it uses. */
static vvStatus make_surface(vv_document *doc, const json_t *source, const char *where, vvMesh *surface)
{
    vvStatus status = vv_scene_make_mesh(doc, source, "bodies[].surface", where, surface, NULL);
    if (status != VV_OK || surface->tetCount == 0)
        return status;
    surface->tetCount = 0;
    return vvMeshFinish(surface, NULL, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
}

/* ---- initial states ---- */

static vvStatus set_from_file(vv_document *doc, vvWorld *world, vvBodyId body, const char *path, const char *where)
{
    int first, count;
    vvBodyNodes(world, body, &first, &count);
    double *x = vv_alloc(6 * (size_t)count, sizeof *x), *v = x + 3 * (size_t)count;
    if (!x)
        return vv_fail_memory(doc->error, "positions and velocities");
    vvStatus status = vv_scene_read_state(path, count, x, v, doc->error);
    if (status == VV_OK)
        status = vvBodySetState(world, body, x, v, doc->error);
    vv_free(x);
    return status != VV_OK ? vv_scene_prefix(doc, where) : VV_OK;
}

/* Of rows of three numbers. */
static void read_rows(const json_t *rows, double *to)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (size_t k = 0; k < 3; k++)
            vv_scene_number(json_array_get(json_array_get(rows, i), k), to + 3 * i + k);
}

static vvStatus set_from_scene(vv_document *doc, vvWorld *world, vvBodyId body, const json_t *state, const char *where)
{
    const json_t *positions = json_object_get(state, "positions");
    int first, count;
    vvBodyNodes(world, body, &first, &count);
    if (json_array_size(positions) != (size_t)count)
        return vv_scene_fail(doc, where, "found %zu positions; the body has %d nodes, a position each",
                             json_array_size(positions), count);
    double *x = vv_alloc(6 * (size_t)count, sizeof *x), *v = x + 3 * (size_t)count;
    if (!x)
        return vv_fail_memory(doc->error, "positions and velocities");
    read_rows(positions, x);
    read_rows(json_object_get(state, "velocities"), v);
    const vvStatus status = vvBodySetState(world, body, x, v, doc->error);
    vv_free(x);
    return status != VV_OK ? vv_scene_prefix(doc, where) : VV_OK;
}

static vvStatus set_states(vv_document *doc, vvWorld *world, vvBodyId body, const json_t *states, const char *where)
{
    double values[MOST_VALUES];
    vvSetting settings[MOST_VALUES];
    char item[VV_SCENE_PATH];
    for (size_t i = 0; i < json_array_size(states); i++) {
        vv_typed typed = { 0 };
        const json_t *value = NULL;
        const char *file = json_string_value(json_object_get(json_array_get(states, i), "file"));
        vv_scene_item(item, where, i);
        if (file || json_object_get(json_array_get(states, i), "positions")) {
            vvStatus status = file ? set_from_file(doc, world, body, file, item)
                                   : set_from_scene(doc, world, body, json_array_get(states, i), item);
            if (status != VV_OK)
                return status;
            continue;
        }
        const char *name = vv_scene_typed_member(json_array_get(states, i), "bodies[].start[]", &value, &typed);
        if (!read_values(doc, item, value, &typed, values))
            return VV_ERROR_INPUT;
        const int count = vv_scene_settings(&typed, values, settings);
        if (vvBodySetInitialState(world, body, name, settings, count, doc->error))
            return vv_scene_prefix(doc, item);
    }
    return VV_OK;
}

/* Where the numbers of a state's parameter begin: the one called `name`, or (name NULL) the first vector other than
 * `about`; -1 if there is none. */
static int find_param(const vv_typed *typed, const char *name, const vvParam **param)
{
    int offset = 0;
    for (int i = 0; i < typed->paramCount; i++) {
        *param = &typed->params[i];
        bool vector = (*param)->size == 3, about = strcmp((*param)->name, "about") == 0;
        if (vector && (name ? strcmp((*param)->name, name) == 0 : !about))
            return offset;
        offset += typed->params[i].size;
    }
    return -1;
}

/* velocity.angular is in rad/s; the state's own table says in which unit the state takes it. */
static vvStatus set_motion(vv_document *doc, vvWorld *world, vvBodyId body, const json_t *velocity, const char *state,
                           const char *where)
{
    double values[MOST_VALUES];
    vvSetting settings[MOST_VALUES];
    const vvParam *param;
    vv_typed typed = { 0 };
    if (!vv_typed_find(vv_scene_state, state, &typed) || !read_values(doc, where, NULL, &typed, values))
        return vv_scene_fail(doc, where, "this build has no initial state \"%s\"", state);
    int at = find_param(&typed, NULL, &param);
    if (at >= 0) {
        vv_read_numbers(velocity, state, values + at, 3);
        for (int k = 0; k < 3 && strncmp(param->unit, "deg", 3) == 0; k++)
            values[at + k] *= 180 / acos(-1);
    }
    at = find_param(&typed, "about", &param);
    if (at >= 0)
        vv_read_numbers(velocity, "about", values + at, 3);
    const int count = vv_scene_settings(&typed, values, settings);
    return vvBodySetInitialState(world, body, state, settings, count, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
}

static vvStatus set_velocity(vv_document *doc, vvWorld *world, vvBodyId body, const json_t *velocity, const char *where)
{
    static const char *const states[] = { "linear", "angular" }; /* named as the keys are */
    vvStatus status = VV_OK;
    for (int i = 0; i < 2 && status == VV_OK; i++)
        if (json_object_get(velocity, states[i]))
            status = set_motion(doc, world, body, velocity, states[i], where);
    return status;
}

/* ---- attachments ---- */

static void read_corners(const json_t *corners, vvRegion *region)
{
    for (int k = 0; k < 3; k++) {
        double a = 0, b = 0;
        vv_scene_number(json_array_get(json_array_get(corners, 0), (size_t)k), &a);
        vv_scene_number(json_array_get(json_array_get(corners, 1), (size_t)k), &b);
        region->a[k] = fmin(a, b);
        region->b[k] = fmax(a, b);
    }
}

/* *list (vv_free it) receives the region's vertices; a group's are the mesh's. */
static vvStatus read_region(vv_document *doc, const json_t *where, const vvMesh *mesh, vvRegion *region, int **list)
{
    const json_t *box = json_object_get(where, "box"), *percent = json_object_get(where, "percent");
    const json_t *sphere = json_object_get(where, "sphere"), *half_space = json_object_get(where, "half_space");
    const json_t *vertices = json_object_get(where, "vertices");
    const char *group = json_string_value(json_object_get(where, "group"));
    *region = (vvRegion){ .kind = VV_REGION_ALL };
    if (group && vvRegionOfGroup(mesh, group, region, doc->error))
        return doc->error->status;
    vv_read_boolean(where, "surface", &region->surfaceOnly);
    vv_read_boolean(where, "rim", &region->rimOnly);
    if (box || percent) {
        region->kind = box ? VV_REGION_BOX : VV_REGION_PERCENT;
        read_corners(box ? box : percent, region);
    } else if (sphere) {
        region->kind = VV_REGION_SPHERE;
        vv_read_numbers(sphere, "center", region->a, 3);
        vv_read_number(sphere, "radius", &region->radius);
    } else if (half_space) {
        region->kind = VV_REGION_HALF_SPACE;
        vv_read_numbers(half_space, "point", region->a, 3);
        vv_read_numbers(half_space, "normal", region->b, 3);
    } else if (vertices) {
        region->kind = VV_REGION_VERTICES;
        region->listCount = (int)json_array_size(vertices);
        *list = vv_alloc((size_t)region->listCount, sizeof **list);
        if (!*list)
            return vv_fail_memory(doc->error, "a list of vertices");
        for (int i = 0; i < region->listCount; i++) {
            double index = 0;
            vv_scene_number(json_array_get(vertices, (size_t)i), &index);
            (*list)[i] = (int)index;
        }
        region->list = *list;
    }
    return VV_OK;
}

vvStatus vv_scene_read_motion(vv_document *doc, const json_t *source, vvMotionDef *motion, vvWaypoint **points)
{
    const json_t *waypoints = json_object_get(source, "waypoints");
    vv_read_numbers(source, "velocity", motion->linearVelocity, 3);
    vv_read_number(source, "angular", &motion->angularVelocity);
    vv_read_numbers(source, "about", motion->about, 3);
    vv_read_numbers(source, "axis", motion->axis, 3);
    vv_read_number(source, "start", &motion->startTime);
    vv_read_number(source, "end", &motion->endTime);
    vv_read_boolean(source, "smooth", &motion->smooth);
    motion->waypointCount = (int)json_array_size(waypoints);
    if (motion->waypointCount == 0)
        return VV_OK;
    *points = vv_alloc((size_t)motion->waypointCount, sizeof **points);
    if (!*points)
        return vv_fail_memory(doc->error, "waypoints");
    for (int i = 0; i < motion->waypointCount; i++) {
        const json_t *point = json_array_get(waypoints, (size_t)i);
        vv_read_number(point, "time", &(*points)[i].time);
        vv_read_numbers(point, "offset", (*points)[i].offset, 3);
        vv_read_numbers(point, "turn", (*points)[i].turn, 3);
    }
    motion->waypoints = *points;
    return VV_OK;
}

/* The words, and what they stand for. */
static const struct attach_word {
    const char *word;
    vvAttachKind kind;
    bool symmetric; /* directors, where there are such, keep to the plane too */
} attach_words[] = { { "fixed", VV_ATTACH_FIXED, false },       { "spring", VV_ATTACH_SPRING, false },
                     { "push", VV_ATTACH_PUSH, false },         { "potential", VV_ATTACH_POTENTIAL, false },
                     { "roller", VV_ATTACH_ROLLER, false },     { "force", VV_ATTACH_FORCE, false },
                     { "traction", VV_ATTACH_TRACTION, false }, { "pressure", VV_ATTACH_PRESSURE, false },
                     { "symmetry", VV_ATTACH_ROLLER, true } };

/* Of the key `kind`; what is fixed along some axes only is on a roller. */
static void read_kind(const vvWorld *world, vvBodyId body, const json_t *source, vvAttachDef *def)
{
    const char *word = "fixed", *axes = "xyz";
    size_t k = 0;
    vvBodyElements elements;
    vv_read_text(source, "kind", &word);
    vv_read_text(source, "axes", &axes);
    while (k + 1 < sizeof attach_words / sizeof *attach_words && strcmp(attach_words[k].word, word) != 0)
        k++;
    def->kind = attach_words[k].kind;
    vvBodyGetElements(world, body, &elements);
    def->clamp = attach_words[k].symmetric && elements.directorCount > 0;
    if (strcmp(axes, "xyz") == 0)
        return;
    def->kind = VV_ATTACH_ROLLER;
    for (; *axes; axes++)
        def->axes |= 1u << (*axes - 'x');
}

static vvStatus attach_one(vv_document *doc, vvWorld *world, vvBodyId body, const json_t *source, const char *where,
                           const vvMesh *mesh)
{
    vvAttachDef def = vvDefaultAttachDef();
    int *list = NULL;
    double values[MOST_VALUES];
    vvSetting settings[MOST_VALUES];
    vvWaypoint *points = NULL;
    vvKey *keys = NULL;
    read_kind(world, body, source, &def);
    if (def.kind == VV_ATTACH_POTENTIAL) {
        const json_t *value = NULL;
        vv_typed typed = { 0 };
        def.potential =
            vv_scene_typed_member(json_object_get(source, "potential"), "bodies[].attach[].potential", &value, &typed);
        if (!read_values(doc, where, value, &typed, values))
            return VV_ERROR_INPUT;
        def.settings = settings, def.settingCount = vv_scene_settings(&typed, values, settings);
    }
    vv_read_numbers(source, "acceleration", def.acceleration, 3);
    vv_read_number(source, "stiffness", &def.stiffness);
    vv_read_numbers(source, "normal", def.normal, 3);
    vv_read_number(source, "release", &def.release);
    vv_read_numbers(source, def.kind == VV_ATTACH_TRACTION ? "traction" : "force", def.load, 3);
    vv_read_number(source, "pressure", &def.pressure);
    vv_read_boolean(source, "follow", &def.follows);
    vv_read_boolean(source, "smooth", &def.smooth);
    vv_read_boolean(source, "clamp", &def.clamp);
    char place[VV_SCENE_PATH];
    vv_scene_child(place, where, "where.group");
    vvStatus status = read_region(doc, json_object_get(source, "where"), mesh, &def.where, &list);
    if (status != VV_OK)
        vv_scene_prefix(doc, place);
    if (status == VV_OK)
        status = vv_scene_read_keys(doc, json_object_get(source, "keys"), &def, &keys);
    if (status == VV_OK)
        status = vv_scene_read_motion(doc, json_object_get(source, "motion"), &def.motion, &points);
    if (status == VV_OK && (status = vvBodyAttach(world, body, &def, NULL, doc->error)) != VV_OK)
        vv_scene_prefix(doc, where);
    vv_free(list);
    vv_free(points);
    vv_free(keys);
    return status;
}

/* ---- the body ---- */

void vv_scene_read_place(const json_t *source, vvBodyDef *def)
{
    const json_t *place = json_object_get(source, "place");
    vv_read_numbers(place, "scale", def->scale, 3);
    vv_read_numbers(place, "rotate", def->rotate, 3);
    vv_read_numbers(place, "translate", def->translate, 3);
    vv_read_number(source, "friction", &def->friction);
    vv_read_filter(source, "filter", &def->filter);
}

/* What equal bodies share. */
typedef struct body_shape {
    vvMesh mesh, surface, filled;  /* none if it is empty; filled: the surface that the mesh fills */
    double *thickness, *stiffness; /* of each triangle; NULL: none */
} body_shape;

/* One of several equal bodies: its name, and its offset from the first (m). */
typedef struct copy {
    const char *name;
    double shift[3];
} copy;

static vvStatus add_body(vv_document *doc, vvWorld *world, const json_t *source, const char *where,
                         const body_shape *shape, const copy *as, vvBodyId *body)
{
    vvBodyDef def = vvDefaultBodyDef();
    const json_t *regions = json_object_get(source, "materials");
    vvMaterialDef *more = NULL;
    int *tet_materials = NULL;
    char path[VV_SCENE_PATH];
    def.name = as->name;
    const vvMesh *mesh = &shape->mesh;
    def.mesh = mesh;
    def.surface = shape->surface.vertexCount ? &shape->surface : NULL;
    def.triangleThickness = shape->thickness;
    def.triangleStiffness = shape->stiffness;
    vv_read_boolean(json_object_get(source, "surface"), "collides", &def.surfaceCollides);
    if (mesh->tetCount == 0) /* the mesh's edges are springs, unless the material says otherwise */
        def.material.model = mesh->pointCount ? "free" : "hooke";
    vv_scene_child(path, where, regions ? "materials" : "material");
    vvStatus status = regions ? vv_scene_regions(doc, path, regions, mesh, &def.material, &more, &def.moreMaterialCount,
                                                 &tet_materials)
                              : vv_scene_materials(doc, path, json_object_get(source, "material"), &def.material, &more,
                                                   &def.moreMaterialCount);
    if (status != VV_OK)
        return status;
    def.moreMaterials = more, def.tetMaterials = tet_materials;
    vv_scene_read_place(source, &def);
    for (int k = 0; k < 3; k++)
        def.translate[k] += as->shift[k];
    vv_read_number(source, "thickness", &def.thickness);
    vv_read_boolean(source, "self_contact", &def.selfContact);
    vvRestAngle *angles = NULL;
    const char *file = json_string_value(json_object_get(json_object_get(source, "rest_angles"), "file"));
    vv_scene_child(path, where, "rest_angles.file");
    if (file && vv_rest_angles_read(file, mesh, &angles, &def.restAngleCount, doc->error))
        status = vv_scene_prefix(doc, path);
    def.restAngles = angles;
    if (status == VV_OK)
        status = vvWorldAddBody(world, &def, body, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
    vv_free(angles);
    vv_free(more);
    vv_free(tet_materials);
    return status;
}

static vvStatus build_one(vv_document *doc, vvWorld *world, const json_t *source, const char *where,
                          const body_shape *shape, const copy *as)
{
    const json_t *attach = json_object_get(source, "attach");
    char path[VV_SCENE_PATH], item[VV_SCENE_PATH];
    vvBodyId body = { 0 };
    vvStatus status = add_body(doc, world, source, where, shape, as, &body);
    vv_scene_child(path, where, "attach");
    for (size_t i = 0; status == VV_OK && i < json_array_size(attach); i++) {
        vv_scene_item(item, path, i);
        status = attach_one(doc, world, body, json_array_get(attach, i), item, &shape->mesh);
    }
    vv_scene_child(path, where, "start");
    if (status == VV_OK)
        status = set_states(doc, world, body, json_object_get(source, "start"), path);
    /* some states switch it off; the scene may insist on it */
    if (status == VV_OK && json_is_true(json_object_get(source, "self_contact")) &&
        vvBodySetSelfContact(world, body, true, doc->error))
        status = vv_scene_prefix(doc, where);
    vv_scene_child(path, where, "velocity");
    return status != VV_OK ? status : set_velocity(doc, world, body, json_object_get(source, "velocity"), path);
}

/* The model that a body's material names, itself or through others that it is like; NULL: it takes the default. */
static const char *named_model(vv_document *doc, const json_t *source)
{
    vvMaterialDef material = { 0 }, *more = NULL;
    int count = 0;
    vvError *error = doc->error, ignored;
    doc->error = &ignored; /* what is wrong with it is reported where the body is made */
    vvStatus status = vv_scene_materials(doc, "", json_object_get(source, "material"), &material, &more, &count);
    doc->error = error;
    vv_free(more);
    return status != VV_OK ? NULL : material.model;
}

/* Makes all bodies of one entry. */
static vvStatus build_copies(vv_document *doc, vvWorld *world, const json_t *source, const char *where,
                             const body_shape *shape)
{
    const char *name = "";
    vv_read_text(source, "name", &name);
    const json_t *colour = json_object_get(source, "color");
    vvStatus status = VV_OK;
    if (colour && vv_scene_colour(json_string_value(colour)) < 0) {
        char path[VV_SCENE_PATH];
        vv_scene_child(path, where, "color");
        return vv_scene_fail(doc, path, "\"%s\" is not a colour; six digits are needed, #rrggbb, as in \"#e5694a\"",
                             json_string_value(colour));
    }
    for (int i = 0; status == VV_OK && i < vv_scene_copies(source); i++) {
        char numbered[VV_COPY_NAME];
        copy as = { vv_scene_copy_name(source, name, i, numbered), { 0 } };
        vv_scene_copy_shift(source, i, as.shift);
        status = build_one(doc, world, source, where, shape, &as);
    }
    return status;
}

vvStatus vv_scene_build_body(vv_document *doc, vvWorld *world, size_t index)
{
    const json_t *source = json_array_get(json_object_get(doc->root, "bodies"), index);
    char where[VV_SCENE_PATH], path[VV_SCENE_PATH];
    body_shape shape = { 0 };
    vvMeshNotes notes = { 0 };
    vv_scene_item(where, "bodies", index);
    vv_scene_child(path, where, "mesh");
    const json_t *from = json_object_get(source, "mesh");
    vvStatus status = vv_scene_make_mesh(doc, from, "bodies[].mesh", path, &shape.mesh, &notes);
    if (status == VV_OK && (shape.mesh.tetCount || vv_scene_is_order2(from)))
        vv_scene_tell_straightened(doc, from, path, &notes);
    if (status == VV_OK && json_is_true(json_object_get(from, "fill")))
        status = vv_scene_fill(doc, from, path, &shape.mesh, &shape.filled);
    else if (status == VV_OK)
        vv_scene_warn_of_skin(doc, from, path, &shape.mesh, named_model(doc, source));
    if (status == VV_OK)
        status = vv_scene_raise(doc, from, path, &shape.filled, &shape.mesh);
    vv_scene_child(path, where, "surface");
    if (status == VV_OK && json_object_get(source, "surface"))
        status = make_surface(doc, json_object_get(source, "surface"), path, &shape.surface);
    if (status == VV_OK)
        status =
            vv_scene_triangle_numbers(doc, source, where, "triangle_thickness", &shape.mesh, &notes, &shape.thickness);
    if (status == VV_OK)
        status =
            vv_scene_triangle_numbers(doc, source, where, "triangle_stiffness", &shape.mesh, &notes, &shape.stiffness);
    if (status == VV_OK)
        status = build_copies(doc, world, source, where, &shape);
    vvMeshDestroy(&shape.mesh);
    vvMeshDestroy(&shape.surface);
    vvMeshDestroy(&shape.filled);
    vv_free(shape.thickness);
    vv_free(shape.stiffness);
    return status;
}
