/* The energy in the standing waves of a bar: of a run of one chain of n nodes along x, at rest in its first frame,
 * whose end nodes have half the mass of the others. Its linear eigenmodes are c_i = cos(k pi i / (n - 1)), k = 1 .. n
 * - 1, with omega_k = 2 (c / l) sin(k pi / (2 (n - 1))), c the speed of sound and l the distance of two nodes
 * (A-search, §5.5: "approximate energy spectrum"; it is that of the linearised bar also where the material is not
 * linear). Velocities are those of the state. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>

static bool is_whole(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) == floor(json_number_value(value));
}

static int check_waves(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    json_t *waves = json_object_get(spec, "waves"), *low = json_array_get(waves, 0), *high = json_array_get(waves, 1);
    if (json_array_size(waves) != 2 || !is_whole(low) || !is_whole(high) || json_number_value(low) < 1 ||
        json_number_value(high) < json_number_value(low))
        return vv_repro_wrong(item, vv_repro_path(below, path, "waves"),
                              "must be the first and the last wave, whole numbers from 1 on");
    if (!(json_number_value(json_object_get(spec, "speed")) > 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "speed"),
                              "must be the speed of sound in the bar, m/s, larger than 0");
    if (!(json_number_value(json_object_get(spec, "mass")) > 0))
        return vv_repro_wrong(item, vv_repro_path(below, path, "mass"),
                              "must be the mass of the bar, kg, larger than 0");
    return VV_CLI_GO;
}

typedef struct bar {
    int n;
    double mass, speed, spacing, *rest;
} bar;

/* Of wave k, J; x and v are the nodes' places and velocities. */
static double energy_of(const bar *b, int k, const double *x, const double *v)
{
    const double pi = 3.14159265358979323846, turn = k * pi / (b->n - 1);
    double norm = 0, q = 0, p = 0, omega = 2 * b->speed / b->spacing * sin(turn / 2);
    for (int i = 0; i < b->n; i++) {
        double m = b->mass / (b->n - 1) * (i == 0 || i == b->n - 1 ? 0.5 : 1), c = cos(turn * i);
        norm += m * c * c;
        q += m * c * (x[3 * i] - b->rest[3 * i]);
        p += m * c * v[3 * i];
    }
    return 0.5 * (p * p + omega * omega * q * q) / norm;
}

static bool follow(vv_repro_run *run, const json_t *spec, bar *b, double *x, double *v, vv_repro_series *s,
                   char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    json_t *waves = json_object_get(spec, "waves");
    int low = (int)json_number_value(json_array_get(waves, 0)), high = (int)json_number_value(json_array_get(waves, 1));
    if (high > b->n - 1)
        return vv_repro_none(why, "the bar has only %d waves", b->n - 1), false;
    for (int f = 0; f < vvRunFrameCount(run->file); f++) {
        if (vvRunReadFrame(run->file, f, f ? x : b->rest, NULL, &error) != VV_OK ||
            vvRunReadStateVelocities(run->file, f, v, &error) != VV_OK)
            return vv_repro_none(why, "%.390s", error.message), false;
        b->spacing = fabs(b->rest[3 * (b->n - 1)] - b->rest[0]) / (b->n - 1);
        s->times[f] = vvRunFrameTime(run->file, f);
        s->values[f] = 0;
        for (int k = low; k <= high; k++)
            s->values[f] += energy_of(b, k, f ? x : b->rest, v);
        s->count = f + 1;
    }
    return true;
}

static double waves(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    if (!vv_repro_run_rows(run, why) || !vv_repro_reached(run, spec, why))
        return NAN;
    size_t n = (size_t)vvRunNodeCount(run->file), frames = (size_t)vvRunFrameCount(run->file);
    bar b = { .n = (int)n,
              .mass = json_number_value(json_object_get(spec, "mass")),
              .speed = json_number_value(json_object_get(spec, "speed")),
              .rest = calloc(3 * n + 1, sizeof(double)) };
    vv_repro_series s = { .times = calloc(frames + 1, sizeof(double)), .values = calloc(frames + 1, sizeof(double)) };
    double *x = calloc(3 * n + 1, sizeof *x), *v = calloc(3 * n + 1, sizeof *v), value = NAN;
    if (n < 2)
        vv_repro_none(why, "a bar needs two nodes");
    else if (!b.rest || !s.times || !s.values || !x || !v)
        vv_repro_none(why, "out of memory");
    else if (follow(run, spec, &b, x, v, &s, why))
        value = vv_repro_take(&s, spec, why);
    free(b.rest);
    free(x);
    free(v);
    vv_repro_series_free(&s);
    return value;
}

const vv_repro_measure vv_repro_measure_waves = { "waves",
                                                  "run speed mass " VV_REPRO_TAKE_KEYS,
                                                  "run speed mass",
                                                  "energy in standing waves of a bar",
                                                  NULL,
                                                  "run",
                                                  check_waves,
                                                  waves };
