/* Surfaces that intersect: gathered from a world that cannot start or from a frame of a run, and listed for people.
 * And what starts too near each other, or in an obstacle. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 65536, PRINTED = 10 };

void vv_hits_free(vv_hits *hits)
{
    free(hits->bodies);
    free(hits->positions);
    free(hits->triangles);
    free(hits->list);
    free(hits->depth);
    free(hits->obstacles);
    *hits = (vv_hits){ 0 };
}

static vvStatus no_memory(vvError *error)
{
    error->status = VV_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory for a list of intersections");
    return VV_ERROR_MEMORY;
}

static bool make_room(vv_hits *hits, int bodies, int places)
{
    *hits = (vv_hits){ .bodyCount = bodies, .places = places };
    hits->bodies = calloc((size_t)bodies + 1, sizeof *hits->bodies);
    hits->positions = calloc((size_t)places + 1, 3 * sizeof *hits->positions);
    hits->list = calloc(LIST_MAX, sizeof *hits->list);
    return hits->bodies && hits->positions && hits->list;
}

vvStatus vv_hits_of_run(const vvRun *run, int frame, vv_hits *hits, vvError *error)
{
    if (!make_room(hits, vvRunBodyCount(run), vvRunVertexCount(run)))
        return no_memory(error);
    for (int b = 0; b < hits->bodyCount; b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        hits->bodies[b] = (vv_hit_body){ body->name,      "",
                                         body->firstNode, body->nodeCount,
                                         body->tetCount,  body->triangleCount,
                                         body->edgeCount, body->triangles,
                                         body->edges,     false };
        if (body->surfaceCollides)
            hits->bodies[b] = (vv_hit_body){ body->name,
                                             "",
                                             body->firstVertex,
                                             body->vertexCount,
                                             body->tetCount,
                                             body->drawnTriangleCount,
                                             0,
                                             body->drawnTriangles,
                                             NULL,
                                             true };
    }
    vvStatus status = vvRunReadFrame(run, frame, hits->positions, NULL, error);
    if (status == VV_OK)
        vvRunCarry(run, 3, hits->positions);
    if (status == VV_OK)
        status = vvRunFindIntersections(run, frame, hits->list, LIST_MAX, &hits->count, error);
    hits->listed = hits->count < LIST_MAX ? hits->count : LIST_MAX;
    return status;
}

vvStatus vv_hits_count(const vvRun *run, int count, int64_t *pairs, vvError *error)
{
    vvStatus status = VV_OK;
    *pairs = 0;
    for (int f = 0; f < count && status == VV_OK; f++) {
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
    for (int i = 0; status == VV_OK && i < hits->listed; i++) {
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

static int obstacle_index(const vvWorld *world, vvObstacleId id)
{
    for (int i = 0; i < vvWorldObstacleCount(world); i++)
        if (vvWorldObstacleAt(world, i).index1 == id.index1)
            return i;
    return 0;
}

typedef struct near_hit {
    vvRunIntersection hit;
    double depth;
} near_hit;

/* By bodies, the deepest first. */
static int compare_near(const void *left, const void *right)
{
    const near_hit *a = left, *b = right;
    for (int s = 0; s < 2; s++)
        if (a->hit.body[s] != b->hit.body[s])
            return a->hit.body[s] < b->hit.body[s] ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1;
    return memcmp(a->hit.vertices, b->hit.vertices, sizeof a->hit.vertices);
}

static void put_side(const vvWorld *world, const vvContactSide *from, int side, near_hit *to)
{
    to->hit.body[side] = index_of(world, from->body, 0);
    to->hit.count[side] = from->count;
    memcpy(to->hit.vertices[side], from->vertices, sizeof from->vertices);
}

static near_hit near_hit_of(const vvWorld *world, const vvContactPoint *p)
{
    near_hit n = { .depth = -p->gap };
    bool swap = false;
    memcpy(n.hit.point, p->point, sizeof p->point);
    put_side(world, &p->side, 0, &n);
    if (p->obstacle.index1) {
        n.hit.body[1] = -1 - obstacle_index(world, p->obstacle);
    } else {
        swap = index_of(world, p->other.body, 0) < n.hit.body[0];
        put_side(world, &p->other, 1, &n);
    }
    if (swap) {
        put_side(world, &p->other, 0, &n);
        put_side(world, &p->side, 1, &n);
    }
    return n;
}

static bool name_obstacles(const vvScene *scene, const vvWorld *world, vv_hits *hits)
{
    int count = vvWorldObstacleCount(world);
    hits->obstacles = calloc((size_t)count + 1, sizeof *hits->obstacles);
    for (int i = 0; hits->obstacles && i < count; i++) {
        char path[48];
        vvSceneObstaclePath(scene, i, path, sizeof path);
        snprintf(hits->obstacles[i], sizeof hits->obstacles[i], path[0] ? "%.40s (%s)" : "%.40s",
                 vvWorldObstacle(world, i, NULL, NULL), path);
    }
    return hits->obstacles != NULL;
}

/* Instead of intersections. */
static vvStatus find_too_near(const vvScene *scene, vvWorld *world, vv_hits *hits, vvError *error)
{
    vvContactPoint *found = calloc(LIST_MAX, sizeof *found);
    near_hit *sorted = calloc(LIST_MAX, sizeof *sorted);
    hits->depth = calloc(LIST_MAX, sizeof *hits->depth);
    vvStatus status = found && sorted && hits->depth && name_obstacles(scene, world, hits)
                          ? vvWorldFindTooNear(world, found, LIST_MAX, &hits->count, error)
                          : no_memory(error);
    hits->listed = status != VV_OK ? 0 : hits->count < LIST_MAX ? hits->count : LIST_MAX;
    for (int i = 0; i < hits->listed; i++)
        sorted[i] = near_hit_of(world, &found[i]);
    if (hits->listed)
        qsort(sorted, (size_t)hits->listed, sizeof *sorted, compare_near);
    for (int i = 0; i < hits->listed; i++) {
        hits->list[i] = sorted[i].hit;
        hits->depth[i] = sorted[i].depth;
    }
    free(found);
    free(sorted);
    return status;
}

/* All zero if it does not collide. */
static vvBodySurface colliding_surface(const vvWorld *world, vvBodyId id)
{
    vvBodySurface surface = { 0 };
    if (vvBodySurfaceCollides(world, id))
        vvBodyGetSurface(world, id, &surface);
    return surface;
}

/* Places for the nodes and the carried surfaces that collide, and room for the triangles of these. */
static bool make_room_for_world(vv_hits *hits, const vvWorld *world)
{
    int bodies = vvWorldBodyCount(world), places = vvWorldNodeCount(world);
    size_t triangles = 0;
    for (int b = 0; b < bodies; b++) {
        vvBodySurface surface = colliding_surface(world, vvWorldBody(world, b));
        places += surface.vertexCount;
        triangles += (size_t)surface.triangleCount;
    }
    bool ok = make_room(hits, bodies, places);
    hits->triangles = calloc(3 * triangles + 1, sizeof *hits->triangles);
    return ok && hits->triangles;
}

static void list_bodies(const vvScene *scene, const vvWorld *world, vv_hits *hits)
{
    int next = vvWorldNodeCount(world), *triangles = hits->triangles;
    for (int b = 0; b < hits->bodyCount; b++) {
        vv_hit_body *body = &hits->bodies[b];
        vvBodyId id = vvWorldBody(world, b);
        vvBodyElements elements;
        vvBodySurface surface = colliding_surface(world, id);
        vvBodyGetElements(world, id, &elements);
        *body = (vv_hit_body){ vvBodyName(world, id),
                               "",
                               0,
                               elements.vertexCount,
                               elements.tetCount,
                               elements.triangleCount,
                               elements.edgeCount,
                               elements.triangles,
                               elements.edges,
                               false };
        vvBodyNodes(world, id, &body->firstVertex, NULL);
        if (surface.vertexCount) {
            *body =
                (vv_hit_body){ body->name, "",   next, surface.vertexCount, elements.tetCount, surface.triangleCount, 0,
                               triangles,  NULL, true };
            for (int i = 0; i < 3 * surface.triangleCount; i++)
                *triangles++ = next + surface.triangles[i];
            next += surface.vertexCount;
        }
        vvSceneBodyPath(scene, b, body->path, sizeof body->path);
    }
}

static vvStatus hits_of_world(const vvScene *scene, vvWorld *world, vv_hits *hits, vvError *error)
{
    if (!make_room_for_world(hits, world))
        return no_memory(error);
    list_bodies(scene, world, hits);
    vvStatus status = vvWorldStartPositions(world, hits->positions, error);
    for (int b = 0; status == VV_OK && b < hits->bodyCount; b++)
        if (hits->bodies[b].carried)
            status = vvBodySurfacePositions(world, vvWorldBody(world, b), hits->positions,
                                            hits->positions + 3 * (size_t)hits->bodies[b].firstVertex, error);
    if (status == VV_OK)
        status = find_in_world(world, hits, error);
    return status != VV_OK || hits->count > 0 ? status : find_too_near(scene, world, hits, error);
}

/* ---- for people ---- */

static void print_side(FILE *out, const vv_hits *hits, const vvRunIntersection *hit, int side)
{
    const int *v = hit->vertices[side];
    fprintf(out, "\"%s\" %s", hits->bodies[hit->body[side]].name,
            hits->bodies[hit->body[side]].carried ? "surface " : "");
    if (hit->count[side] == 1)
        fprintf(out, "vertex %d", v[0]);
    else if (hit->count[side] == 2)
        fprintf(out, "edge (%d, %d)", v[0], v[1]);
    else
        fprintf(out, "triangle (%d, %d, %d)", v[0], v[1], v[2]);
}

static void print_body(FILE *out, const vv_hits *hits, int body)
{
    if (body < 0)
        fprintf(out, "%s", hits->obstacles[-1 - body]);
    else
        fprintf(out, hits->bodies[body].path[0] ? "\"%s\" (%s)" : "\"%s\"", hits->bodies[body].name,
                hits->bodies[body].path);
}

/* Without the rounding errors of zeros. */
static void print_place(FILE *out, const double x[3])
{
    double large = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    fprintf(out, " at (");
    for (int k = 0; k < 3; k++)
        fprintf(out, "%s%.6g", k ? ", " : "", fabs(x[k]) > 1e-14 * large ? x[k] : 0);
    fprintf(out, ")");
}

static void print_elements(FILE *out, const vv_hits *hits, int first, int count)
{
    char depth[VV_TEXT];
    for (int i = first; i < first + count; i++) {
        const vvRunIntersection *hit = &hits->list[i];
        fprintf(out, "    ");
        print_side(out, hits, hit, 0);
        if (hit->body[1] >= 0) {
            fprintf(out, ", ");
            print_side(out, hits, hit, 1);
            print_place(out, hit->point);
        } else {
            print_place(out, hits->positions +
                                 3 * ((size_t)hits->bodies[hit->body[0]].firstVertex + (size_t)hit->vertices[0][0]));
        }
        if (hits->depth)
            fprintf(out, ": %s %s", vv_text_quantity(depth, hits->depth[i], "m"),
                    hit->body[1] < 0 ? "deep" : "too near");
        fputc('\n', out);
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
    print_body(out, hits, body[0]);
    fprintf(out, body[0] == body[1] ? " with itself" : " with ");
    if (body[0] != body[1])
        print_body(out, hits, body[1]);
    const char *what = body[1] < 0  ? count == 1 ? "vertex" : "vertices"
                       : count == 1 ? "pair of elements"
                                    : "pairs of elements";
    fprintf(out, ": %d%s %s\n", count, more ? " or more" : "", what);
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
        fprintf(out, "  vertices count from 0 in the mesh file's order, without those that were merged or unused; "
                     "positions are in m\n");
}

void vv_hits_path(const char *run, char *out, size_t size)
{
    static const char ending[] = ".vtkhdf";
    size_t length = strlen(run), tail = sizeof ending - 1;
    if (length > tail && strcmp(run + length - tail, ending) == 0)
        length -= tail;
    snprintf(out, size, "%.*s-intersections.ply", (int)length, run);
}

/* The message leaves out what the list already says. */
static int refuse(const char *path, const vvError *error, const vv_hits *hits)
{
    vvError brief = { .status = error->status };
    if (hits->count == 0 || hits->depth || strncmp(error->message, "bodies intersect", 16) != 0)
        return vv_cli_error_in(path, error);
    snprintf(brief.message, sizeof brief.message,
             "bodies intersect, in %d pair%s of elements; move them apart, or switch contact off "
             "for these bodies (filter, self_contact)",
             hits->count, hits->count == 1 ? "" : "s");
    return vv_cli_error_in(path, &brief);
}

int vv_cli_start_error(const char *scenePath, const vvScene *scene, vvWorld *world, const char *mesh,
                       const vvError *error)
{
    vv_hits hits = { 0 };
    vvError ignored;
    bool contact = error->status == VV_ERROR_INPUT && vv_cli_has_contact(vvWorldGetDef(world));
    bool listed = contact && hits_of_world(scene, world, &hits, &ignored) == VV_OK && hits.count > 0;
    if (!listed)
        hits.count = 0;
    int code = refuse(scenePath, error, &hits);
    if (listed) {
        vv_hits_print(stderr, &hits);
        if (vv_hits_write(mesh, &hits))
            fprintf(stderr, "  %s shows them in red\n", mesh);
    }
    vv_hits_free(&hits);
    return code;
}
