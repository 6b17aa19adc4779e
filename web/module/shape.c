/* What is drawn of a world: of each body the surface that it carries, or its own; of obstacles their triangles. */
#include "own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many vertices, triangles and edges of a body are drawn. */
typedef struct part {
    vvBodyElements own;
    vvBodySurface carried;
    int first; /* node */
    int vertices, triangles, edges;
} part;

static part part_of(const vvWorld *world, vvBodyId body)
{
    part p;
    int count;
    vvBodyGetElements(world, body, &p.own);
    vvBodyGetSurface(world, body, &p.carried);
    vvBodyNodes(world, body, &p.first, &count);
    const bool carries = p.carried.vertexCount > 0;
    p.vertices = carries ? p.carried.vertexCount : p.own.vertexCount;
    p.triangles = carries ? p.carried.triangleCount : p.own.triangleCount;
    p.edges = p.triangles > 0 || p.own.pointCount > 0 ? 0 : p.own.edgeCount;
    return p;
}

/* ---- obstacles ---- */

typedef struct picture {
    web_shape_data *shape;
    const vvWorld *world;
    int skip; /* triangles of obstacles that move: they are bodies, and come first */
    bool failed;
} picture;

static bool on_plane(const vvWorld *world, const double corners[9])
{
    for (int i = 0; i < vvWorldObstacleCount(world); i++) {
        const double *v;
        int count;
        if (strcmp(vvWorldObstacle(world, i, &v, &count), "plane") != 0 || count < 6)
            continue;
        double most = 0, size = 0;
        const double length = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
        for (int c = 0; c < 3; c++) {
            double level = 0;
            for (int k = 0; k < 3; k++) {
                level += (corners[3 * c + k] - v[k]) * v[3 + k] / length;
                size = fmax(size, fabs(corners[3 * c + k] - corners[k]));
            }
            most = fmax(most, fabs(level));
        }
        if (most <= 1e-9 * size)
            return true;
    }
    return false;
}

static void add_triangle(void *user, const double corners[9], const double normal[3], uint32_t colour)
{
    picture *p = user;
    web_shape_data *s = p->shape;
    (void)normal, (void)colour;
    if (p->skip-- > 0 || p->failed || on_plane(p->world, corners))
        return;
    if (s->corners + 3 > s->room) {
        const int room = s->room > 0 ? 2 * s->room : 3072;
        float *grown = realloc(s->corner, 3 * (size_t)room * sizeof *grown);
        if (!grown) {
            p->failed = true;
            return;
        }
        s->corner = grown, s->room = room;
    }
    for (int k = 0; k < 9; k++)
        s->corner[3 * s->corners + k] = (float)corners[k];
    s->corners += 3;
}

static vvStatus add_obstacles(web_shape_data *shape, vvWorld *world, vvError *error)
{
    picture p = { .shape = shape, .world = world };
    for (int i = 0; i < vvWorldObstacleCount(world); i++) {
        const vvBodyId moving = vvObstacleBody(world, vvWorldObstacleAt(world, i));
        p.skip += moving.index1 != 0 ? part_of(world, moving).triangles : 0;
    }
    vvDraw draw = vvDefaultDraw();
    draw.what = VV_DRAW_OBSTACLES;
    draw.triangle = add_triangle;
    draw.user = &p;
    const vvStatus status = vvWorldDraw(world, &draw, error);
    return status == VV_OK && p.failed ? VV_ERROR_MEMORY : status;
}

/* ---- all of it ---- */

static void fill(web_shape_data *s, const vvWorld *world)
{
    int vertex = 0, triangle = 0, edge = 0;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const part p = part_of(world, vvWorldBody(world, b));
        const bool carries = p.carried.vertexCount > 0;
        const int shift = vertex - (carries ? 0 : p.first);
        const int *corners = carries ? p.carried.triangles : p.own.triangles;
        for (int i = 0; i < 3 * p.triangles; i++)
            s->triangle[triangle++] = corners[i] + shift;
        for (int i = 0; i < 2 * p.edges; i++)
            s->edge[edge++] = p.own.edges[i] + shift;
        vertex += p.vertices;
    }
}

vvStatus web_shape_make(web_shape_data *s, vvWorld *world, vvError *error)
{
    int largest = 0;
    *s = (web_shape_data){ 0 };
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const part p = part_of(world, vvWorldBody(world, b));
        s->vertices += p.vertices;
        s->triangles += p.triangles;
        s->edges += p.edges;
        largest = p.carried.vertexCount > largest ? p.carried.vertexCount : largest;
    }
    s->x = malloc((3 * (size_t)s->vertices + 1) * sizeof *s->x);
    s->triangle = malloc((3 * (size_t)s->triangles + 1) * sizeof *s->triangle);
    s->edge = malloc((2 * (size_t)s->edges + 1) * sizeof *s->edge);
    s->from = malloc((3 * (size_t)largest + 1) * sizeof *s->from);
    vvStatus status = s->x && s->triangle && s->edge && s->from ? VV_OK : VV_ERROR_MEMORY;
    if (status == VV_OK) {
        fill(s, world);
        status = add_obstacles(s, world, error);
    }
    if (status == VV_ERROR_MEMORY)
        *error = (vvError){ status, "out of memory for what is drawn" };
    if (status != VV_OK)
        web_shape_free(s);
    return status;
}

void web_shape_free(web_shape_data *s)
{
    free(s->x);
    free(s->triangle);
    free(s->edge);
    free(s->corner);
    free(s->from);
    *s = (web_shape_data){ 0 };
}

void web_shape_move(web_shape_data *s, const vvWorld *world)
{
    const double *q = vvWorldPositions(world);
    float *to = s->x;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const vvBodyId body = vvWorldBody(world, b);
        const part p = part_of(world, body);
        const double *from = q + 3 * (size_t)p.first;
        if (p.carried.vertexCount > 0 && vvBodySurfacePositions(world, body, NULL, s->from, NULL) == VV_OK)
            from = s->from;
        for (int i = 0; i < 3 * p.vertices; i++)
            *to++ = (float)from[i];
    }
}

/* ---- in words ---- */

static json_t *three(const double v[3]) { return json_pack("[f, f, f]", v[0], v[1], v[2]); }

static json_t *planes_of(const vvWorld *world)
{
    json_t *list = json_array();
    for (int i = 0; i < vvWorldObstacleCount(world); i++) {
        const double *v;
        int count;
        if (strcmp(vvWorldObstacle(world, i, &v, &count), "plane") == 0 && count >= 6 &&
            vvObstacleBody(world, vvWorldObstacleAt(world, i)).index1 == 0)
            json_array_append_new(list, json_pack("{s:o, s:o}", "point", three(v), "normal", three(v + 3)));
    }
    return list;
}

/* bodies[].color as the scene has it; null: none. */
static json_t *colour_of(const vvScene *scene, const json_t *bodies, int body)
{
    char path[64];
    int place = -1;
    vvSceneBodyPath(scene, body, path, sizeof path);
    if (sscanf(path, "bodies[%d]", &place) != 1)
        return json_null();
    json_t *colour = json_object_get(json_array_get(bodies, (size_t)place), "color");
    return colour ? json_incref(colour) : json_null();
}

json_t *web_shape_parts(const vvScene *scene, vvWorld *world)
{
    json_t *parts = json_array(), *text = json_loads(vvSceneText(scene), 0, NULL);
    const double *g = vvWorldGetDef(world)->gravity, length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double up[3] = { 0, 1, 0 };
    for (int k = 0; length > 0 && k < 3; k++)
        up[k] = -g[k] / length;
    int vertex = 0, triangle = 0, edge = 0;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const vvBodyId body = vvWorldBody(world, b);
        const part p = part_of(world, body);
        const bool closed = p.own.tetCount > 0 || vvBodyIsAffine(world, body);
        json_array_append_new(
            parts, json_pack("{s:s, s:o, s:b, s:b, s:b, s:f, s:[i,i], s:[i,i], s:[i,i]}", "name",
                             vvBodyName(world, body), "color", colour_of(scene, json_object_get(text, "bodies"), b),
                             "obstacle", vvBodyIsKinematic(world, body), "points", p.own.pointCount > 0, "closed",
                             closed, "radius", 0.5 * vvBodyDrawnThickness(world, body), "vertices", vertex, p.vertices,
                             "triangles", triangle, p.triangles, "edges", edge, p.edges));
        vertex += p.vertices;
        triangle += p.triangles;
        edge += p.edges;
    }
    json_decref(text);
    return json_pack("{s:o, s:o, s:o}", "parts", parts, "planes", planes_of(world), "up", three(up));
}
