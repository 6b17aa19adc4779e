/* Surfaces that intersect: gathered from a world that cannot start or from a frame of a run, and listed for people. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 65536, PRINTED = 10 };

void vv_hits_free(vv_hits *hits)
{
    free(hits->bodies);
    free(hits->positions);
    free(hits->list);
    *hits = (vv_hits){ 0 };
}

static vvStatus no_memory(vvError *error)
{
    error->status = VV_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory for a list of intersections");
    return VV_ERROR_MEMORY;
}

static bool make_room(vv_hits *hits, int bodies, int nodes)
{
    *hits = (vv_hits){ .bodyCount = bodies };
    hits->bodies = calloc((size_t)bodies + 1, sizeof *hits->bodies);
    hits->positions = calloc((size_t)nodes + 1, 3 * sizeof *hits->positions);
    hits->list = calloc(LIST_MAX, sizeof *hits->list);
    return hits->bodies && hits->positions && hits->list;
}

vvStatus vv_hits_of_run(const vvRun *run, int frame, vv_hits *hits, vvError *error)
{
    if (!make_room(hits, vvRunBodyCount(run), vvRunNodeCount(run)))
        return no_memory(error);
    for (int b = 0; b < hits->bodyCount; b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        hits->bodies[b] = (vv_hit_body){ body->name, "", body->firstNode, body->nodeCount, body->tetCount, body->triangleCount,
                                         body->edgeCount, body->triangles, body->edges };
    }
    vvStatus status = vvRunReadFrame(run, frame, hits->positions, NULL, error);
    if (!status)
        status = vvRunFindIntersections(run, frame, hits->list, LIST_MAX, &hits->count, error);
    hits->listed = hits->count < LIST_MAX ? hits->count : LIST_MAX;
    return status;
}

vvStatus vv_hits_count(const vvRun *run, int count, int64_t *pairs, vvError *error)
{
    vvStatus status = VV_OK;
    *pairs = 0;
    for (int f = 0; f < count && !status; f++) {
        int found = 0;
        status = vvRunFindIntersections(run, f, NULL, 0, &found, error);
        *pairs += found;
    }
    return status;
}

static int index_of(const vvWorld *world, vvBodyId id, int guess)
{
    int count = vvWorldBodyCount(world);
    for (int i = 0; i < count; i++) {
        int b = (guess + i) % count;
        vvBodyId at = vvWorldBody(world, b);
        if (at.index1 == id.index1 && at.generation == id.generation)
            return b;
    }
    return 0;
}

static vvStatus find_in_world(vvWorld *world, vv_hits *hits, vvError *error)
{
    vvIntersection *found = calloc(LIST_MAX, sizeof *found);
    if (!found)
        return no_memory(error);
    vvStatus status = vvWorldFindIntersections(world, found, LIST_MAX, &hits->count, error);
    hits->listed = hits->count < LIST_MAX ? hits->count : LIST_MAX;
    for (int i = 0; !status && i < hits->listed; i++) {
        const vvContactSide *sides[2] = { &found[i].a, &found[i].b };
        for (int s = 0; s < 2; s++) {
            hits->list[i].body[s] = index_of(world, sides[s]->body, i ? hits->list[i - 1].body[s] : 0);
            hits->list[i].count[s] = sides[s]->count;
            memcpy(hits->list[i].vertices[s], sides[s]->vertices, sizeof sides[s]->vertices);
        }
        memcpy(hits->list[i].point, found[i].point, sizeof found[i].point);
    }
    free(found);
    return status;
}

static vvStatus hits_of_world(const vvScene *scene, vvWorld *world, vv_hits *hits, vvError *error)
{
    if (!make_room(hits, vvWorldBodyCount(world), vvWorldNodeCount(world)))
        return no_memory(error);
    for (int b = 0; b < hits->bodyCount; b++) {
        vv_hit_body *body = &hits->bodies[b];
        vvBodyId id = vvWorldBody(world, b);
        vvBodyElements elements;
        vvBodyGetElements(world, id, &elements);
        *body = (vv_hit_body){ vvBodyName(world, id), "", 0, 0, elements.tetCount, elements.triangleCount, elements.edgeCount,
                               elements.triangles, elements.edges };
        vvBodyNodes(world, id, &body->firstNode, &body->nodeCount);
        vvSceneBodyPath(scene, b, body->path, sizeof body->path);
    }
    vvStatus status = vvWorldStartPositions(world, hits->positions, error);
    return status ? status : find_in_world(world, hits, error);
}

/* ---- for people ---- */

static void print_side(FILE *out, const vv_hits *hits, const vvRunIntersection *hit, int side)
{
    const int *v = hit->vertices[side];
    if (hit->count[side] == 2)
        fprintf(out, "\"%s\" edge (%d, %d)", hits->bodies[hit->body[side]].name, v[0], v[1]);
    else
        fprintf(out, "\"%s\" triangle (%d, %d, %d)", hits->bodies[hit->body[side]].name, v[0], v[1], v[2]);
}

static void print_body(FILE *out, const vv_hit_body *body)
{
    fprintf(out, body->path[0] ? "\"%s\" (%s)" : "\"%s\"", body->name, body->path);
}

static void print_elements(FILE *out, const vv_hits *hits, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        fprintf(out, "    ");
        print_side(out, hits, &hits->list[i], 0);
        fprintf(out, ", ");
        print_side(out, hits, &hits->list[i], 1);
        fprintf(out, " at (%.6g, %.6g, %.6g)\n", hits->list[i].point[0], hits->list[i].point[1], hits->list[i].point[2]);
    }
}

/* Where the next bodies begin: the list is in the bodies' order. */
static int next_bodies(const vv_hits *hits, int i)
{
    int n = i + 1;
    while (n < hits->listed && memcmp(hits->list[n].body, hits->list[i].body, sizeof hits->list[i].body) == 0)
        n++;
    return n;
}

static void print_bodies(FILE *out, const vv_hits *hits, const int body[2], int count, bool more)
{
    fprintf(out, "  ");
    print_body(out, &hits->bodies[body[0]]);
    fprintf(out, body[0] == body[1] ? " with itself" : " with ");
    if (body[0] != body[1])
        print_body(out, &hits->bodies[body[1]]);
    fprintf(out, ": %d%s pair%s of elements\n", count, more ? " or more" : "", count == 1 ? "" : "s");
}

void vv_hits_print(FILE *out, const vv_hits *hits)
{
    int groups = 0, shown = 0;
    for (int i = 0; i < hits->listed; i = next_bodies(hits, i))
        groups++;
    int each = groups > 0 && PRINTED / groups > 1 ? PRINTED / groups : 1;
    for (int i = 0, next; i < hits->listed && shown < PRINTED; i = next) {
        next = next_bodies(hits, i);
        int count = next - i < each ? next - i : each;
        print_bodies(out, hits, hits->list[i].body, next - i, next == hits->listed && hits->listed < hits->count);
        print_elements(out, hits, i, count);
        if (count < next - i)
            fprintf(out, "    ...\n");
        shown += count;
    }
    if (groups > PRINTED)
        fprintf(out, "  and %d%s more pairs of bodies\n", groups - PRINTED, hits->listed < hits->count ? " or" : "");
    if (groups > 0)
        fprintf(out, "  vertices count from 0 in the mesh file's order, without those that were merged or unused; places are in m\n");
}

void vv_hits_path(const char *run, char *out, size_t size)
{
    static const char ending[] = ".vtkhdf";
    size_t length = strlen(run), tail = sizeof ending - 1;
    if (length > tail && strcmp(run + length - tail, ending) == 0)
        length -= tail;
    snprintf(out, size, "%.*s-intersections.ply", (int)length, run);
}

int vv_cli_start_error(const char *scenePath, const vvScene *scene, vvWorld *world, const char *mesh, const vvError *error)
{
    int code = vv_cli_error_in(scenePath, error);
    vv_hits hits = { 0 };
    vvError ignored;
    if (error->status != VV_ERROR_INPUT || strcmp(vvWorldGetDef(world)->contact.model, "none") == 0)
        return code;
    if (hits_of_world(scene, world, &hits, &ignored) == VV_OK && hits.count > 0) {
        vv_hits_print(stderr, &hits);
        if (vv_hits_write(mesh, &hits))
            fprintf(stderr, "  %s shows them in red\n", mesh);
    }
    vv_hits_free(&hits);
    return code;
}
