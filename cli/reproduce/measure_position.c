/* Positions at the recorded frames: of one node or of the mean of a body's nodes, and how far two runs are from each
 * other. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool open_run(vv_repro_run *run, char why[VV_REPRO_WHY]) { return vv_repro_run_rows(run, why); }

/* ---- { "position": "y", "run": NAME, "body": NAME, "node": 3, "take": ... } ---- */

static int check_position(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    const char *axis = json_string_value(json_object_get(spec, "position"));
    json_t *body = json_object_get(spec, "body"), *node = json_object_get(spec, "node");
    if (!axis || !vv_repro_has_word("x y z distance", axis))
        return vv_repro_wrong(item, vv_repro_path(below, path, "position"),
                              "must be one of: x, y, z, distance (from its start)");
    if (body && !json_is_string(body))
        return vv_repro_wrong(item, vv_repro_path(below, path, "body"), "must be a body's name");
    if (node && (!json_is_integer(node) || json_integer_value(node) < 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "node"), "must be a node of the body, counted from 0");
    return VV_CLI_GO;
}

/* First node and count of what is followed. */
static bool nodes_of(const vvRun *run, const json_t *spec, int *first, int *count, char why[VV_REPRO_WHY])
{
    const char *body = json_string_value(json_object_get(spec, "body"));
    json_t *node = json_object_get(spec, "node");
    *first = 0;
    *count = vvRunNodeCount(run);
    int b = 0;
    while (body && b < vvRunBodyCount(run) && strcmp(vvRunGetBody(run, b)->name, body) != 0)
        b++;
    if (body && b == vvRunBodyCount(run))
        return vv_repro_none(why, "the run has no body \"%.100s\"", body), false;
    if (body) {
        *first = vvRunGetBody(run, b)->firstNode;
        *count = vvRunGetBody(run, b)->nodeCount;
    }
    if (node && json_integer_value(node) >= *count)
        return vv_repro_none(why, "there are only %d nodes", *count), false;
    if (node) {
        *first += (int)json_integer_value(node);
        *count = 1;
    }
    return true;
}

static void mean_of(const double *positions, int first, int count, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++)
            out[k] += positions[3 * i + k] / count;
}

static bool follow(const vvRun *run, const json_t *spec, vv_repro_series *s, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    int first, count, frames = vvRunFrameCount(run);
    const char *axis = json_string_value(json_object_get(spec, "position"));
    double at[3], start[3] = { 0 }, *positions = calloc(3 * (size_t)vvRunNodeCount(run) + 1, sizeof *positions);
    s->times = calloc((size_t)frames + 1, sizeof *s->times);
    s->values = calloc((size_t)frames + 1, sizeof *s->values);
    bool good = positions && s->times && s->values && nodes_of(run, spec, &first, &count, why);
    for (int f = 0; good && f < frames; f++) {
        good = vvRunReadFrame(run, f, positions, NULL, &error) == VV_OK;
        if (!good)
            vv_repro_none(why, "%.390s", error.message);
        mean_of(positions, first, count, at);
        if (f == 0)
            memcpy(start, at, sizeof start);
        s->times[f] = vvRunFrameTime(run, f);
        s->values[f] = axis[0] != 'd'
                           ? at[axis[0] - 'x']
                           : sqrt(pow(at[0] - start[0], 2) + pow(at[1] - start[1], 2) + pow(at[2] - start[2], 2));
        s->count = f + 1;
    }
    free(positions);
    return good;
}

static double position(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series s = { 0 };
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    bool good = open_run(run, why) && vv_repro_reached(run, spec, why) && follow(run->file, spec, &s, why);
    double v = good ? vv_repro_take(&s, spec, why) : NAN;
    vv_repro_series_free(&s);
    return v;
}

const vv_repro_measure vv_repro_measure_position = { "position",     "run body node " VV_REPRO_TAKE_KEYS,
                                                     "run",          "of a node or body at the frames",
                                                     NULL,           "run",
                                                     check_position, position };

/* ---- { "error": NAME, "reference": NAME, "of": "position" }: root mean square over the nodes at the last frame of
 * the run ---- */

static const char *what_of(const json_t *spec)
{
    const char *of = json_string_value(json_object_get(spec, "of"));
    return of ? of : "position";
}

static int check_of(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    if (!vv_repro_has_word("position velocity state", what_of(spec)))
        return vv_repro_wrong(item, vv_repro_path(below, path, "of"),
                              "must be one of: position, velocity (of the state), state (both)");
    return vv_repro_check_run(item, path, spec, "reference", "run");
}

static double *read_last(vv_repro_run *run, double time, bool velocity, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    int frame = 0;
    if (!open_run(run, why))
        return NULL;
    int frames = vvRunFrameCount(run->file);
    double slack = 1e-9 * fabs(time), *out = calloc(3 * (size_t)vvRunNodeCount(run->file) + 1, sizeof *out);
    while (frame < frames && fabs(vvRunFrameTime(run->file, frame) - time) > slack)
        frame++;
    bool good = out && frame < frames &&
                (velocity ? vvRunReadStateVelocities(run->file, frame, out, &error)
                          : vvRunReadFrame(run->file, frame, out, NULL, &error)) == VV_OK;
    if (!good) {
        vv_repro_none(why, "%.390s", error.message[0] ? error.message : "the reference has no frame at the same time");
        free(out);
    }
    return good ? out : NULL;
}

/* The mean square over the nodes of the distance of positions, or of velocities. */
static double mean_square(vv_repro_run *run, vv_repro_run *reference, bool velocity, char why[VV_REPRO_WHY])
{
    double sum = NAN;
    if (!open_run(run, why) || !open_run(reference, why))
        return NAN;
    if (!vv_repro_run_done(run) || !vv_repro_run_done(reference))
        return vv_repro_none(why, "%.390s", vv_repro_run_status(vv_repro_run_done(run) ? reference : run));
    int nodes = vvRunNodeCount(run->file);
    if (vvRunNodeCount(reference->file) != nodes)
        return vv_repro_none(why, "the reference has other nodes");
    double time = vvRunFrameTime(run->file, vvRunFrameCount(run->file) - 1);
    double *a = read_last(run, time, velocity, why), *b = a ? read_last(reference, time, velocity, why) : NULL;
    if (a && b) {
        sum = 0;
        for (int i = 0; i < 3 * nodes; i++)
            sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    free(a);
    free(b);
    return sum / nodes;
}

static double error_of(vv_repro_run *run, vv_repro_run *reference, const char *of, char why[VV_REPRO_WHY])
{
    double h = run->plan.step, position = *of == 'v' ? 0 : mean_square(run, reference, false, why);
    if (*of == 'p' || isnan(position))
        return sqrt(position);
    return sqrt(position + (*of == 's' ? h * h : 1) * mean_square(run, reference, true, why));
}

static double error_value(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    return error_of(vv_repro_find_run(item, json_string_value(json_object_get(spec, "error"))),
                    vv_repro_find_run(item, json_string_value(json_object_get(spec, "reference"))), what_of(spec), why);
}

const vv_repro_measure vv_repro_measure_error = {
    "error", "reference of", "reference", "distance of two runs at the end", NULL, "run", check_of, error_value
};

/* ---- { "order": [NAME, NAME, ...], "reference": NAME }: slope of log error over log h ---- */

static int check_order(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char inside[VV_REPRO_PATH];
    size_t index;
    json_t *name, *runs = json_object_get(spec, "order");
    if (json_array_size(runs) < 2)
        return vv_repro_wrong(item, vv_repro_path(inside, path, "order"), "must be a list of two or more runs");
    json_array_foreach(runs, index, name)
    {
        json_t *as_spec = json_pack("{s:O}", "order", name);
        int code = vv_repro_check_run(item, path, as_spec, "order", "run");
        json_decref(as_spec);
        if (code != VV_CLI_GO)
            return code;
    }
    return check_of(item, path, spec);
}

static double order(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    json_t *name, *runs = json_object_get(spec, "order");
    vv_repro_run *reference = vv_repro_find_run(item, json_string_value(json_object_get(spec, "reference")));
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    size_t index;
    json_array_foreach(runs, index, name)
    {
        vv_repro_run *run = vv_repro_find_run(item, json_string_value(name));
        double h = log(run->plan.step), e = error_of(run, reference, what_of(spec), why);
        if (isnan(e))
            return NAN;
        n += 1, x += h, y += log(e), xx += h * h, xy += h * log(e);
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

const vv_repro_measure vv_repro_measure_order = {
    "order", "reference of", "reference", "order of accuracy by refinement", NULL, NULL, check_order, order
};
