/* A column of the ledger over time. The names are those of the CSV export; the vectors are their sizes, with _x, _y,
 * _z their parts. */
#include "reproduce/reproduce.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { REAL, WHOLE, VECTOR, STEP } kind;
typedef struct column {
    const char *name;
    size_t at;
    kind kind;
    bool ofStep; /* row 0 has none */
    bool cost;   /* work that the program did */
} column;
/* clang-format off */
#define C(name, field, kind, ofStep) { name, offsetof(vvLedgerRow, field), kind, ofStep, false }
#define COST(name, field) { name, offsetof(vvLedgerRow, field), WHOLE, true, true }
/* clang-format on */
static const column columns[] = {
    C("step", step, STEP, false),
    C("time", time, REAL, false),
    C("kinetic", kinetic, REAL, false),
    C("elastic", elastic, REAL, false),
    C("gravity", gravity, REAL, false),
    C("contact", contact, REAL, false),
    C("attachment", attachment, REAL, false),
    C("total", total, REAL, false),
    C("target", target, REAL, false),
    C("work", work, REAL, true),
    C("friction", friction, REAL, true),
    C("damping", damping, REAL, true),
    C("decay", decay, REAL, true),
    C("error", error, REAL, true),
    C("policy_change", policyChange, REAL, true),
    C("ground_energy", groundEnergy, REAL, false),
    C("scale", scale, REAL, false),
    C("momentum", momentum, VECTOR, false),
    C("angular_momentum", angularMomentum, VECTOR, false),
    C("angular_momentum_centre", angularMomentumCentre, VECTOR, false),
    C("alpha", alpha, REAL, true),
    C("min_gap", minGap, REAL, false),
    C("min_J", minJ, REAL, false),
    COST("newton_iterations", newtonIterations),
    COST("linear_solves", linearSolves),
    COST("pcg_iterations", pcgIterations),
    COST("line_search_steps", lineSearchSteps),
    C("visible", visible, REAL, false),
    C("visible_centre", visibleCentre, REAL, false),
    C("visible_rotation", visibleRotation, REAL, false),
    C("visible_deformation", visibleDeformation, REAL, false),
    C("springs", springs, REAL, false),
    C("loads", loads, REAL, false),
    C("parts", parts, WHOLE, true),
    C("joint", joint, REAL, false),
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* *part: 0, 1, 2 of a vector's; -1: the whole. */
static const column *find(const char *name, int *part)
{
    *part = -1;
    for (int i = 0; i < COLUMNS; i++) {
        size_t n = strlen(columns[i].name);
        if (strncmp(columns[i].name, name, n) != 0)
            continue;
        if (name[n] == 0)
            return &columns[i];
        if (columns[i].kind == VECTOR && name[n] == '_' && name[n + 1] >= 'x' && name[n + 1] <= 'z' &&
            name[n + 2] == 0) {
            *part = name[n + 1] - 'x';
            return &columns[i];
        }
    }
    return NULL;
}

int vv_repro_check_column(const vv_repro_item *item, const char *path, const char *name)
{
    const char *names[COLUMNS];
    char all[900], hint[VV_HINT];
    size_t used = 0;
    int part;
    if (name && find(name, &part))
        return VV_CLI_GO;
    for (int i = 0; i < COLUMNS && used < sizeof all; i++) {
        names[i] = columns[i].name;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    return vv_repro_wrong(item, path,
                          "\"%s\" is no column of the ledger%s (the columns are: %s; of vectors also with _x, _y, _z)",
                          name ? name : "", vv_cli_hint(hint, name ? name : "", names, COLUMNS), all);
}

static double value_of(const column *c, const vvLedgerRow *row, int part)
{
    const char *at = (const char *)row + c->at;
    const double *v = (const double *)(const void *)at;
    switch (c->kind) {
    case WHOLE: return *(const int *)(const void *)at;
    case STEP: return (double)*(const int64_t *)(const void *)at;
    case VECTOR: return part >= 0 ? v[part] : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    default: return *v;
    }
}

bool vv_repro_column(vv_repro_run *run, const char *name, vv_repro_series *s, char why[VV_REPRO_WHY])
{
    int part;
    const column *c = find(name, &part);
    *s = (vv_repro_series){ 0 };
    if (!vv_repro_run_rows(run, why))
        return false;
    s->times = calloc((size_t)run->rowCount + 1, sizeof *s->times);
    s->values = calloc((size_t)run->rowCount + 1, sizeof *s->values);
    if (!s->times || !s->values)
        return vv_repro_none(why, "out of memory"), false;
    for (int i = c->ofStep; i < run->rowCount; i++) {
        s->times[s->count] = run->rows[i].time;
        s->values[s->count++] = value_of(c, &run->rows[i], part);
    }
    return true;
}

/* ---- { "column": "total", "run": NAME, "take": "max", "as": "relative" } ---- */

static int check(const vv_repro_item *item, const char *path, const json_t *spec)
{
    char below[VV_REPRO_PATH];
    return vv_repro_check_column(item, vv_repro_path(below, path, "column"),
                                 json_string_value(json_object_get(spec, "column")));
}

static double value(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series s;
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "run")));
    bool good = vv_repro_column(run, json_string_value(json_object_get(spec, "column")), &s, why) &&
                vv_repro_reached(run, spec, why);
    double v = good ? vv_repro_take(&s, spec, why) : NAN;
    vv_repro_series_free(&s);
    return v;
}

static bool is_cost(const json_t *spec)
{
    int part;
    const column *of = find(json_string_value(json_object_get(spec, "column")), &part);
    return of && of->cost;
}

const vv_repro_measure vv_repro_measure_column = {
    "column", "run " VV_REPRO_TAKE_KEYS, "run", "of a column of the ledger", NULL, "run", check, value, is_cost
};

/* ---- { "deviation": NAME, "reference": NAME, "column": "total" }: root mean square of the difference at the run's
 * own times ---- */

static int check_deviation(const vv_repro_item *item, const char *path, const json_t *spec)
{
    int code = check(item, path, spec);
    return code == VV_CLI_GO ? vv_repro_check_run(item, path, spec, "reference", "run") : code;
}

/* The reference between its samples: on the straight line. */
static double rms_difference(const vv_repro_series *a, const vv_repro_series *b, char why[VV_REPRO_WHY])
{
    double sum = 0;
    int k = 0, n = 0;
    for (int i = 0; i < a->count; i++) {
        double t = a->times[i], slack = 1e-9 * fabs(t);
        while (k + 1 < b->count && b->times[k] < t - slack)
            k++;
        if (b->count < 2 || b->times[k] < t - slack)
            return vv_repro_none(why, "the reference ends before the run");
        int before = k > 0 ? k - 1 : 0;
        double part = k > 0 ? fmin(1, (t - b->times[before]) / (b->times[k] - b->times[before])) : 0;
        double difference = a->values[i] - (b->values[before] + part * (b->values[k] - b->values[before]));
        if (isfinite(difference)) {
            sum += difference * difference;
            n++;
        }
    }
    return n ? sqrt(sum / n) : vv_repro_none(why, "nothing was sampled");
}

static double deviation(vv_repro_item *item, json_t *spec, char why[VV_REPRO_WHY])
{
    vv_repro_series a = { 0 }, b = { 0 };
    const char *name = json_string_value(json_object_get(spec, "column"));
    vv_repro_run *run = vv_repro_find_run(item, json_string_value(json_object_get(spec, "deviation")));
    bool good =
        vv_repro_column(run, name, &a, why) && vv_repro_reached(run, NULL, why) &&
        vv_repro_column(vv_repro_find_run(item, json_string_value(json_object_get(spec, "reference"))), name, &b, why);
    double v = good ? rms_difference(&a, &b, why) : NAN;
    vv_repro_series_free(&a);
    vv_repro_series_free(&b);
    return v;
}

const vv_repro_measure vv_repro_measure_deviation = {
    "deviation", "reference column", "reference column", "rms difference of a column of two runs", NULL,
    "run",       check_deviation,    deviation
};
