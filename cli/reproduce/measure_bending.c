/* The energy of the bending springs of a cloth made by the generator `weave`, at the recorded frames: 1/2 k (l - r)^2
 * of each pair of a vertex and the next but one along x and along z (theory §4.4). A spring that is shorter than at
 * rest is bent; a longer one is stretched with the cloth, and in a cloth that hangs these hold most of the energy:
 * wrinkles are in those that are "pressed". */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* { "bending": "pressed", "run": NAME, "body": NAME, "take": ... } */

static int check_bending(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *body = json_object_get(spec, "body");
    if (body && !json_is_string(body))
        return vv_repro_wrong(item, vv_repro_path(below, path, "body"), "must be a body's name");
    return VV_CLI_GO;
}

typedef struct cloth {
    int nx, nz, first;         /* vertices along x and z; the first node */
    double rest[2], stiffness; /* m: of springs along x and z; N/m */
    bool pressed;              /* only springs shorter than at rest */
} cloth;

static double number_at(const json_t *list, size_t i, double otherwise)
{
    const json_t *value = json_is_array(list) ? json_array_get(list, i) : list; /* a scale may be one number */
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* The body's own material: a name, an object, or a list that begins with one. */
static const json_t *material_of(const json_t *scene, const json_t *body)
{
    const json_t *given = json_object_get(body, "material");
    if (json_is_array(given))
        given = json_array_get(given, 0);
    return json_is_string(given) ? json_object_get(json_object_get(scene, "materials"), json_string_value(given))
                                 : given;
}

/* The body of that name, or the first weave; NULL: there is none. */
static const json_t *find_weave(const json_t *scene, const char *name)
{
    size_t i;
    json_t *body;
    json_array_foreach(json_object_get(scene, "bodies"), i, body)
    {
        const char *own = json_string_value(json_object_get(body, "name"));
        if (json_object_get(json_object_get(body, "mesh"), "weave") && (!name || (own && strcmp(own, name) == 0)))
            return body;
    }
    return NULL;
}

static bool read_cloth(const vvRun *run, const json_t *scene, const json_t *body, cloth *c)
{
    const json_t *weave = json_object_get(json_object_get(body, "mesh"), "weave"),
                 *size = json_object_get(weave, "size"), *cells = json_object_get(weave, "cells"),
                 *scale = json_object_get(json_object_get(body, "place"), "scale"),
                 *material = material_of(scene, body);
    const char *name = json_string_value(json_object_get(body, "name")),
               *model = json_string_value(json_object_get(material, "model"));
    c->stiffness = json_number_value(json_object_get(material, "bend_stiffness"));
    c->nx = (int)number_at(cells, 0, 24) + 1;
    c->nz = (int)number_at(cells, 1, 24) + 1;
    c->rest[0] = 2 * number_at(size, 0, 1) * number_at(scale, 0, 1) / (c->nx - 1);
    c->rest[1] = 2 * number_at(size, 1, 1) * number_at(scale, 2, 1) / (c->nz - 1);
    for (int b = 0; b < vvRunBodyCount(run) && model && strcmp(model, "hooke") == 0 && c->stiffness > 0; b++) {
        const vvRunBody *there = vvRunGetBody(run, b);
        c->first = there->firstNode;
        if ((!name || strcmp(there->name, name) == 0) && there->nodeCount == c->nx * c->nz)
            return true;
    }
    return false;
}

static double spring(const cloth *c, const double *a, const double *b, double rest)
{
    double d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] },
           longer = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - rest;
    return c->pressed && longer > 0 ? 0 : 0.5 * c->stiffness * longer * longer;
}

static double energy_of(const cloth *c, const double *x)
{
    double sum = 0;
    for (int i = 0; i < c->nx; i++)
        for (int k = 0; k < c->nz; k++) {
            const double *at = x + 3 * ((size_t)c->first + (size_t)i * (size_t)c->nz + (size_t)k);
            sum += i + 2 < c->nx ? spring(c, at, at + 6 * (size_t)c->nz, c->rest[0]) : 0;
            sum += k + 2 < c->nz ? spring(c, at, at + 6, c->rest[1]) : 0;
        }
    return sum;
}

static bool follow(const vvRun *run, const cloth *c, vv_repro_series *s, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    int frames = vvRunFrameCount(run);
    double *x = calloc(3 * (size_t)vvRunNodeCount(run) + 1, sizeof *x);
    s->times = calloc((size_t)frames + 1, sizeof *s->times);
    s->values = calloc((size_t)frames + 1, sizeof *s->values);
    bool good = x && s->times && s->values;
    if (!good)
        vv_repro_none(why, "out of memory");
    for (int f = 0; f < frames && good; f++) {
        good = vvRunReadFrame(run, f, x, NULL, &error) == VV_OK;
        if (!good)
            vv_repro_none(why, "%.390s", error.message);
        s->times[f] = vvRunFrameTime(run, f);
        s->values[f] = good ? energy_of(c, x) : 0;
        s->count = f + 1;
    }
    free(x);
    return good;
}

static double bending(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series s = { 0 };
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    if (!vv_repro_run_rows(run, why) || !vv_repro_reached(run, spec, why))
        return NAN;
    cloth c = { .pressed = strcmp(json_string_value(json_object_get(spec, "bending")), "pressed") == 0 };
    double value = NAN;
    json_t *scene = json_loads(vvRunSceneText(run->file), 0, NULL);
    const json_t *body = find_weave(scene, json_string_value(json_object_get(spec, "body")));
    if (!body || !read_cloth(run->file, scene, body, &c))
        vv_repro_none(why, "the run has no such cloth: a body made by \"weave\", without copies, of the material "
                           "\"hooke\" with a bend_stiffness");
    else if (follow(run->file, &c, &s, why))
        value = vv_repro_take(&s, spec, why);
    json_decref(scene);
    vv_repro_series_free(&s);
    return value;
}

const vv_repro_measure vv_repro_measure_bending = { "bending",     "run body " VV_REPRO_TAKE_KEYS,
                                                    "run",         "energy of a cloth's bending springs",
                                                    "pressed all", "run",
                                                    check_bending, bending };
