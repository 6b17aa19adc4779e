/* The figures of several starts as one tree: each number becomes its mean, its standard deviation and its range. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1024 };

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* The deviation is that of a sample (n - 1); of a single run it is 0. */
static json_t *spread_numbers(json_t *const *nodes, int count)
{
    double sum = 0, low = INFINITY, high = -INFINITY, squares = 0;
    int n = 0;
    for (int i = 0; i < count; i++)
        if (json_is_number(nodes[i])) {
            double v = json_number_value(nodes[i]);
            sum += v;
            low = fmin(low, v);
            high = fmax(high, v);
            n++;
        }
    double mean = n ? sum / n : NAN;
    for (int i = 0; i < count; i++)
        if (json_is_number(nodes[i]))
            squares += pow(json_number_value(nodes[i]) - mean, 2);
    mean = fmin(fmax(mean, low), high); /* equal numbers have their own mean, whatever the sum's rounding */
    double sd = low < high ? sqrt(squares / (n - 1)) : n ? 0 : NAN;
    json_t *object = json_object();
    json_object_set_new(object, "mean", number(mean));
    json_object_set_new(object, "sd", number(sd));
    json_object_set_new(object, "min", number(low));
    json_object_set_new(object, "max", number(high));
    json_object_set_new(object, "runs", json_integer(n));
    return object;
}

/* The nodes of the runs that are there. */
static int present(json_t *const *nodes, int count, json_t **out)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (nodes[i] && !json_is_null(nodes[i]))
            out[n++] = nodes[i];
    return n;
}

static json_t *spread_object(json_t *const *nodes, int count)
{
    json_t *object = json_object(), *parts[MOST_RUNS], *value;
    const char *key;
    for (int run = 0; run < count; run++)
        json_object_foreach(nodes[run], key, value)
        {
            if (json_object_get(object, key))
                continue;
            for (int i = 0; i < count; i++)
                parts[i] = json_object_get(nodes[i], key);
            json_object_set_new(object, key, vv_study_spread(parts, count));
        }
    return object;
}

static json_t *spread_array(json_t *const *nodes, int count)
{
    json_t *array = json_array(), *parts[MOST_RUNS];
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        longest = json_array_size(nodes[i]) > longest ? json_array_size(nodes[i]) : longest;
    for (size_t k = 0; k < longest; k++) {
        for (int i = 0; i < count; i++)
            parts[i] = json_array_get(nodes[i], k);
        json_array_append_new(array, vv_study_spread(parts, count));
    }
    return array;
}

json_t *vv_study_spread(json_t *const *figures, int count)
{
    json_t *there[MOST_RUNS];
    int n = present(figures, count < MOST_RUNS ? count : MOST_RUNS, there);
    if (n == 0)
        return json_null();
    if (json_is_object(there[0]))
        return spread_object(there, n);
    if (json_is_array(there[0]))
        return spread_array(there, n);
    if (json_is_number(there[0]))
        return spread_numbers(there, n);
    return json_deep_copy(there[0]);
}

json_t *vv_study_find(json_t *tree, const char *path)
{
    char name[64];
    while (tree && *path) {
        size_t n = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        tree = json_is_array(tree) ? json_array_get(tree, (size_t)atoi(name)) : json_object_get(tree, name);
        path += n + (path[n] == '.');
    }
    return tree;
}

double vv_study_number(json_t *tree, const char *path, const char *which)
{
    json_t *value = json_object_get(vv_study_find(tree, path), which);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double vv_study_energy_size(json_t *const *spreads, int count)
{
    static const char *const paths[] = { "energy.second_half.visible.total", "energy.second_half.elastic",
                                         "energy.start.kinetic", "energy.start.elastic", "ledger.friction" };
    double size = 0;
    for (int k = 0; k < count; k++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            size = fmax(size, fabs(vv_study_number(spreads[k], paths[i], "mean")));
    return size;
}
