/* USD as text, one .usda file: a Mesh per body (BasisCurves of its edges if it has no triangles, Points if it has
 * no elements) with a time sample per frame, obstacles as shapes, a preview material each. Attributes are written one
 * after the other, so each body's frames are read in one pass (with normals and velocities one more each); memory
 * holds one frame of one body. An affine body has a transform over time instead. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"
#include "record/export/backdrop.h"
#include "record/export/pose.h"
#include "record/export/usda.h"

static void put_points(const vv_usda *u) { vv_usda_triples(u->f, u->values, u->order, u->point_count); }

/* ---- attributes over time ---- */

static vvStatus put_samples(vv_usda *u, const char *declaration, bool velocities, vvError *error)
{
    fprintf(u->f, "            %s.timeSamples = {\n", declaration);
    for (int i = 0; i < u->job->count; i++) {
        vvStatus status = vv_part_read(u->job->run, &u->part, vv_export_frame(u->job, i), velocities ? NULL : u->values,
                                       velocities ? u->values : NULL, error);
        if (status == VV_OK)
            status = vv_export_check(u->file, error);
        if (status != VV_OK)
            return status;
        if (!velocities) {
            vv_bounds b = vv_bounds_none();
            vv_bounds_add(&b, u->values, u->part.vertex_count);
            vv_bounds_add(&u->bounds, u->values, u->part.vertex_count);
            for (int k = 0; k < 3 && u->part.vertex_count > 0; k++) {
                u->extents[6 * i + k] = (float)b.low[k] - u->width / 2;
                u->extents[6 * i + 3 + k] = (float)b.high[k] + u->width / 2;
            }
        }
        vv_usda_time(u, i);
        put_points(u);
        fputs(",\n", u->f);
        status = vv_export_progress_of(u->job, ++u->done, u->passes, error);
        if (status != VV_OK)
            return status;
    }
    fputs("            }\n", u->f);
    return VV_OK;
}

/* Per vertex if there are no creases; else per corner, by indices that hold for all frames. */
static vvStatus put_normals(vv_usda *u, vvError *error)
{
    fprintf(u->f, "            normal3f[] %s.timeSamples = {\n", u->smooth ? "normals" : "primvars:normals");
    for (int i = 0; i < u->job->count; i++) {
        vvStatus status = vv_part_read(u->job->run, &u->part, vv_export_frame(u->job, i), u->values, NULL, error);
        if (status == VV_OK)
            status = vv_export_check(u->file, error);
        if (status != VV_OK)
            return status;
        vv_creases_normals(&u->creases, u->part.triangle_count, u->values, u->normals);
        vv_usda_time(u, i);
        vv_usda_triples(u->f, u->normals, u->smooth, u->creases.count);
        fputs(",\n", u->f);
        status = vv_export_progress_of(u->job, ++u->done, u->passes, error);
        if (status != VV_OK)
            return status;
    }
    fputs("            }\n", u->f);
    return VV_OK;
}

static void put_extents(const vv_usda *u)
{
    fputs("            float3[] extent.timeSamples = {\n", u->f);
    for (int i = 0; i < u->job->count; i++) {
        vv_usda_time(u, i);
        fputc('[', u->f);
        vv_usda_triple(u->f, u->extents + 6 * i);
        fputs(", ", u->f);
        vv_usda_triple(u->f, u->extents + 6 * i + 3);
        fputs("],\n", u->f);
    }
    fputs("            }\n", u->f);
}

/* ---- a body ---- */

/* Width of drawn curves and points: their own thickness; without one a fraction of the mean edge, or of the cloud's
 * size. */
static float width_of(const vv_usda *u)
{
    const vv_part *p = &u->part;
    double sum = 0;
    for (int e = 0; e < p->edge_count; e++) {
        const float *a = u->values + 3 * p->edges[2 * e], *b = u->values + 3 * p->edges[2 * e + 1];
        sum += sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
    }
    vv_bounds bounds = vv_bounds_none();
    vv_bounds_add(&bounds, u->values, p->vertex_count);
    double own = vvRunGetBody(u->job->run, p->body)->drawnThickness;
    double width = own > 0 ? own : p->edge_count > 0 ? 0.2 * sum / p->edge_count : 0.01 * vv_bounds_diagonal(&bounds);
    return width > 0 && width < 1e30 ? (float)width : 0.01f;
}

/* What shades a mesh and does not change; put_normals adds the normals, unless these do not either. */
static void put_shading(const vv_usda *u)
{
    FILE *f = u->f;
    const int corners = 3 * u->part.triangle_count;
    fprintf(f, "            normal3f[] %s", u->smooth ? "normals" : "primvars:normals");
    if (u->part.rest) {
        fputs(" = ", f);
        vv_usda_triples(f, u->normals, u->smooth, u->creases.count);
    }
    fprintf(f, " (\n                interpolation = \"%s\"\n            )\n", u->smooth ? "vertex" : "faceVarying");
    if (!u->smooth)
        vv_usda_ints(f, "int[] primvars:normals:indices", u->creases.corners, corners);
    if (!u->part.uvs)
        return;
    fputs("            texCoord2f[] primvars:st = [", f);
    for (int i = 0; i < u->seams.count; i++) {
        char text[2 * VV_NUMBER_LENGTH + 8];
        int n = 0;
        text[n++] = '(';
        n += vv_format_float(text + n, u->seams.uv[2 * i]);
        text[n++] = ',';
        n += vv_format_float(text + n, u->seams.uv[2 * i + 1]);
        text[n++] = ')';
        fputs(i == 0 ? "" : i % 8 ? ", " : ",\n", f);
        fwrite(text, 1, (size_t)n, f);
    }
    fputs("] (\n                interpolation = \"faceVarying\"\n            )\n", f);
    vv_usda_ints(f, "int[] primvars:st:indices", u->seams.corners, corners);
}

static void put_shape(vv_usda *u)
{
    const vv_part *p = &u->part;
    char text[VV_NUMBER_LENGTH];
    FILE *f = u->f;
    if (p->triangle_count > 0) {
        fputs("            int[] faceVertexCounts = [", f);
        for (int t = 0; t < p->triangle_count; t++)
            fputs(t == 0 ? "3" : t % 24 ? ", 3" : ",\n3", f);
        fputs("]\n", f);
        vv_usda_ints(f, "int[] faceVertexIndices", p->triangles, 3 * p->triangle_count);
        fputs("            uniform token orientation = \"rightHanded\"\n"
              "            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n",
              f);
        put_shading(u);
        return;
    }
    if (p->edge_count > 0) {
        vv_usda_ints(f, "int[] curveVertexCounts", u->chains.lengths, u->chains.count);
        fputs("            uniform token type = \"linear\"\n            uniform token wrap = \"nonperiodic\"\n", f);
    }
    vv_format_float(text, u->width);
    fprintf(f, "            float[] widths = [%s] (\n                interpolation = \"constant\"\n            )\n",
            text);
}

static vvStatus put_motion(vv_usda *u, vvError *error)
{
    if (u->part.rest)
        return vv_usda_affine(u, error);
    vvStatus status = put_samples(u, "point3f[] points", false, error);
    if (status == VV_OK && u->part.triangle_count > 0)
        status = put_normals(u, error);
    if (status == VV_OK && u->job->def->velocities)
        status = put_samples(u, "vector3f[] velocities", true, error);
    if (status == VV_OK)
        put_extents(u);
    return status;
}

/* Points and normals with which the body begins. */
static vvStatus find_first(vv_usda *u, vvError *error)
{
    const vv_part *p = &u->part;
    if (!p->rest)
        return vv_part_read(u->job->run, p, u->job->first, u->values, NULL, error);
    vv_pose_shape(p, u->values);
    vv_creases_normals(&u->creases, p->triangle_count, u->values, u->normals);
    return VV_OK;
}

static vvStatus put_body(vv_usda *u, const char *id, vvError *error)
{
    const vv_part *p = &u->part;
    FILE *f = u->f;
    vvStatus status = find_first(u, error);
    if (status != VV_OK)
        return status;
    u->width = p->triangle_count > 0 ? 0 : width_of(u);
    fprintf(f,
            "\n        def %s \"%s\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n"
            "            customData = {\n                dictionary visviva = {\n                    string body = ",
            p->triangle_count > 0 ? "Mesh"
            : p->edge_count > 0   ? "BasisCurves"
                                  : "Points",
            id);
    vv_put_quoted(f, p->name);
    fputs("\n                }\n            }\n        )\n        {\n", f);
    put_shape(u);
    fprintf(f, "            rel material:binding = </%s/materials/%s>\n", u->root, id);
    vv_usda_colour(f, "            color3f[] primvars:displayColor", p->colour, true);
    fputs(" (\n                interpolation = \"constant\"\n            )\n            point3f[] points = ", f);
    put_points(u);
    fputc('\n', f);
    status = put_motion(u, error);
    if (status == VV_OK)
        fputs("        }\n", f);
    return status;
}

static vvStatus find_shading(vv_usda *u, vvError *error)
{
    const vv_part *p = &u->part;
    vvStatus status = vv_part_creases(u->job, p, &u->creases, error);
    if (status == VV_OK && p->uvs)
        status = vv_seams_find(p->triangles, p->vertex_count, p->triangle_count, p->uvs, &u->seams, error);
    if (status == VV_OK)
        status = vv_creases_of_vertices(&u->creases, p->vertex_count, &u->smooth, error);
    u->normals = status == VV_OK ? vv_alloc(3 * (size_t)u->creases.count, sizeof *u->normals) : NULL;
    return status != VV_OK || u->normals ? status : vv_fail_memory(error, "an export");
}

static void forget_shading(vv_usda *u)
{
    vv_creases_free(&u->creases);
    vv_seams_free(&u->seams);
    vv_free(u->smooth);
    vv_free(u->normals);
    u->smooth = NULL;
    u->normals = NULL;
}

static vvStatus export_body(vv_usda *u, int index, vvError *error)
{
    vvStatus status = vv_part_build(u->job, index, &u->part, error);
    if (status == VV_OK && u->part.edge_count > 0)
        status = vv_chains_build(&u->part, &u->chains, error);
    if (status == VV_OK && u->part.triangle_count > 0)
        status = find_shading(u, error);
    if (status == VV_OK) {
        u->order = u->part.edge_count > 0 ? u->chains.vertices : NULL;
        u->point_count = u->order ? u->chains.vertex_count : u->part.vertex_count;
        u->values = vv_alloc((size_t)u->part.vertex_count * 3, sizeof *u->values);
        status = u->values ? put_body(u, u->ids.id[index], error) : vv_fail_memory(error, "an export");
    }
    vv_free(u->values);
    u->values = NULL;
    vv_chains_free(&u->chains);
    forget_shading(u);
    vv_part_free(&u->part);
    return status;
}

/* ---- the rest of the stage ---- */

static void put_head(vv_usda *u)
{
    FILE *f = u->f;
    const vvRun *run = u->job->run;
    fputs("#usda 1.0\n(\n", f);
    fprintf(f,
            "    defaultPrim = \"%s\"\n    doc = \"visviva %s\"\n    customLayerData = {\n"
            "        dictionary visviva = {\n            string scene = ",
            u->root, vvVersion());
    vv_put_quoted(f, vvRunSceneName(run));
    fputs("\n            string scheme = ", f);
    vv_put_quoted(f, vvRunScheme(run));
    fputs("\n            string policy = ", f);
    vv_put_quoted(f, vvRunPolicy(run));
    fprintf(f, "\n            int firstFrame = %d\n            int every = %d\n            double startTime = ",
            u->job->first, u->job->every);
    vv_usda_number(f, u->timing.start);
    fputs("\n        }\n    }\n    metersPerUnit = 1\n", f);
    fprintf(f, "    upAxis = \"%c\"\n    startTimeCode = 0\n    endTimeCode = ", vv_up_axis(run));
    vv_usda_number(f, vv_timing_at(u->job, &u->timing, u->job->count - 1));
    fputs("\n    timeCodesPerSecond = ", f);
    vv_usda_number(f, u->timing.rate);
    fputs("\n    framesPerSecond = ", f);
    vv_usda_number(f, u->timing.rate);
    fprintf(f, "\n)\n\ndef Xform \"%s\" (\n    kind = \"component\"\n)\n{\n    def Scope \"bodies\"\n    {", u->root);
}

/* A shape of its own. */
static vvStatus put_mesh(const vv_usda *u, const vv_backdrop *b, vvError *error)
{
    float *vertices, low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    int *indices, count, index_count;
    vvStatus status = vv_backdrop_mesh(u->job->run, b, &vertices, &count, &indices, &index_count, error);
    if (status != VV_OK)
        return status;
    fputs("            int[] faceVertexCounts = [", u->f);
    for (int i = 0; i < index_count; i += 3)
        fputs(i ? ", 3" : "3", u->f);
    fputs("]\n            int[] faceVertexIndices = [", u->f);
    for (int i = 0; i < index_count; i++)
        fprintf(u->f, "%s%d", i ? ", " : "", indices[i]);
    fputs("]\n            uniform token subdivisionScheme = \"none\"\n            normal3f[] normals = [", u->f);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", u->f);
        vv_usda_triple(u->f, vertices + 6 * (size_t)i + 3);
    }
    fputs("] (\n                interpolation = \"vertex\"\n            )\n            point3f[] points = [", u->f);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", u->f);
        vv_usda_triple(u->f, vertices + 6 * (size_t)i);
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], vertices[6 * (size_t)i + (size_t)k]);
            high[k] = fmaxf(high[k], vertices[6 * (size_t)i + (size_t)k]);
        }
    }
    fputs("]\n            float3[] extent = [", u->f);
    vv_usda_triple(u->f, low);
    fputs(", ", u->f);
    vv_usda_triple(u->f, high);
    fputs("]\n", u->f);
    vv_free(vertices);
    vv_free(indices);
    return VV_OK;
}

static vvStatus put_obstacle(vv_usda *u, const vv_backdrop *b, int index, vvError *error)
{
    static const char *const types[VV_UNIT_SHAPES + 1] = { "Mesh", "Sphere", "Cube", "Cylinder", "Mesh" };
    static const char *const shapes[VV_UNIT_SHAPES + 1] = {
        ("            int[] faceVertexCounts = [4]\n            int[] faceVertexIndices = [0, 1, 2, 3]\n"
         "            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n"
         "            normal3f[] normals = [(0,0,1), (0,0,1), (0,0,1), (0,0,1)] (\n"
         "                interpolation = \"vertex\"\n            )\n"
         "            point3f[] points = [(-1,-1,0), (1,-1,0), (1,1,0), (-1,1,0)]\n"
         "            float3[] extent = [(-1,-1,0), (1,1,0)]\n"),
        "            double radius = 1\n            float3[] extent = [(-1,-1,-1), (1,1,1)]\n",
        "            double size = 2\n            float3[] extent = [(-1,-1,-1), (1,1,1)]\n",
        ("            double radius = 1\n            double height = 2\n            uniform token axis = \"Z\"\n"
         "            float3[] extent = [(-1,-1,-1), (1,1,1)]\n"),
        "",
    };
    FILE *f = u->f;
    char id[VV_LABEL_ROOM];
    vv_label(id, b->type, "obstacle");
    fprintf(f,
            "\n        def %s \"%s_%d\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n"
            "        {\n%s",
            types[b->shape], id, index + 1, shapes[b->shape]);
    vvStatus status = b->shape == VV_OWN_SHAPE ? put_mesh(u, b, error) : VV_OK;
    vv_usda_colour(f, "            color3f[] primvars:displayColor", VV_BACKDROP_COLOUR, true);
    fprintf(f,
            "\n            rel material:binding = </%s/obstacles/material>\n"
            "            matrix4d xformOp:transform = ( ",
            u->root);
    for (int row = 0; row < 4; row++) { /* row vectors: the axes, then the position */
        for (int k = 0; k < 3; k++) {
            fputs(k ? ", " : row ? ", (" : "(", f);
            vv_usda_number(f, row < 3 ? b->axes[row][k] : b->centre[k]);
        }
        fputs(row < 3 ? ", 0)" : ", 1)", f);
    }
    fputs(" )\n            uniform token[] xformOpOrder = [\"xformOp:transform\"]\n        }\n", f);
    return status;
}

static void put_material(vv_usda *u, const char *scope, const char *id, unsigned colour)
{
    FILE *f = u->f;
    fprintf(f,
            "\n        def Material \"%s\"\n        {\n            token outputs:surface.connect = "
            "</%s/%s/%s/surface.outputs:surface>\n\n            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n",
            id, u->root, scope, id);
    vv_usda_colour(f, "                color3f inputs:diffuseColor", colour, false);
    fputs("\n                float inputs:roughness = 0.6\n                token outputs:surface\n            }\n"
          "        }\n",
          f);
}

static vvStatus put_rest(vv_usda *u, vvError *error)
{
    vvStatus status = VV_OK;
    FILE *f = u->f;
    vv_backdrop b;
    fputs("    }\n\n    def Scope \"materials\"\n    {", f);
    for (int i = 0; i < u->job->body_count; i++)
        put_material(u, "materials", u->ids.id[i], vv_part_colour(u->job->run, u->job->first_body + i));
    fputs("    }\n\n    def Scope \"obstacles\"\n    {", f);
    for (int i = 0; status == VV_OK && i < vvRunObstacleCount(u->job->run); i++)
        if (vv_backdrop_find(u->job->run, i, &u->bounds, &b))
            status = put_obstacle(u, &b, i, error);
    put_material(u, "obstacles", "material", VV_BACKDROP_COLOUR);
    fputs("    }\n}\n", f);
    return status;
}

static vvStatus write_stage(vv_usda *u, vvError *error)
{
    vvStatus status = VV_OK;
    put_head(u);
    for (int i = 0; status == VV_OK && i < u->job->body_count; i++)
        status = export_body(u, i, error);
    if (status == VV_OK)
        status = put_rest(u, error);
    return status;
}

static vvStatus write_usda(const vv_export_job *job, vvError *error)
{
    vv_usda u = { .job = job, .bounds = vv_bounds_none() };
    vv_export_file file;
    for (int b = 0; b < job->body_count; b++) { /* once more for normals, and for velocities */
        const vvRunBody *body = vvRunGetBody(job->run, job->first_body + b);
        u.passes += body->affine ? 1 : 1 + job->def->velocities + (body->drawnTriangleCount > 0);
    }
    vvStatus status = vv_timing_find(job, &u.timing, error);
    if (status == VV_OK)
        status = vv_part_labels(job, &u.ids, error);
    u.extents = vv_alloc((size_t)job->count * 6, sizeof *u.extents);
    if (status == VV_OK && !u.extents)
        status = vv_fail_memory(error, "an export");
    if (status == VV_OK)
        status = vv_export_begin(&file, job->path, error);
    if (status == VV_OK) {
        vv_label(u.root, vvRunSceneName(job->run), "run");
        u.f = file.file;
        u.file = &file;
        status = vv_export_end(&file, write_stage(&u, error), error);
    }
    vv_labels_free(&u.ids);
    vv_free(u.extents);
    return status;
}

const vv_exporter vv_export_usda = {
    { "usda", "one USD text file, all frames, also velocities (Houdini, Omniverse, usdview, Blender 4)" },
    write_usda,
    VV_EXPORT_BODY | VV_EXPORT_VELOCITIES
};
