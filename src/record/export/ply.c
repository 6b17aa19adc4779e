/* A numbered sequence of binary PLY files: all parts in each, every vertex with its body's index and colour and, if
 * requested, its velocity. Single precision, which every reader accepts. */
#include <string.h>

#include "base/text/number.h"
#include "record/export/sequence.h"

static bool has_uvs(const vv_sequence *s)
{
    bool any = false;
    for (int p = 0; p < s->part_count; p++)
        any = any || s->parts[p].uvs;
    return any;
}

static void put_header(const vv_sequence *s, FILE *f, int frame)
{
    int64_t vertices = 0, triangles = 0, edges = 0;
    for (int p = 0; p < s->part_count; p++) {
        vertices += s->parts[p].vertex_count;
        triangles += s->parts[p].triangle_count;
        edges += s->parts[p].edge_count;
    }
    char time[VV_NUMBER_LENGTH];
    vv_format_double(time, vvRunFrameTime(s->job->run, frame));
    fprintf(f, "ply\nformat binary_little_endian 1.0\ncomment visviva, frame %d, time %s s\n", frame, time);
    fprintf(f, "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\n", (long long)vertices);
    if (s->job->def->velocities)
        fputs("property float vx\nproperty float vy\nproperty float vz\n", f);
    fputs("property uchar red\nproperty uchar green\nproperty uchar blue\nproperty int body\n", f);
    fprintf(f, "element face %lld\nproperty list uchar int vertex_indices\n", (long long)triangles);
    if (has_uvs(s))
        fputs("property list uchar float texcoord\n", f);
    if (edges > 0)
        fprintf(f, "element edge %lld\nproperty int vertex1\nproperty int vertex2\n", (long long)edges);
    fputs("end_header\n", f);
}

static void put_vertices(const vv_sequence *s, FILE *f, const vv_part *part)
{
    const unsigned char colour[3] = { (unsigned char)(part->colour >> 16), (unsigned char)(part->colour >> 8),
                                      (unsigned char)part->colour };
    for (int i = 0; i < part->vertex_count; i++) {
        vv_put_floats(f, s->positions + 3 * i, 3);
        if (s->job->def->velocities)
            vv_put_floats(f, s->velocities + 3 * i, 3);
        fwrite(colour, 1, 3, f);
        vv_put_ints(f, &part->body, 1);
    }
}

/* As MeshLab has them: six numbers a face; 0 for a body without, if others have some. */
static void put_uvs(FILE *f, const double *uvs)
{
    float out[6] = { 0 };
    for (int k = 0; uvs && k < 6; k++)
        out[k] = (float)uvs[k];
    fputc(6, f);
    vv_put_floats(f, out, 6);
}

static void put_edges(FILE *f, const vv_part *part, int first)
{
    for (int i = 0; i < part->edge_count; i++) {
        const int32_t ends[2] = { part->edges[2 * i] + first, part->edges[2 * i + 1] + first };
        vv_put_ints(f, ends, 2);
    }
}

static void put_faces(FILE *f, const vv_part *part, int first, bool uvs)
{
    for (int i = 0; i < part->triangle_count; i++) {
        int32_t shifted[3];
        for (int k = 0; k < 3; k++)
            shifted[k] = part->triangles[3 * i + k] + first;
        fputc(3, f);
        vv_put_ints(f, shifted, 3);
        if (uvs)
            put_uvs(f, part->uvs ? part->uvs + 6 * (size_t)i : NULL);
    }
}

static vvStatus write_parts(const vv_sequence *s, FILE *f, int frame, vvError *error)
{
    put_header(s, f, frame);
    for (int p = 0; p < s->part_count; p++) {
        vvStatus status = vv_part_read(s->job->run, &s->parts[p], frame, s->positions,
                                       s->job->def->velocities ? s->velocities : NULL, error);
        if (status != VV_OK)
            return status;
        put_vertices(s, f, &s->parts[p]);
    }
    for (int edges = 0; edges < 2; edges++) /* all faces, then all edges */
        for (int p = 0, first = 0; p < s->part_count; first += s->parts[p++].vertex_count) {
            const vv_part *part = &s->parts[p];
            if (edges)
                put_edges(f, part, first);
            else
                put_faces(f, part, first, has_uvs(s));
        }
    return VV_OK;
}

static vvStatus write_ply(const vv_export_job *job, vvError *error)
{
    return vv_sequence_write(job, ".ply", false, write_parts, error);
}

const vv_exporter vv_export_ply = {
    { "ply",
      "numbered binary PLY files, each vertex with its body's colour, also velocities (Houdini, MeshLab, Open3D)" },
    write_ply,
    VV_EXPORT_BODY | VV_EXPORT_VELOCITIES
};
