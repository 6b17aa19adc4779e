/* What is drawn of a run, in the order in which the page has it: each body's vertices from neighbour to neighbour, so
 * that most have one before them of which they can be predicted. */
#include "cli.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours of the run's vertices in one body. */
typedef struct near_by {
    int first, count; /* vertices */
    int *start, *list;
} near_by;

/* The corners of an element that stands `corners` numbers after the one before it. */
typedef struct elements {
    const int *list;
    int count, corners;
} elements;

static void find_range(near_by *n, elements e)
{
    int low = e.count ? e.list[0] : 0, high = low;
    for (int i = 0; i < e.count * e.corners; i++) {
        low = e.list[i] < low ? e.list[i] : low;
        high = e.list[i] + 1 > high ? e.list[i] + 1 : high;
    }
    n->first = low, n->count = high - low;
}

static bool find_neighbours(near_by *n, elements e)
{
    *n = (near_by){ 0 };
    find_range(n, e);
    const size_t pairs = (size_t)e.count * (size_t)(e.corners * (e.corners - 1));
    n->start = calloc((size_t)n->count + 2, sizeof *n->start);
    n->list = malloc((pairs + 1) * sizeof *n->list);
    if (!n->start || !n->list)
        return false;
    for (int i = 0; i < e.count * e.corners; i++)
        n->start[e.list[i] - n->first + 2] += e.corners - 1;
    for (int i = 0; i < n->count; i++)
        n->start[i + 2] += n->start[i + 1];
    for (int i = 0; i < e.count; i++)
        for (int a = 0; a < e.corners; a++)
            for (int b = 0; b < e.corners; b++)
                if (a != b)
                    n->list[n->start[e.list[e.corners * i + a] - n->first + 1]++] = e.list[e.corners * i + b];
    return true;
}

/* Numbers the vertices of a component from `seed` on, neighbours after each other. */
static void number_from(int seed, const near_by *n, vv_report_shape *shape, int *number)
{
    int head = shape->vertexCount;
    number[seed] = shape->vertexCount;
    shape->vertices[shape->vertexCount++] = seed;
    for (; head < shape->vertexCount; head++) {
        const int at = shape->vertices[head] - n->first;
        for (int i = n->start[at]; i < n->start[at + 1]; i++) {
            if (number[n->list[i]] >= 0)
                continue;
            number[n->list[i]] = shape->vertexCount;
            shape->vertices[shape->vertexCount++] = n->list[i];
        }
    }
}

/* Triangles turned so that their largest number comes first, and in its order: what follows is small differences. */
static int by_first(const void *a, const void *b)
{
    const int *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void turn_triangle(int t[3])
{
    while (t[0] < t[1] || t[0] < t[2]) {
        const int first = t[0];
        t[0] = t[1], t[1] = t[2], t[2] = first;
    }
}

static void renumber(vv_report_shape *shape, const vv_report_part *part, elements e, const int *number)
{
    int *to = e.corners == 3 ? shape->triangles + 3 * part->firstTriangle : shape->edges + 2 * part->firstEdge;
    for (int i = 0; i < e.count * e.corners; i++)
        to[i] = number[e.list[i]];
    for (int i = 0; i < e.count && e.corners == 3; i++)
        turn_triangle(to + 3 * i);
    if (e.corners == 3)
        qsort(to, (size_t)e.count, 3 * sizeof *to, by_first);
}

static const int least_surface = 60; /* vertices: below this a surface is left as it is */

/* The body's triangles with about a part of their vertices, as numbers of the run, in `room`; fills in who stands for
 * whom. */
static bool simplify_part(const vv_report_shape *shape, const vv_render_stage *stage, elements *e, double part,
                          int *room)
{
    near_by n;
    find_range(&n, *e);
    int *vertices = malloc(((size_t)n.count + 1) * sizeof *vertices),
        *number = malloc(((size_t)n.count + 1) * sizeof *number);
    int *stands = malloc(((size_t)n.count + 1) * sizeof *stands), count = 0;
    bool good = vertices && number && stands;
    for (int i = 0; good && i < n.count; i++)
        number[i] = -1;
    for (int i = 0; good && i < 3 * e->count; i++) {
        const int v = e->list[i];
        if (number[v - n.first] < 0) {
            vertices[count] = v;
            number[v - n.first] = count++;
        }
        room[i] = number[v - n.first];
    }
    const int wanted = (int)(part * count);
    good = good && vv_report_simplify(stage->reference, vertices, count, room, &e->count,
                                      wanted > least_surface ? wanted : least_surface, stands);
    for (int i = 0; good && i < 3 * e->count; i++)
        room[i] = vertices[room[i]];
    for (int i = 0; good && i < count; i++)
        shape->stands[vertices[i]] = vertices[stands[i]];
    e->list = room;
    free(vertices);
    free(number);
    free(stands);
    return good;
}

/* Prediction goes by parts: elements are of their own part's vertices. A run file from elsewhere may say otherwise. */
static bool is_apart(const vv_report_shape *shape, const vv_report_part *part)
{
    const int first = part->firstVertex, end = first + part->vertexCount;
    for (int i = 3 * part->firstTriangle; i < 3 * (part->firstTriangle + part->triangleCount); i++)
        if (shape->triangles[i] < first || shape->triangles[i] >= end)
            return false;
    for (int i = 2 * part->firstEdge; i < 2 * (part->firstEdge + part->edgeCount); i++)
        if (shape->edges[i] < first || shape->edges[i] >= end)
            return false;
    return true;
}

static bool add_part(vv_report_shape *shape, const vv_render_stage *stage, int index, int *number, elements e)
{
    const vvRunBody *body = vvRunGetBody(stage->run, index);
    vv_report_part *part = &shape->parts[shape->partCount];
    *part = (vv_report_part){ .body = index,
                              .firstVertex = shape->vertexCount,
                              .firstTriangle = shape->triangleCount,
                              .firstEdge = shape->edgeCount };
    if (e.count == 0)
        e = (elements){ body->edges, body->edgeCount, 2 };
    near_by n;
    bool good = find_neighbours(&n, e);
    for (int i = 0; good && i < e.count * e.corners; i++)
        if (number[e.list[i]] < 0)
            number_from(e.list[i], &n, shape, number);
    free(n.start);
    free(n.list);
    part->points = e.count == 0 && body->pointCount > 0;
    for (int i = 0; part->points && i < body->nodeCount; i++)
        if (number[body->firstNode + i] < 0) {
            number[body->firstNode + i] = shape->vertexCount;
            shape->vertices[shape->vertexCount++] = body->firstNode + i;
        }
    part->vertexCount = shape->vertexCount - part->firstVertex;
    part->triangleCount = e.corners == 3 ? e.count : 0;
    part->edgeCount = e.corners == 2 ? e.count : 0;
    if (good && e.count > 0)
        renumber(shape, part, e, number);
    shape->triangleCount += part->triangleCount;
    shape->edgeCount += part->edgeCount;
    if (part->edgeCount || part->points)
        part->radius = stage->radius[body->firstNode] > 0 ? stage->radius[body->firstNode] : stage->tubeRadius;
    good = good && is_apart(shape, part);
    shape->partCount += part->vertexCount > 0;
    return good;
}

static void count_links(int *start, const int *list, int count, int corners)
{
    for (int i = 0; i < count; i++)
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++)
                start[list[corners * i + a] + 1] += list[corners * i + b] < list[corners * i + a];
}

static void fill_links(int *next, int *links, const int *list, int count, int corners)
{
    for (int i = 0; i < count; i++)
        for (int a = 0; a < corners; a++)
            for (int b = 0; b < corners; b++) {
                const int from = list[corners * i + a], to = list[corners * i + b];
                if (to < from)
                    links[next[from]++] = to;
            }
}

static bool link_up(vv_report_shape *shape)
{
    const int n = shape->vertexCount;
    shape->linkStart = calloc((size_t)n + 2, sizeof *shape->linkStart);
    int *next = malloc(((size_t)n + 2) * sizeof *next);
    bool good = shape->linkStart && next;
    if (good) {
        count_links(shape->linkStart, shape->triangles, shape->triangleCount, 3);
        count_links(shape->linkStart, shape->edges, shape->edgeCount, 2);
        for (int i = 0; i < n; i++)
            shape->linkStart[i + 1] += shape->linkStart[i];
        memcpy(next, shape->linkStart, ((size_t)n + 1) * sizeof *next);
        shape->links = malloc(((size_t)shape->linkStart[n] + 1) * sizeof *shape->links);
        good = shape->links != NULL;
    }
    if (good) {
        fill_links(next, shape->links, shape->triangles, shape->triangleCount, 3);
        fill_links(next, shape->links, shape->edges, shape->edgeCount, 2);
    }
    free(next);
    return good;
}

/* As add_part, of a part of the vertices. */
static bool add_thinned(vv_report_shape *shape, const vv_render_stage *stage, int index, int *number, double part)
{
    const vvRunBody *body = vvRunGetBody(stage->run, index);
    elements e = { body->drawnTriangles, body->drawnTriangleCount, 3 };
    if (part >= 1 || e.count == 0)
        return add_part(shape, stage, index, number, e);
    int *room = malloc((3 * (size_t)e.count + 1) * sizeof *room);
    bool good = room && simplify_part(shape, stage, &e, part, room) && add_part(shape, stage, index, number, e);
    free(room);
    return good;
}

bool vv_report_shape_make(vv_report_shape *shape, const vv_render_stage *stage, double part)
{
    const vvRun *run = stage->run;
    const size_t all = (size_t)vvRunVertexCount(run), bodies = (size_t)vvRunBodyCount(run);
    size_t triangles = 0, edges = 0;
    *shape = (vv_report_shape){ 0 };
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        triangles += (size_t)vvRunGetBody(run, b)->drawnTriangleCount;
        edges += (size_t)vvRunGetBody(run, b)->edgeCount;
    }
    int *number = malloc((all + 1) * sizeof *number);
    shape->vertices = malloc((all + 1) * sizeof *shape->vertices);
    shape->triangles = malloc((3 * triangles + 1) * sizeof *shape->triangles);
    shape->edges = malloc((2 * edges + 1) * sizeof *shape->edges);
    shape->parts = calloc(bodies + 1, sizeof *shape->parts);
    bool good = number && shape->vertices && shape->triangles && shape->edges && shape->parts;
    for (size_t i = 0; good && i < all; i++)
        number[i] = -1;
    if (good && part < 1)
        good = (shape->stands = malloc((all + 1) * sizeof *shape->stands)) != NULL;
    for (size_t i = 0; good && shape->stands && i < all; i++)
        shape->stands[i] = (int)i;
    for (int b = 0; good && b < vvRunBodyCount(run); b++)
        good = add_thinned(shape, stage, b, number, part);
    good = good && link_up(shape);
    free(number);
    if (!good)
        vv_cli_wrong("report: bodies of the run share vertices, or there is no memory for %d of them",
                     vvRunVertexCount(run));
    return good;
}

void vv_report_shape_free(vv_report_shape *shape)
{
    free(shape->vertices);
    free(shape->triangles);
    free(shape->edges);
    free(shape->parts);
    free(shape->stands);
    free(shape->linkStart);
    free(shape->links);
    *shape = (vv_report_shape){ 0 };
}

/* Of each triangle: how much further its first corner is than that of the triangle before, and how far the others are
 * below it; of each edge the first corner's difference to the one before, with its sign in the lowest bit, and the
 * other corner's to the first. */
void vv_report_shape_pack(const vv_report_shape *shape, vv_report_buffer *out)
{
    const size_t triangles = (size_t)shape->triangleCount, edges = (size_t)shape->edgeCount;
    uint32_t *numbers = malloc((3 * triangles + 2 * edges + 1) * sizeof *numbers);
    int before = 0;
    out->failed = out->failed || !numbers;
    if (!numbers)
        return;
    for (size_t i = 0; i < triangles; i++) {
        const int *t = shape->triangles + 3 * i;
        numbers[i] = (uint32_t)(t[0] - before);
        numbers[triangles + i] = (uint32_t)(t[0] - t[1]);
        numbers[2 * triangles + i] = (uint32_t)(t[0] - t[2]);
        before = t[0];
    }
    before = 0;
    uint32_t *e = numbers + 3 * triangles;
    for (size_t i = 0; i < edges; i++) {
        const int a = shape->edges[2 * i] - before, b = shape->edges[2 * i + 1] - shape->edges[2 * i];
        e[i] = a < 0 ? ((uint32_t)-a << 1) - 1 : (uint32_t)a << 1;
        e[edges + i] = b < 0 ? ((uint32_t)-b << 1) - 1 : (uint32_t)b << 1;
        before = shape->edges[2 * i];
    }
    vv_report_planes(out, numbers, 3 * triangles + 2 * edges);
    free(numbers);
}
