/* visviva new: a model of several parts that do not touch becomes several bodies, each with a mesh of its own beside
 * the scene. A part is named as the file names it (groups of a mesh, as nodes of glTF are; objects and groups of OBJ,
 * solids of STL), else by its number. */
#include "new/new.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- connected parts ---- */

typedef struct parted {
    const vvMesh *mesh;
    int *part; /* of each vertex; -1: of none */
    int count;
} parted;

static int find(int *up, int v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

static void join(int *up, const int *list, int count, int corners)
{
    for (int i = 0; i < count; i++)
        for (int k = 1; k < corners; k++) {
            const int a = find(up, list[corners * i]), b = find(up, list[corners * i + k]);
            up[a > b ? a : b] = a > b ? b : a;
        }
}

/* Parts in the order of their first vertices. False without memory. */
static bool find_parts(const vvMesh *mesh, parted *p)
{
    *p = (parted){ .mesh = mesh, .part = malloc(((size_t)mesh->vertexCount + 1) * sizeof *p->part) };
    int *up = malloc(((size_t)mesh->vertexCount + 1) * sizeof *up);
    const bool good = p->part && up;
    for (int v = 0; good && v < mesh->vertexCount; v++)
        up[v] = v;
    if (good) {
        join(up, mesh->tets, mesh->tetCount, 4);
        join(up, mesh->triangles, mesh->tetCount ? 0 : mesh->triangleCount, 3);
    }
    for (int v = 0; good && v < mesh->vertexCount; v++) {
        const int root = find(up, v);
        p->part[v] = root == v ? p->count++ : p->part[root];
    }
    free(up);
    return good;
}

/* The elements of parts p with take[p] == which, as a mesh of their own. */
static vvStatus pick(const parted *p, const int *take, int which, vvMesh *out, vvError *error)
{
    vvMesh m = *p->mesh;
    int tets = 0, triangles = 0;
    int *list = malloc((4 * (size_t)m.tetCount + 3 * (size_t)m.triangleCount + 1) * sizeof *list);
    double *uvs = m.uvs ? malloc((6 * (size_t)m.triangleCount + 1) * sizeof *uvs) : NULL;
    if (!list || (m.uvs && !uvs)) {
        free(list), free(uvs);
        error->status = VV_ERROR_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for the model's parts");
        return VV_ERROR_MEMORY;
    }
    for (int t = 0; t < m.tetCount; t++)
        if (take[p->part[m.tets[4 * t]]] == which)
            memcpy(list + 4 * tets++, m.tets + 4 * t, 4 * sizeof *list);
    int *corners = list + 4 * tets;
    for (int t = 0; t < m.triangleCount && !m.tetCount; t++)
        if (take[p->part[m.triangles[3 * t]]] == which) {
            memcpy(corners + 3 * triangles, m.triangles + 3 * t, 3 * sizeof *list);
            if (uvs)
                memcpy(uvs + 6 * triangles, m.uvs + 6 * t, 6 * sizeof *uvs);
            triangles++;
        }
    const vvMesh some = { .vertexCount = m.vertexCount,
                          .positions = m.positions,
                          .tetCount = tets,
                          .tets = list,
                          .triangleCount = triangles,
                          .triangles = corners,
                          .uvs = triangles ? uvs : NULL };
    vvStatus status = vvMeshCopy(&some, out, error);
    if (status == VV_OK && (status = vvMeshFinish(out, NULL, error)) != VV_OK)
        vvMeshDestroy(out);
    free(list), free(uvs);
    return status;
}

/* ---- names in the file ---- */

enum { MOST_NAMES = 1000, NAME = 64 };

/* Vertices of named objects. */
typedef struct named {
    char (*names)[NAME];
    int nameCount;
    double *x; /* 3 each */
    int *name;
    size_t count, room;
} named;

static void take_name(named *n, const char *text)
{
    char name[NAME];
    const size_t length = strcspn(text, "\r\n");
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME - 1 ? length : NAME - 1), text);
    for (size_t k = strlen(name); k > 0 && name[k - 1] == ' '; k--)
        name[k - 1] = 0;
    for (char *c = name; *c; c++)
        *c = (unsigned char)*c < 0x20 ? '?' : *c;
    if (n->nameCount < MOST_NAMES && name[0] && vv_cli_is_utf8(name))
        memcpy(n->names[n->nameCount++], name, sizeof name);
}

/* A vertex of what was named last. */
static bool take_place(named *n, const double x[3])
{
    if (n->count == n->room) {
        const size_t room = 2 * n->room + 1024;
        double *places = realloc(n->x, 3 * room * sizeof *places);
        n->x = places ? places : n->x;
        int *name = places ? realloc(n->name, room * sizeof *name) : NULL;
        if (!name)
            return false;
        n->name = name, n->room = room;
    }
    memcpy(n->x + 3 * n->count, x, 3 * sizeof *x);
    n->name[n->count++] = n->nameCount - 1;
    return true;
}

static bool take_vertex(named *n, const char *text)
{
    double x[3];
    char *end;
    for (int k = 0; k < 3; k++, text = end) {
        x[k] = strtod(text, &end);
        if (end == text)
            return true;
    }
    return n->nameCount == 0 || take_place(n, x);
}

/* The groups of the file that have triangles or tets. */
static bool read_groups(const char *path, named *n)
{
    vvMesh mesh;
    vvError error;
    bool good = true;
    if (vvMeshRead(path, &mesh, NULL, &error))
        return true;
    for (int g = 0; g < mesh.groupCount && good; g++) {
        const vvMeshGroup *group = mesh.groups + g;
        const int before = n->nameCount;
        if (group->dimension >= 2)
            take_name(n, group->name);
        for (int i = 0; i < group->vertexCount && n->nameCount > before && good; i++)
            good = take_place(n, mesh.positions + 3 * (size_t)group->vertices[i]);
    }
    vvMeshDestroy(&mesh);
    return good;
}

/* What the lines "o NAME", "g NAME" of OBJ and "solid NAME" of STL are followed by. Other files have no names here. */
static void read_names(const char *path, named *n)
{
    char line[512];
    *n = (named){ .names = calloc(MOST_NAMES, sizeof *n->names) };
    bool good = n->names && read_groups(path, n);
    FILE *file = good && n->nameCount == 0 ? fopen(path, "rb") : NULL;
    good = good && file;
    while (good && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, "o ", 2) == 0 || strncmp(at, "g ", 2) == 0)
            take_name(n, at + 2);
        else if (strncmp(at, "solid ", 6) == 0)
            take_name(n, at + 6);
        else if (strncmp(at, "v ", 2) == 0)
            good = take_vertex(n, at + 2);
        else if (strncmp(at, "vertex ", 7) == 0)
            good = take_vertex(n, at + 7);
    }
    if (file)
        fclose(file);
}

static void free_names(named *n) { free(n->names), free(n->x), free(n->name); }

static double square(const double a[3], const double b[3])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/* The object whose vertices are nearest to most of some of the part's; -1: none has a name. */
static int name_of(const named *n, const vvMesh *part)
{
    enum { LOOKS = 25 };
    int votes[LOOKS], best = -1, most = 0, looks = 0;
    for (int i = 0; i < LOOKS && n->count > 0; i++) {
        const double *x = part->positions + 3 * ((size_t)i * (size_t)part->vertexCount / LOOKS);
        size_t nearest = 0;
        for (size_t k = 1; k < n->count; k++)
            nearest = square(n->x + 3 * k, x) < square(n->x + 3 * nearest, x) ? k : nearest;
        votes[looks++] = n->name[nearest];
    }
    for (int i = 0; i < looks; i++) {
        int same = 0;
        for (int k = 0; k < looks; k++)
            same += votes[k] == votes[i];
        if (same > most)
            most = same, best = votes[i];
    }
    return best;
}

static void name_part(vv_new_parts *parts, int index, const named *n, const vvMesh *mesh)
{
    vv_new_part *part = &parts->list[index];
    const int found = name_of(n, mesh);
    if (found >= 0)
        snprintf(part->name, sizeof part->name, "%.50s", n->names[found]);
    else
        snprintf(part->name, sizeof part->name, "body %d", index + 1);
    for (int i = 0; i < index; i++)
        if (strcmp(parts->list[i].name, part->name) == 0) {
            snprintf(part->name + strlen(part->name), 12, " %d", index + 1);
            break;
        }
}

/* ---- files ---- */

/* STEM-NAME.ENDING beside the scene, of letters that every system takes. */
static int write_part(const vv_new_parts *parts, const vvMesh *mesh, int index, const char *ending, char written[],
                      char in_scene[])
{
    char name[NAME];
    const char *scene = parts->scene, *slash = strrchr(scene, '/');
    snprintf(name, sizeof name, "%s", parts->list[index].name);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *c))
            *c = '_';
    snprintf(written, VV_NEW_PATH, "%.*s%.200s-%d-%s%s", slash ? (int)(slash + 1 - scene) : 0, scene, parts->stem,
             index + 1, name, ending);
    if (!parts->force && access(written, F_OK) == 0) {
        char taken[VV_NEW_PATH];
        memcpy(taken, written, sizeof taken);
        written[0] = 0; /* it is not ours */
        return vv_cli_wrong("%s exists, and a part of the model would be written there; overwrite it with --force, or "
                            "move it away",
                            taken);
    }
    const int code = vv_cli_write_mesh(mesh, written);
    if (code != VV_CLI_GO)
        return code;
    return vv_new_name_in_scene(written, scene, in_scene) ? VV_CLI_GO
                                                          : vv_cli_wrong("the path of %s is too long", written);
}

void vv_new_parts_free(vv_new_parts *parts, bool keep)
{
    for (int i = 0; i < parts->count && !keep; i++) {
        if (parts->list[i].written[0])
            remove(parts->list[i].written);
        if (parts->list[i].shown[0])
            remove(parts->list[i].shown);
    }
    free(parts->list);
    parts->list = NULL;
    parts->count = 0;
}

/* ---- all of it ---- */

/* Which part of the mesh each part of the surface belongs to: that of the vertex nearest to its first one. */
static int *owners(const parted *surface, const parted *body)
{
    int *owner = malloc(((size_t)surface->count + 1) * sizeof *owner);
    for (int p = 0; owner && p < surface->count; p++)
        owner[p] = -1;
    for (int v = 0; owner && v < surface->mesh->vertexCount; v++) {
        int *of = &owner[surface->part[v]];
        if (*of >= 0)
            continue;
        const double *x = surface->mesh->positions + 3 * (size_t)v;
        int nearest = 0;
        for (int k = 1; k < body->mesh->vertexCount; k++)
            if (square(body->mesh->positions + 3 * (size_t)k, x) <
                square(body->mesh->positions + 3 * (size_t)nearest, x))
                nearest = k;
        *of = body->part[nearest];
    }
    return owner;
}

/* The model's own surface, a file for each body. */
static int split_surface(vv_new_parts *parts, const char *model, const parted *body)
{
    vvMesh whole, some;
    vvError error;
    parted p = { 0 };
    int *owner = NULL, code = VV_CLI_GO;
    if (vvMeshRead(model, &whole, NULL, &error))
        return vv_cli_error(&error);
    if (!find_parts(&whole, &p) || !(owner = owners(&p, body)))
        code = vv_cli_wrong("no memory for the parts of %s", model), code = VV_EXIT_FAILED;
    for (int i = 0; i < parts->count && code == VV_CLI_GO; i++) {
        bool any = false;
        for (int k = 0; k < p.count; k++)
            any = any || owner[k] == i;
        if (!any)
            continue;
        if (pick(&p, owner, i, &some, &error) != VV_OK) {
            code = vv_cli_error_in(model, &error);
            break;
        }
        code = write_part(parts, &some, i, ".obj", parts->list[i].shown, parts->list[i].surface);
        vvMeshDestroy(&some);
    }
    free(owner);
    free(p.part);
    vvMeshDestroy(&whole);
    return code;
}

int vv_new_split(const vvMesh *mesh, const char *model, bool carries, vv_new_parts *parts)
{
    parted p;
    named names;
    vvError error;
    int code = VV_CLI_GO, *own = NULL;
    if (!find_parts(mesh, &p)) {
        vv_cli_wrong("no memory for the parts of %s", model);
        return VV_EXIT_FAILED;
    }
    if (p.count > VV_NEW_MOST_PARTS)
        printf("    the model has %d parts: more than %d become one body\n", p.count, VV_NEW_MOST_PARTS);
    if (p.count < 2 || p.count > VV_NEW_MOST_PARTS || (parts->wanted && p.count != parts->wanted)) {
        free(p.part);
        return VV_CLI_GO;
    }
    read_names(model, &names);
    parts->list = calloc((size_t)p.count, sizeof *parts->list);
    own = malloc((size_t)p.count * sizeof *own);
    if (!parts->list || !own)
        code = vv_cli_wrong("no memory for the parts of %s", model);
    for (int i = 0; i < p.count && code == VV_CLI_GO; i++)
        own[i] = i;
    for (int i = 0; i < p.count && code == VV_CLI_GO; i++) {
        vvMesh part;
        if (pick(&p, own, i, &part, &error) != VV_OK) {
            code = vv_cli_error_in(model, &error);
            break;
        }
        parts->count++;
        name_part(parts, i, &names, &part);
        code =
            write_part(parts, &part, i, mesh->tetCount ? ".msh" : ".obj", parts->list[i].written, parts->list[i].mesh);
        vvMeshDestroy(&part);
    }
    if (code == VV_CLI_GO && carries)
        code = split_surface(parts, model, &p);
    free_names(&names);
    free(own);
    free(p.part);
    return code;
}
