/* visviva new --from-ipc: shapes that follow a sequence of meshes (meshSeq, and the script meshSeqFromFile).
 *
 * IPC reads FOLDER/0.seg, 1.seg, ... (.msh, .obj, .pt: as the shape's own file), one a step: the shape is there at
 * the end of the step. It takes the vertices as they are, without the shape's place. So the obstacle's mesh is the
 * first of the sequence, or, if the shape stands elsewhere at first, a copy of that with its vertices there. */
#include "ipc/ipc.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "new/new.h"

static const char *const endings[] = {
    [VV_IPC_POINTS] = "pt", [VV_IPC_SEGMENTS] = "seg", [VV_IPC_SURFACE] = "obj", [VV_IPC_TETS] = "msh"
};

typedef struct sequence {
    char folder[PATH_MAX]; /* its real path */
    const char *ending;
    int first, count;
} sequence;

static bool has_file(const sequence *q, int number, char path[PATH_MAX + 32])
{
    snprintf(path, PATH_MAX + 32, "%s/%d.%s", q->folder, number, q->ending);
    return access(path, R_OK) == 0;
}

static int count_files(const vv_ipc *c, sequence *q)
{
    char path[PATH_MAX + 32];
    double steps = ceil(c->duration / c->step - 1e-9);
    for (q->count = 0; q->count < steps && has_file(q, q->first + q->count, path);)
        q->count++;
    return q->count;
}

/* Largest distance between the shape's vertices, placed, and those of the first mesh. */
static double distance_to(const vv_ipc_shape *s, const vvMesh *first)
{
    double largest = 0;
    for (int v = 0; v < first->vertexCount; v++) {
        double x[3];
        vv_ipc_point(s, v, x);
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(x[k] - first->positions[3 * (size_t)v + (size_t)k]));
    }
    return largest;
}

/* The first mesh with its vertices where the shape stands: SCENE-NAME-start.obj. */
static int write_start(vv_ipc *c, vv_ipc_shape *s, vvMesh *first)
{
    char path[4096];
    vvError error;
    int code = vv_ipc_name_made(c, s->path, "start", path);
    if (code != VV_CLI_GO)
        return code;
    for (int v = 0; v < first->vertexCount; v++)
        vv_ipc_point(s, v, first->positions + 3 * (size_t)v);
    if (vvMeshWrite(first, path, "obj", &error))
        return vv_cli_error(&error);
    s->wrote_start = (s->stand_in = vv_ipc_copy(path)) != NULL;
    return s->wrote_start ? VV_CLI_GO : VV_EXIT_FAILED;
}

/* FOLDER/%d.seg, or all paths, if there is one more at the beginning or a per cent sign in the folder's. */
static json_t *files_of(const vv_ipc *c, const vv_ipc_shape *s, const sequence *q, bool start)
{
    char path[PATH_MAX + 32], name[4096];
    json_t *follow = json_object(), *list = json_array();
    if (start && vv_new_name_in_scene(s->stand_in, c->output, name))
        json_array_append_new(list, json_string(name));
    for (int i = 0; i < q->count; i++) {
        has_file(q, q->first + i, path);
        json_array_append_new(list, json_string(path));
    }
    if (start || strchr(q->folder, '%')) {
        json_object_set(follow, "files", list);
    } else {
        snprintf(path, sizeof path, "%s/%%d.%s", q->folder, q->ending);
        json_object_set_new(follow, "files", json_string(path));
        json_object_set_new(follow, "first", json_integer(q->first));
        json_object_set_new(follow, "count", json_integer(q->count));
    }
    json_object_set_new(follow, "start", vv_ipc_number(start ? 0 : c->step));
    json_object_set_new(follow, "interval", vv_ipc_number(c->step));
    json_decref(list);
    return follow;
}

static int follow_files(vv_ipc *c, vv_ipc_shape *s, const sequence *q, int line)
{
    char path[PATH_MAX + 32];
    vvMesh first;
    vvError error;
    has_file(q, q->first, path);
    if (vvMeshRead(path, &first, NULL, &error))
        return vv_cli_error(&error);
    const vvMesh *own = &s->mesh->mesh;
    int code = VV_CLI_GO;
    if (first.vertexCount != own->vertexCount)
        code = vv_ipc_wrong(c, line, "%s has %d vertices, %s %d: IPC ends there", path, first.vertexCount, s->path,
                            own->vertexCount);
    bool start = code == VV_CLI_GO && distance_to(s, &first) > 1e-6 * c->diagonal;
    if (code == VV_CLI_GO && (first.edgeCount != own->edgeCount || first.triangleCount != own->triangleCount))
        vv_ipc_note_line(c, VV_IPC_LOST, line, "%s: its triangles and edges; the scene has those of %s", s->path, path);
    if (start)
        code = write_start(c, s, &first);
    else if (code == VV_CLI_GO && !(s->stand_in = vv_ipc_copy(path)))
        code = VV_EXIT_FAILED;
    vvMeshDestroy(&first);
    if (code == VV_CLI_GO)
        s->motion = json_pack("{s:o}", "follow", files_of(c, s, q, start));
    return code;
}

int vv_ipc_follow(vv_ipc *c, vv_ipc_shape *s, const char *folder, int first, int line)
{
    sequence q = { .ending = endings[s->mesh->kind], .first = first };
    char found[4096], path[PATH_MAX + 32];
    s->obstacle = true;
    if (!vv_ipc_find(c, folder, found) || !realpath(found, q.folder))
        return vv_ipc_wrong(c, line, "there is no folder %s, neither from the folder of %s nor from those above it",
                            folder, c->path);
    if (!vv_cli_is_utf8(q.folder))
        return vv_ipc_wrong(c, line, "%s: a scene can only name files whose names are UTF-8; rename it", q.folder);
    if (!count_files(c, &q)) {
        has_file(&q, first, path);
        return vv_ipc_wrong(c, line, "there is no %s, the first mesh of the sequence", path);
    }
    if (q.count < ceil(c->duration / c->step - 1e-9))
        vv_ipc_note_line(c, VV_IPC_LOST, line,
                         "%s: the sequence has %d meshes, and IPC ends with it; here the shape then stands still",
                         s->path, q.count);
    return follow_files(c, s, &q, line);
}
