/* A numbered sequence of Wavefront OBJ files: the bodies' surfaces, one group per body; edges of bodies without a
 * surface as lines, lone nodes as points. Vertices and faces keep their order from frame to frame, so that the
 * sequence can be read as one deforming object. Nodes inside solids are left out. Faces have smooth normals with
 * creases and, if the body has some, texture coordinates. */
#include "record/export/obj.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"

/* Lines of `columns` numbers that begin with `keyword`. */
static void put_rows(FILE *f, const char *keyword, const float *values, int count, int columns)
{
    char text[VV_NUMBER_LENGTH];
    for (int i = 0; i < columns * count; i++) {
        fputs(i % columns == 0 ? keyword : " ", f);
        fwrite(text, 1, (size_t)vv_format_float(text, values[i]), f);
        if (i % columns == columns - 1)
            fputc('\n', f);
    }
}

void vv_obj_vertices(FILE *f, const float *positions, int count) { put_rows(f, "v ", positions, count, 3); }

void vv_obj_uvs(FILE *f, const vv_seams *seams) { put_rows(f, "vt ", seams->uv, seams->count, 2); }

void vv_obj_normals(FILE *f, const float *normals, int count) { put_rows(f, "vn ", normals, count, 3); }

/* "7", "7/2", "7//3", "7/2/3" */
static void put_corner(FILE *f, int vertex, int corner, const vv_obj_corners *c)
{
    fprintf(f, " %d", vertex);
    if (c->uvs)
        fprintf(f, "/%d", c->first_uv + c->uvs[corner]);
    if (c->normals)
        fprintf(f, c->uvs ? "/%d" : "//%d", c->first_normal + c->normals[corner]);
}

/* A space would end a name in an OBJ file. */
static void group_name(FILE *f, const char *name)
{
    fputs("g ", f);
    for (; *name; name++)
        fputc((unsigned char)*name <= ' ' ? '_' : *name, f);
    fputc('\n', f);
}

void vv_obj_elements(FILE *f, const vv_part *part, int first, const vv_obj_corners *corners)
{
    group_name(f, part->name);
    const int *n = part->triangles;
    for (int c = 0; c < 3 * part->triangle_count; c++) {
        fputs(c % 3 == 0 ? "f" : "", f);
        put_corner(f, first + n[c], c, corners);
        fputs(c % 3 == 2 ? "\n" : "", f);
    }
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
        const vv_sequence_shading *s = &sequence->shading[p];
        vvStatus status = vv_part_read(sequence->job->run, part, frame, sequence->positions, NULL, error);
        if (status != VV_OK)
            return status;
        vv_obj_vertices(f, sequence->positions, part->vertex_count);
        vv_obj_uvs(f, &s->seams);
        if (part->triangle_count == 0)
            continue;
        vv_creases_normals(&s->creases, part->triangle_count, sequence->positions, sequence->normals);
        vv_obj_normals(f, sequence->normals, s->creases.count);
    }
    vv_obj_corners corners = { .first_uv = 1, .first_normal = 1 };
    for (int p = 0, first = 1; p < sequence->part_count; first += sequence->parts[p++].vertex_count) {
        const vv_sequence_shading *s = &sequence->shading[p];
        corners.uvs = s->seams.corners;
        corners.normals = s->creases.corners;
        vv_obj_elements(f, &sequence->parts[p], first, &corners);
        corners.first_uv += s->seams.count;
        corners.first_normal += s->creases.count;
    }
    return VV_OK;
}

static vvStatus write_obj(const vv_export_job *job, vvError *error)
{
    return vv_sequence_write(job, ".obj", true, write_parts, error);
}

const vv_exporter vv_export_obj = {
    { "obj", "numbered Wavefront OBJ files of the surfaces, a group a body (Blender, Houdini, MeshLab)" },
    write_obj,
    VV_EXPORT_BODY
};
