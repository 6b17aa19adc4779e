/* The mesh that shows intersections: PLY with colours of vertices and of faces, which Blender, MeshLab and ParaView
 * read. Elements that intersect have vertices of their own, so that their red does not run into their neighbours. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RED, FIRST_PALE, PALE_COUNT = 8 };
static const unsigned char colours[FIRST_PALE + PALE_COUNT][3] = {
    { 230, 20, 20 },   { 190, 205, 225 }, { 230, 218, 185 }, { 196, 222, 192 }, { 214, 200, 226 },
    { 190, 222, 220 }, { 226, 226, 196 }, { 222, 204, 214 }, { 208, 208, 208 },
};

static const unsigned char *pale(int body) { return colours[FIRST_PALE + body % PALE_COUNT]; }

/* An element that intersects, or a feature that is too near: its vertices in ascending order, -1 where an edge or a
 * vertex has none. */
typedef struct mark {
    int body, node[3];
} mark;

typedef struct painting {
    const vv_hits *hits;
    mark *marks; /* sorted, each once */
    int markCount, nodes;
    int *vertex; /* node -> vertex of the file, -1: none */
    int vertices, faces, edges;
} painting;

static int compare_marks(const void *left, const void *right)
{
    const mark *a = left, *b = right;
    if (a->body != b->body)
        return a->body < b->body ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->node[k] != b->node[k])
            return a->node[k] < b->node[k] ? -1 : 1;
    return 0;
}

static void sort_nodes(int v[3], int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
            int t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

static mark mark_of(int body, const int *nodes, int count, int first)
{
    mark m = { body, { -1, -1, -1 } };
    for (int k = 0; k < count; k++)
        m.node[k] = nodes[k] + first;
    sort_nodes(m.node, count);
    return m;
}

static void collect_marks(painting *p)
{
    const vv_hits *hits = p->hits;
    int n = 0;
    for (int i = 0; i < hits->listed; i++)
        for (int s = 0; s < 2; s++) {
            int body = hits->list[i].body[s];
            if (body < 0)
                continue; /* an obstacle without a mesh */
            p->marks[n++] =
                mark_of(body, hits->list[i].vertices[s], hits->list[i].count[s], hits->bodies[body].firstVertex);
        }
    qsort(p->marks, (size_t)n, sizeof *p->marks, compare_marks);
    for (int i = 0; i < n; i++)
        if (p->markCount == 0 || compare_marks(&p->marks[p->markCount - 1], &p->marks[i]) != 0)
            p->marks[p->markCount++] = p->marks[i];
}

static bool marked_itself(const painting *p, int body, const int *nodes, int count)
{
    mark m = mark_of(body, nodes, count, 0);
    return bsearch(&m, p->marks, (size_t)p->markCount, sizeof m, compare_marks) != NULL;
}

/* Also by one of its corners or sides. */
static bool marked(const painting *p, int body, const int *nodes, int count)
{
    bool yes = marked_itself(p, body, nodes, count);
    for (int k = 0; p->hits->depth && !yes && k < count; k++)
        yes = marked_itself(p, body, nodes + k, 1) ||
              (count == 3 && marked_itself(p, body, (int[2]){ nodes[k], nodes[(k + 1) % 3] }, 2));
    return yes;
}

/* Edges of a solid or a cloth are shown by its triangles. */
static bool shows_edge(const painting *p, int body, const unsigned char *in_triangle, const int *edge)
{
    return p->hits->bodies[body].tetCount == 0 &&
           (!(in_triangle[edge[0]] && in_triangle[edge[1]]) || marked(p, body, edge, 2));
}

/* ---- the file: the same walk three times, for counts, vertices and elements ---- */

typedef enum pass { COUNT, VERTICES, FACES, EDGES } pass;

static void put_vertex(const painting *p, FILE *f, int node, int body, const unsigned char *c)
{
    const double *x = p->hits->positions + 3 * (size_t)node;
    fprintf(f, "%.9g %.9g %.9g %d %d %d %d %d\n", x[0], x[1], x[2], c[0], c[1], c[2], body,
            node - p->hits->bodies[body].firstVertex);
}

/* One element; `vertex` counts the file's vertices as VERTICES lists them. */
static void put_element(painting *p, FILE *f, pass what, int body, const int *nodes, int count, int *vertex)
{
    bool red = marked(p, body, nodes, count);
    int at[3];
    for (int k = 0; k < count; k++) {
        bool fresh = red || p->vertex[nodes[k]] < 0;
        at[k] = fresh ? (*vertex)++ : p->vertex[nodes[k]];
        if (!red)
            p->vertex[nodes[k]] = at[k];
        if (fresh && what == VERTICES)
            put_vertex(p, f, nodes[k], body, red ? colours[RED] : pale(body));
    }
    const unsigned char *c = red ? colours[RED] : pale(body);
    if (what == COUNT && count > 1)
        *(count == 3 ? &p->faces : &p->edges) += 1;
    else if (what == FACES && count == 3)
        fprintf(f, "3 %d %d %d %d %d %d\n", at[0], at[1], at[2], c[0], c[1], c[2]);
    else if (what == EDGES && count == 2)
        fprintf(f, "%d %d %d %d %d\n", at[0], at[1], c[0], c[1], c[2]);
}

static void walk(painting *p, FILE *f, pass what, unsigned char *in_triangle)
{
    int vertex = 0;
    for (int i = 0; i < p->nodes; i++)
        p->vertex[i] = -1;
    for (int b = 0; b < p->hits->bodyCount; b++) {
        const vv_hit_body *body = &p->hits->bodies[b];
        for (int t = 0; t < body->triangleCount; t++) {
            put_element(p, f, what, b, body->triangles + 3 * (size_t)t, 3, &vertex);
            for (int k = 0; k < 3; k++)
                in_triangle[body->triangles[3 * (size_t)t + (size_t)k]] = 1;
        }
        for (int e = 0; e < body->edgeCount; e++)
            if (shows_edge(p, b, in_triangle, body->edges + 2 * (size_t)e))
                put_element(p, f, what, b, body->edges + 2 * (size_t)e, 2, &vertex);
        for (int n = 0; n < body->vertexCount && body->triangleCount == 0 && body->edgeCount == 0; n++)
            put_element(p, f, what, b, (int[1]){ body->firstVertex + n }, 1, &vertex); /* free points: vertices alone */
    }
    p->vertices = vertex;
}

static void put_header(const painting *p, FILE *f)
{
    fprintf(f, "ply\nformat ascii 1.0\ncomment visviva: surfaces that %s, in red\n",
            p->hits->depth ? "are too near" : "intersect");
    fprintf(f, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n", p->vertices);
    fprintf(f,
            "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty int body\nproperty int vertex\n");
    fprintf(f, "element face %d\nproperty list uchar int vertex_indices\n", p->faces);
    fprintf(f, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    if (p->edges)
        fprintf(
            f,
            "element edge %d\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\nproperty uchar green\n"
            "property uchar blue\n",
            p->edges);
    fprintf(f, "end_header\n");
}

/* A slip of the hand must not cost a scene or a run. */
static bool may_write(const char *path)
{
    static const char signature[3] = { 'p', 'l', 'y' };
    char head[sizeof signature] = "";
    struct stat about;
    FILE *f = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 ? fopen(path, "rb") : NULL;
    if (!f)
        return true;
    bool ply = fread(head, 1, sizeof head, f) == sizeof head && memcmp(head, signature, sizeof head) == 0;
    fclose(f);
    if (!ply)
        fprintf(stderr,
                "visviva: %s exists and is not a PLY file, so the mesh of what intersects is not written; choose "
                "another name\n",
                path);
    return ply;
}

bool vv_hits_write(const char *path, const vv_hits *hits)
{
    painting p = { .hits = hits };
    if (!may_write(path))
        return false;
    p.nodes = hits->places;
    p.marks = calloc(2 * (size_t)hits->listed + 1, sizeof *p.marks);
    p.vertex = calloc((size_t)p.nodes + 1, sizeof *p.vertex);
    unsigned char *in_triangle = calloc((size_t)p.nodes + 1, 1);
    bool ok = p.marks && p.vertex && in_triangle && vv_cli_make_folders(path);
    FILE *f = ok ? fopen(path, "w") : NULL;
    if (f) {
        collect_marks(&p);
        walk(&p, f, COUNT, in_triangle);
        put_header(&p, f);
        walk(&p, f, VERTICES, in_triangle);
        walk(&p, f, FACES, in_triangle);
        walk(&p, f, EDGES, in_triangle);
        ok = !ferror(f);
        ok = fclose(f) == 0 && ok;
    }
    if (!f || !ok)
        fprintf(stderr, "visviva: cannot write %s: %s\n", path, errno ? strerror(errno) : "out of memory");
    free(p.marks);
    free(p.vertex);
    free(in_triangle);
    return f && ok;
}
