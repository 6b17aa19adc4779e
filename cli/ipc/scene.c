/* visviva new --from-ipc: the scene, as JSON. */
#include "ipc/ipc.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "new/new.h"

/* Members whose value is NULL are left out. */
static void put(json_t *object, const char *key, json_t *value)
{
    if (value)
        json_object_set_new(object, key, value);
}

/* ---- materials ---- */

typedef struct material {
    double density, young, poisson;
} material;

static material material_of(const vv_ipc *c, const vv_ipc_shape *s)
{
    bool own = isfinite(s->density);
    return (material){ own ? s->density : c->density, own ? s->young : c->young, own ? s->poisson : c->poisson };
}

/* Damping: IPC adds 1/2 dx K dx s / h to its objective, K the elastic Hessian at the start of the step; a Rayleigh
 * coefficient r adds 1/2 dx K dx r h with backward Euler, and half of that with the trapezoidal rule. */
static double rayleigh(const vv_ipc *c)
{
    double s = c->damping_ratio > 0 ? 0.75 * c->damping_ratio * pow(c->step, 3) : c->damping_stiffness;
    return (c->newmark ? 2 : 1) * s / (c->step * c->step);
}

/* The name of the shape's material in `materials`, which gets it if it is new. */
static void name_material(const vv_ipc *c, json_t *materials, material *list, int *count, const vv_ipc_shape *s,
                          char name[32])
{
    material m = material_of(c, s);
    int i = 0;
    while (i < *count && memcmp(&list[i], &m, sizeof m) != 0)
        i++;
    snprintf(name, 32, i ? "material-%d" : "material", i + 1);
    if (i < *count)
        return;
    list[(*count)++] = m;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o}", "model", c->fixed_corotated ? "fixed-corotated" : "neo-hookean", "young",
                  vv_ipc_number(m.young), "poisson", vv_ipc_number(m.poisson), "density", vv_ipc_number(m.density));
    if (rayleigh(c) > 0)
        put(object, "damping", json_pack("{s:o}", "rayleigh", vv_ipc_number(rayleigh(c))));
    put(materials, name, object);
}

/* ---- shapes ---- */

static json_t *place_of(const vv_ipc_shape *s)
{
    json_t *place = json_object();
    bool even = s->scale[0] == s->scale[1] && s->scale[1] == s->scale[2];
    if (!even || s->scale[0] != 1)
        put(place, "scale", even ? vv_ipc_number(s->scale[0]) : vv_ipc_vector(s->scale));
    if (s->rotate[0] != 0 || s->rotate[1] != 0 || s->rotate[2] != 0)
        put(place, "rotate", vv_ipc_vector(s->rotate));
    if (s->translate[0] != 0 || s->translate[1] != 0 || s->translate[2] != 0)
        put(place, "translate", vv_ipc_vector(s->translate));
    if (json_object_size(place) > 0)
        return place;
    json_decref(place);
    return NULL;
}

/* Whether one of the first shapes has it. */
static bool has_name(const vv_ipc *c, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(c->shapes[i].name, name) == 0)
            return true;
    return false;
}

/* Of the file, with a number from the second one on. */
static void name_shapes(vv_ipc *c)
{
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_shape *s = &c->shapes[i];
        char stem[64];
        vv_cli_stem(s->path, stem, sizeof stem);
        for (int j = i - 1; j >= 0 && !s->number; j--) /* there may be thousands of one file */
            s->number = strcmp(c->shapes[j].path, s->path) == 0 ? c->shapes[j].number : 0;
        do {
            s->number++;
            snprintf(s->name, sizeof s->name, s->number > 1 ? "%s-%d" : "%s", stem, s->number);
        } while (has_name(c, i, s->name));
    }
}

/* The mesh's file, placed; NULL if its path is too long. */
static json_t *shape_of(const vv_ipc *c, const vv_ipc_shape *s)
{
    char file[4096];
    if (!vv_new_name_in_scene(s->stand_in ? s->stand_in : s->mesh->path, c->output, file))
        return NULL;
    json_t *shape = json_object();
    put(shape, "name", json_string(s->name));
    put(shape, "mesh", json_pack("{s:s}", "file", file));
    put(shape, "place", s->stand_in ? NULL : place_of(s));
    if (s->count[0] * s->count[1] * s->count[2] > 1)
        put(shape, "copies",
            json_pack("{s:[i, i, i], s:o}", "count", s->count[0], s->count[1], s->count[2], "step",
                      vv_ipc_vector(s->step)));
    if (isfinite(s->friction))
        put(shape, "friction", vv_ipc_number(s->friction));
    /* without self-contact no two shapes touch, but all of them touch planes and mesh objects */
    if (c->self_off && !s->apart)
        put(shape, "filter", json_pack("{s:i}", "group", -1));
    return shape;
}

static json_t *body_of(const vv_ipc *c, vv_ipc_shape *s, const char *material_name)
{
    json_t *body = shape_of(c, s);
    if (!body)
        return NULL;
    put(body, "material", json_string(material_name));
    if (c->self_off)
        put(body, "self_contact", json_false());
    put(body, "velocity", json_incref(s->velocity));
    put(body, "attach", json_incref(s->attach));
    return body;
}

static json_t *obstacle_of(const vv_ipc *c, const vv_ipc_shape *s)
{
    json_t *obstacle = shape_of(c, s);
    if (obstacle)
        put(obstacle, "motion", json_incref(s->motion));
    return obstacle;
}

static json_t *plane_of(const vv_ipc *c, int index)
{
    const vv_ipc_plane *p = &c->planes[index];
    json_t *plane = json_object();
    put(plane, "plane", json_pack("{s:o, s:o}", "point", vv_ipc_vector(p->point), "normal", vv_ipc_vector(p->normal)));
    put(plane, "friction", vv_ipc_number(p->friction));
    put(plane, "motion", json_incref(p->motion));
    return plane;
}

/* False: a path is too long. */
static bool put_shapes(vv_ipc *c, json_t *materials, json_t *bodies, json_t *obstacles)
{
    material *list = malloc(((size_t)c->shape_count + 1) * sizeof *list);
    int count = 0;
    bool good = list != NULL;
    name_shapes(c);
    for (int i = 0; i < c->shape_count && good; i++) {
        vv_ipc_shape *s = &c->shapes[i];
        char name[32];
        if (!s->obstacle)
            name_material(c, materials, list, &count, s, name);
        json_t *item = s->obstacle ? obstacle_of(c, s) : body_of(c, s, name);
        good = item && json_array_append_new(s->obstacle ? obstacles : bodies, item) == 0;
    }
    for (int i = 0; i < c->plane_count && good; i++)
        json_array_append_new(obstacles, plane_of(c, i));
    free(list);
    return good;
}

/* ---- the rest ---- */

static json_t *contact_of(const vv_ipc *c, const vv_ipc_lengths *l)
{
    json_t *contact = json_pack("{s:s, s:o, s:o}", "model", "barrier", "distance", vv_ipc_number(l->distance),
                                "stiffness", vv_ipc_number(l->stiffness));
    put(contact, "friction", vv_ipc_number(c->friction));
    put(contact, "friction_speed", vv_ipc_number(l->speed));
    put(contact, "friction_iterations",
        c->friction_iterations > 0 ? vv_ipc_number(c->friction_iterations) : json_string("converged"));
    return contact;
}

json_t *vv_ipc_scene(vv_ipc *c, const vv_ipc_lengths *l)
{
    char name[300];
    const double gravity[3] = { 0, c->gravity ? -9.80665 : 0, 0 };
    json_t *scene = json_object(), *materials = json_object(), *bodies = json_array(), *obstacles = json_array();
    vv_cli_stem(c->path, name, sizeof name);
    if (!put_shapes(c, materials, bodies, obstacles)) {
        json_decref(scene);
        json_decref(materials);
        json_decref(bodies);
        json_decref(obstacles);
        return NULL;
    }
    put(scene, "visviva", json_integer(1));
    put(scene, "name", json_string(name));
    put(scene, "time", json_pack("{s:o, s:o}", "step", vv_ipc_number(c->step), "end", vv_ipc_number(c->duration)));
    put(scene, "gravity", vv_ipc_vector(gravity));
    put(scene, "integrator",
        json_pack("{s:s, s:s}", "scheme", c->newmark ? "trapezoidal" : "backward-euler", "policy", "none"));
    put(scene, "solver", json_pack("{s:o}", "tolerance", vv_ipc_number(l->tolerance)));
    put(scene, "contact", contact_of(c, l));
    put(scene, "materials", materials);
    put(scene, "bodies", bodies);
    put(scene, "obstacles", obstacles);
    return scene;
}
