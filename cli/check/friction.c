/* The part of `visviva check` about friction: the coefficient of every pair that may touch, pairs with the same one
 * together. */
#include "cli.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 64, MOST_NAMES = 4, NAME = 96 };

typedef struct group {
    double mu;
    long pairs;
    char named[MOST_NAMES][2][NAME]; /* the first pairs */
} group;

typedef struct groups {
    group list[MOST_GROUPS];
    int count;
    long rest; /* pairs with yet other coefficients */
} groups;

static void body_name(const vvWorld *world, int body, char *out)
{
    snprintf(out, NAME, "\"%s\"", vvBodyName(world, vvWorldBody(world, body)));
}

static void obstacle_name(const vvWorld *world, int obstacle, char *out)
{
    const char *name = vvObstacleName(world, vvWorldObstacleAt(world, obstacle));
    if (name[0])
        snprintf(out, NAME, "\"%s\"", name);
    else
        snprintf(out, NAME, "obstacle %d (%s)", obstacle, vvWorldObstacle(world, obstacle, NULL, NULL));
}

/* b below 0: the obstacle -1 - b. */
static void add_pair(groups *all, const vvWorld *world, double mu, int a, int b)
{
    int i = 0;
    if (isnan(mu))
        return;
    while (i < all->count && all->list[i].mu != mu)
        i++;
    if (i == MOST_GROUPS) {
        all->rest++;
        return;
    }
    if (i == all->count)
        all->list[all->count++] = (group){ .mu = mu };
    group *g = all->list + i;
    if (g->pairs < MOST_NAMES) {
        body_name(world, a, g->named[g->pairs][0]);
        if (b < 0)
            obstacle_name(world, -1 - b, g->named[g->pairs][1]);
        else if (b == a)
            snprintf(g->named[g->pairs][1], NAME, "itself");
        else
            body_name(world, b, g->named[g->pairs][1]);
    }
    g->pairs++;
}

static void find_pairs(groups *all, const vvWorld *world)
{
    const int bodies = vvWorldBodyCount(world), obstacles = vvWorldObstacleCount(world);
    for (int a = 0; a < bodies; a++) {
        vvBodyId body = vvWorldBody(world, a);
        for (int o = 0; o < obstacles; o++)
            add_pair(all, world, vvObstacleFriction(world, vvWorldObstacleAt(world, o), body), a, -1 - o);
        for (int b = a + 1; b < bodies; b++)
            add_pair(all, world, vvWorldFriction(world, body, vvWorldBody(world, b)), a, b);
    }
    for (int a = 0; a < bodies; a++)
        add_pair(all, world, vvWorldFriction(world, vvWorldBody(world, a), vvWorldBody(world, a)), a, a);
}

static int more_pairs_first(const void *p, const void *q)
{
    const group *a = p, *b = q;
    return (a->pairs < b->pairs) - (a->pairs > b->pairs);
}

/* Without the quotes. */
static json_t *plain(const char *name)
{
    size_t length = strlen(name);
    return length > 1 && name[0] == '"' ? json_stringn(name + 1, length - 2) : json_string(name);
}

json_t *vv_json_friction(const vvWorld *world)
{
    groups all = { .count = 0 };
    json_t *list = json_array();
    find_pairs(&all, world);
    qsort(all.list, (size_t)all.count, sizeof *all.list, more_pairs_first);
    for (int i = 0; i < all.count; i++) {
        const group *g = all.list + i;
        json_t *first = json_array();
        for (long k = 0; k < g->pairs && k < MOST_NAMES; k++)
            json_array_append_new(first, json_pack("[o, o]", plain(g->named[k][0]), plain(g->named[k][1])));
        json_array_append_new(
            list, json_pack("{s:f, s:I, s:o}", "coefficient", g->mu, "pairs", (json_int_t)g->pairs, "first", first));
    }
    return list;
}

void vv_cli_print_friction(const vvWorld *world)
{
    groups all = { .count = 0 };
    find_pairs(&all, world);
    if (all.count == 1) {
        printf("  friction: %.4g between all that may touch\n", all.list[0].mu);
        return;
    }
    qsort(all.list, (size_t)all.count, sizeof *all.list, more_pairs_first);
    for (int i = 0; i < all.count; i++) {
        const group *g = all.list + i;
        printf("  friction %.4g: ", g->mu);
        for (long k = 0; k < g->pairs && k < MOST_NAMES; k++)
            printf("%s%s with %s", k ? ", " : "", g->named[k][0], g->named[k][1]);
        if (g->pairs > MOST_NAMES)
            printf(" and %ld more pairs", g->pairs - MOST_NAMES);
        putchar('\n');
    }
    if (all.rest)
        printf("  other coefficients: %ld pairs\n", all.rest);
}
