/* A numbered sequence of Wavefront OBJ files: the bodies' surfaces, a group a body; edges of bodies without a surface
 * as lines, lone nodes as points. Vertices and faces keep their order from frame to frame, so that the sequence can
 * be read as one deforming object. Nodes inside solids are left out. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/export.h"

typedef struct vv_obj {
    const vv_export_job *job;
    char *stem, *path;
    size_t path_size;
    int *index;  /* of a node in the OBJ, from 1; 0: not written */
    double *x;
} vv_obj;

static void mark(int *index, const int *nodes, int count)
{
    for (int i = 0; i < count; i++)
        index[nodes[i]] = 1;
}

static void choose_vertices(const vvRun *run, int *index)
{
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        if (body->triangleCount > 0)
            mark(index, body->triangles, 3 * body->triangleCount);
        else if (body->edgeCount > 0)
            mark(index, body->edges, 2 * body->edgeCount);
        else
            for (int n = 0; n < body->nodeCount; n++)
                index[body->firstNode + n] = 1;
    }
    for (int n = 0, next = 1; n < vvRunNodeCount(run); n++)
        if (index[n])
            index[n] = next++;
}

/* Blanks end a name in an OBJ file. */
static void group_name(FILE *f, const char *name)
{
    fputs("g ", f);
    for (; *name; name++)
        fputc((unsigned char)*name <= ' ' ? '_' : *name, f);
    fputc('\n', f);
}

static void group(FILE *f, const vvRunBody *body, const int *index)
{
    group_name(f, body->name);
    if (body->triangleCount > 0) {
        for (int t = 0; t < body->triangleCount; t++) {
            const int *n = body->triangles + 3 * t;
            fprintf(f, "f %d %d %d\n", index[n[0]], index[n[1]], index[n[2]]);
        }
    } else if (body->edgeCount > 0) {
        for (int e = 0; e < body->edgeCount; e++)
            fprintf(f, "l %d %d\n", index[body->edges[2 * e]], index[body->edges[2 * e + 1]]);
    } else {
        for (int n = 0; n < body->nodeCount; n++)
            fprintf(f, "p %d\n", index[body->firstNode + n]);
    }
}

static vvStatus write_frame(vv_obj *o, int frame, vvError *error)
{
    const vvRun *run = o->job->run;
    vvStatus status = vvRunReadFrame(run, frame, o->x, NULL, error);
    if (status != VV_OK)
        return status;
    snprintf(o->path, o->path_size, "%s_%06d.obj", o->stem, frame);
    FILE *f = vv_export_open(o->path, error);
    if (!f)
        return VV_ERROR_IO;
    fprintf(f, "# visviva, time %.17g s\n", vvRunFrameTime(run, frame));
    for (int n = 0; n < vvRunNodeCount(run); n++)
        if (o->index[n])
            fprintf(f, "v %.9g %.9g %.9g\n", o->x[3 * n], o->x[3 * n + 1], o->x[3 * n + 2]);
    for (int b = 0; b < vvRunBodyCount(run); b++)
        group(f, vvRunGetBody(run, b), o->index);
    return vv_export_close(f, o->path, error);
}

static vvStatus write_obj(const vv_export_job *job, vvError *error)
{
    vv_obj o = { .job = job, .stem = vv_export_stem(job->path, ".obj") };
    size_t nodes = (size_t)vvRunNodeCount(job->run);
    o.path_size = strlen(job->path) + 32;
    o.path = vv_alloc(o.path_size, 1);
    o.index = vv_alloc(nodes, sizeof *o.index);
    o.x = vv_alloc(nodes * 3, sizeof *o.x);
    vvStatus status = o.stem && o.path && o.index && o.x ? VV_OK : vv_fail_memory(error, "an export");
    if (status == VV_OK)
        choose_vertices(job->run, o.index);
    for (int i = 0; status == VV_OK && i < job->count; i++) {
        status = write_frame(&o, job->first + i * job->every, error);
        if (status == VV_OK)
            vv_export_progress(job, i + 1);
    }
    vv_free(o.stem);
    vv_free(o.path);
    vv_free(o.index);
    vv_free(o.x);
    return status;
}

const vv_exporter vv_export_obj = {
    { "obj", "numbered Wavefront OBJ files of the surfaces, a group a body (Blender, Houdini, MeshLab)" }, write_obj
};
