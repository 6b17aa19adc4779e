/* visviva new --from-ipc: the meshes that an input file of IPC names. Each is read once, and the scene names it where
 * it lies. What IPC makes of another file as it reads it, segments or points from an OBJ, is written beside the
 * scene. */
#include "ipc/ipc.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_words[] = { "points", "segments", "surface", "tets" };

const char *vv_ipc_word_for(vv_ipc_kind kind) { return kind_words[kind]; }

/* ---- finding ---- */

static bool try_path(const char *folder, size_t length, const char *path, char found[4096])
{
    int n = length ? snprintf(found, 4096, "%.*s/%s", (int)length, folder, path) : snprintf(found, 4096, "%s", path);
    return n > 0 && n < 4096 && access(found, F_OK) == 0;
}

bool vv_ipc_find(const vv_ipc *c, const char *path, char found[4096])
{
    char real[PATH_MAX];
    if (path[0] == '/' || !realpath(c->path, real))
        return try_path("", 0, path, found);
    for (char *slash = strrchr(real, '/'); slash; slash = strrchr(real, '/')) {
        *slash = 0;
        if (try_path(real, strlen(real), path, found))
            return true;
    }
    return try_path("", 0, path, found);
}

/* The ending without its dot, in `room`; "" if there is none. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

static void with_ending(const char *path, const char *ending, char out[4096])
{
    size_t old = strlen(ending_of(path));
    snprintf(out, 4096, "%.*s.%s", (int)(strlen(path) - (old ? old + 1 : 0)), path, ending);
}

/* IPC reads by the ending; without one TetGen's files. */
static bool kind_of(const char *path, vv_ipc_kind *kind)
{
    static const struct {
        const char *ending;
        vv_ipc_kind kind;
    } rows[] = { { "msh", VV_IPC_TETS },    { "ele", VV_IPC_TETS },     { "", VV_IPC_TETS },
                 { "obj", VV_IPC_SURFACE }, { "seg", VV_IPC_SEGMENTS }, { "pt", VV_IPC_POINTS } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].ending, ending_of(path)) == 0) {
            *kind = rows[i].kind;
            return true;
        }
    return false;
}

/* The file that IPC would read for it. Segments and points may lie in an OBJ file of that name. */
static bool find_shape(const vv_ipc *c, const char *path, vv_ipc_kind kind, char found[4096])
{
    char other[4096];
    snprintf(other, sizeof other, "%s%s", path, *ending_of(path) ? "" : ".ele");
    if (vv_ipc_find(c, other, found))
        return true;
    if (kind != VV_IPC_SEGMENTS && kind != VV_IPC_POINTS)
        return false;
    with_ending(path, "obj", other);
    return vv_ipc_find(c, other, found);
}

/* ---- reading ---- */

typedef struct pair {
    int a, b;
} pair;

static int compare_pairs(const void *left, const void *right)
{
    const pair *p = left, *q = right;
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* The edges of a surface's triangles, each once. */
static int *edges_of(const vvMesh *mesh, int *count)
{
    pair *pairs = malloc((3 * (size_t)mesh->triangleCount + 1) * sizeof *pairs);
    *count = 0;
    for (int t = 0; pairs && t < mesh->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->triangles[3 * t + k], b = mesh->triangles[3 * t + (k + 1) % 3];
            pairs[3 * t + k] = (pair){ a < b ? a : b, a < b ? b : a };
        }
    if (!pairs)
        return NULL;
    qsort(pairs, 3 * (size_t)mesh->triangleCount, sizeof *pairs, compare_pairs);
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        if (!*count || compare_pairs(&pairs[*count - 1], &pairs[i]) != 0)
            pairs[(*count)++] = pairs[i];
    return (int *)pairs;
}

/* What a file holds besides is dropped: the triangles of a surface whose edges, or vertices alone, are meant. */
static vvStatus write_part(const vvMesh *mesh, vv_ipc_kind kind, const char *path, vvError *error)
{
    vvMesh part = { .vertexCount = mesh->vertexCount, .positions = mesh->positions };
    if (kind == VV_IPC_SEGMENTS && !(part.edges = edges_of(mesh, &part.edgeCount)))
        return VV_ERROR_MEMORY;
    if (kind == VV_IPC_POINTS) {
        if (!(part.points = malloc(((size_t)mesh->vertexCount + 1) * sizeof *part.points)))
            return VV_ERROR_MEMORY;
        for (part.pointCount = 0; part.pointCount < mesh->vertexCount; part.pointCount++)
            part.points[part.pointCount] = part.pointCount;
    }
    vvStatus status = vvMeshWrite(&part, path, "obj", error);
    free(part.edges);
    free(part.points);
    return status;
}

/* Whether a file of that name was written for another mesh of this scene. */
static bool is_made(const vv_ipc *c, const char *path)
{
    for (int i = 0; i < c->mesh_count; i++)
        if (c->meshes[i] && c->meshes[i]->part_of && c->meshes[i]->path && strcmp(c->meshes[i]->path, path) == 0)
            return true;
    for (int i = 0; i < c->shape_count; i++)
        if (c->shapes[i].wrote_start && strcmp(c->shapes[i].stand_in, path) == 0)
            return true;
    return false;
}

int vv_ipc_name_made(const vv_ipc *c, const char *path, const char *what, char out[4096])
{
    char scene[300], stem[300], number[16] = "";
    const char *slash = strrchr(c->output, '/');
    vv_cli_stem(c->output, scene, sizeof scene);
    vv_cli_stem(path, stem, sizeof stem);
    for (int n = 2; !number[0] || is_made(c, out); n++) {
        snprintf(out, 4096, "%.*s%s-%s%s-%s.obj", slash ? (int)(slash + 1 - c->output) : 0, c->output, scene, stem,
                 number, what);
        snprintf(number, sizeof number, "-%d", n);
    }
    if (!c->force && access(out, F_OK) == 0)
        return vv_cli_wrong("%s exists, and the %s of %s would be written there; choose another name with -o, or "
                            "overwrite it with --force",
                            out, what, path);
    for (int i = 0; i < c->mesh_count; i++)
        if (c->meshes[i] && c->meshes[i]->path && vv_cli_same_file(out, c->meshes[i]->path))
            return vv_cli_wrong(
                "%s is one of the meshes itself, and the %s of %s would be written there; choose another name with -o",
                out, what, path);
    return VV_CLI_GO;
}

static bool holds(const vvMesh *mesh, vv_ipc_kind kind)
{
    return kind == VV_IPC_TETS       ? mesh->tetCount > 0
           : kind == VV_IPC_SURFACE  ? mesh->triangleCount > 0 && !mesh->tetCount
           : kind == VV_IPC_SEGMENTS ? mesh->edgeCount > 0 && !mesh->triangleCount
                                     : mesh->pointCount > 0 && !mesh->triangleCount && !mesh->edgeCount;
}

/* Segments or points out of a mesh that holds more. */
static int take_part(vv_ipc *c, vv_ipc_mesh *m)
{
    char part[4096];
    vvError error;
    int code = vv_ipc_name_made(c, m->path, m->kind == VV_IPC_POINTS ? "points" : "edges", part);
    if (code != VV_CLI_GO)
        return code;
    vvStatus status = write_part(&m->mesh, m->kind, part, &error);
    vvMeshDestroy(&m->mesh);
    if (status == VV_OK)
        status = vvMeshRead(part, &m->mesh, NULL, &error);
    if (status != VV_OK)
        return vv_cli_error(&error);
    m->part_of = m->path;
    return (m->path = vv_ipc_copy(part)) ? VV_CLI_GO : VV_EXIT_FAILED;
}

/* The scene names it. */
static bool is_used(const vv_ipc *c, const vv_ipc_mesh *m)
{
    for (int i = 0; i < c->shape_count; i++)
        if (c->shapes[i].mesh == m && !c->shapes[i].stand_in)
            return true;
    return false;
}

void vv_ipc_print_made(const vv_ipc *c)
{
    for (int i = 0; i < c->mesh_count; i++)
        if (c->meshes[i]->part_of && is_used(c, c->meshes[i]))
            printf("mesh %s: the %s of %s\n", c->meshes[i]->path,
                   c->meshes[i]->kind == VV_IPC_POINTS ? "vertices" : "edges", c->meshes[i]->part_of);
    for (int i = 0; i < c->shape_count; i++)
        if (c->shapes[i].wrote_start)
            printf("mesh %s: %s where it is at first\n", c->shapes[i].stand_in, c->shapes[i].path);
}

void vv_ipc_remove_made(const vv_ipc *c, bool all)
{
    for (int i = 0; i < c->mesh_count; i++)
        if (c->meshes[i] && c->meshes[i]->part_of && c->meshes[i]->path && (all || !is_used(c, c->meshes[i])))
            remove(c->meshes[i]->path);
    for (int i = 0; i < c->shape_count && all; i++)
        if (c->shapes[i].wrote_start)
            remove(c->shapes[i].stand_in);
}

static int read_mesh(vv_ipc *c, const vv_ipc_shape *s, vv_ipc_mesh *m)
{
    vvError error;
    if (vvMeshRead(m->path, &m->mesh, NULL, &error))
        return vv_cli_error(&error);
    if (holds(&m->mesh, m->kind))
        return VV_CLI_GO;
    bool parts =
        m->mesh.triangleCount > 0 && !m->mesh.tetCount && (m->kind == VV_IPC_SEGMENTS || m->kind == VV_IPC_POINTS);
    if (parts || (m->kind == VV_IPC_POINTS && m->mesh.edgeCount > 0))
        return take_part(c, m);
    return vv_ipc_wrong(c, s->line, "%s holds no %s (%d tets, %d triangles, %d edges, %d points)", m->path,
                        vv_ipc_word_for(m->kind), m->mesh.tetCount, m->mesh.triangleCount, m->mesh.edgeCount,
                        m->mesh.pointCount);
}

static int find_mesh(vv_ipc *c, vv_ipc_shape *s, vv_ipc_kind kind)
{
    char found[4096];
    find_shape(c, s->path, kind, found);
    for (int i = 0; i < c->mesh_count; i++)
        if (c->meshes[i]->kind == kind &&
            strcmp(c->meshes[i]->part_of ? c->meshes[i]->part_of : c->meshes[i]->path, found) == 0) {
            s->mesh = c->meshes[i];
            return VV_CLI_GO;
        }
    vv_ipc_mesh **list = vv_ipc_grow(c->meshes, &c->mesh_count, sizeof *list), *m = calloc(1, sizeof *m);
    if (list) {
        c->meshes = list;
        list[c->mesh_count - 1] = m;
    }
    if (!list || !m || !(m->path = vv_ipc_copy(found)))
        return VV_EXIT_FAILED;
    m->kind = kind;
    s->mesh = m;
    vv_cli_phase("new: reading %s", found);
    return read_mesh(c, s, m);
}

int vv_ipc_find_meshes(vv_ipc *c)
{
    int missing = 0;
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_shape *s = &c->shapes[i];
        char found[4096];
        vv_ipc_kind kind;
        if (!kind_of(s->path, &kind))
            return vv_ipc_wrong(c, s->line, "%s: IPC reads .msh, .ele, .obj, .seg and .pt", s->path);
        if (s->apart && kind != VV_IPC_SURFACE)
            return vv_ipc_wrong(c, s->line, "%s: a meshCO is an .obj", s->path);
        bool there = find_shape(c, s->path, kind, found);
        if (there && !vv_cli_is_utf8(found))
            return vv_ipc_wrong(c, s->line, "%s: a scene can only name files whose names are UTF-8; rename it", found);
        if (!there && ++missing <= 20)
            vv_ipc_wrong(c, s->line, "there is no mesh %s%s, neither from the folder of %s nor from those above it",
                         s->path, kind == VV_IPC_SEGMENTS || kind == VV_IPC_POINTS ? ", and no .obj of that name" : "",
                         c->path);
    }
    if (missing)
        return vv_cli_wrong("%s: %d mesh%s missing; nothing was written", c->path, missing,
                            missing > 1 ? "es are" : " is");
    for (int i = 0; i < c->shape_count; i++) {
        vv_ipc_kind kind = VV_IPC_TETS;
        kind_of(c->shapes[i].path, &kind);
        int code = find_mesh(c, &c->shapes[i], kind);
        if (code != VV_CLI_GO)
            return code;
        if (vv_cli_interrupted())
            return VV_EXIT_INTERRUPTED;
    }
    return VV_CLI_GO;
}
