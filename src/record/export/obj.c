/* A numbered sequence of Wavefront OBJ files: the bodies' surfaces, one group per body; edges of bodies without a surface
 * as lines, lone nodes as points. Vertices and faces keep their order from frame to frame, so that the sequence can
 * be read as one deforming object. Nodes inside solids are left out. */
#include "record/export/obj.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

void vv_obj_vertices(FILE *f, const float *positions, int count)
{
    char text[VV_NUMBER_LENGTH];
    for (int i = 0; i < 3 * count; i++) {
        fputs(i % 3 == 0 ? "v " : " ", f);
        fwrite(text, 1, (size_t)vv_format_float(text, positions[i]), f);
        if (i % 3 == 2)
            fputc('\n', f);
    }
}

/* A space would end a name in an OBJ file. */
static void group_name(FILE *f, const char *name)
{
    fputs("g ", f);
    for (; *name; name++)
        fputc((unsigned char)*name <= ' ' ? '_' : *name, f);
    fputc('\n', f);
}

void vv_obj_elements(FILE *f, const vv_part *part, int first)
{
    group_name(f, part->name);
    const int *n = part->triangles;
    for (int t = 0; t < part->triangle_count; t++, n += 3)
        fprintf(f, "f %d %d %d\n", first + n[0], first + n[1], first + n[2]);
    n = part->edges;
    for (int e = 0; e < part->edge_count; e++, n += 2)
        fprintf(f, "l %d %d\n", first + n[0], first + n[1]);
    if (part->triangle_count == 0 && part->edge_count == 0)
        for (int i = 0; i < part->vertex_count; i++)
            fprintf(f, "p %d\n", first + i);
}

static vvStatus write_parts(const vv_sequence *sequence, FILE *f, int frame, vvError *error)
{
    char text[VV_NUMBER_LENGTH];
    vv_format_double(text, vvRunFrameTime(sequence->job->run, frame));
    fprintf(f, "# visviva, time %s s\n", text);
    for (int p = 0; p < sequence->part_count; p++) {
        const vv_part *part = &sequence->parts[p];
        vvStatus status = vv_part_read(sequence->job->run, part, frame, sequence->positions, NULL, error);
        if (status != VV_OK)
            return status;
        vv_obj_vertices(f, sequence->positions, part->vertex_count);
    }
    int first = 1;
    for (int p = 0; p < sequence->part_count; p++) {
        vv_obj_elements(f, &sequence->parts[p], first);
        first += sequence->parts[p].vertex_count;
    }
    return VV_OK;
}

static vvStatus write_obj(const vv_export_job *job, vvError *error)
{
    return vv_sequence_write(job, ".obj", write_parts, error);
}

const vv_exporter vv_export_obj = {
    { "obj", "numbered Wavefront OBJ files of the surfaces, a group a body (Blender, Houdini, MeshLab)" }, write_obj,
    VV_EXPORT_BODY
};
