/* The JSON part of a .glb. Everything is numbered by counting, in the order of the binary part. */
#include <math.h>

#include "base/number.h"
#include "record/export/glb.h"

enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963, FLOAT = 5126, UNSIGNED_INT = 5125 };

/* ---- numbering ---- */

static bool moves(const vv_glb *g) { return g->job->count > 1; }
static bool cut(const vv_glb *g) { return g->segments > 1; }

/* Views: indices, backdrop, animation (those that exist), then one per frame. */
static int backdrop_view(const vv_glb *g) { return g->indices_bytes > 0; }
static int animation_view(const vv_glb *g) { return backdrop_view(g) + (g->backdrop_bytes > 0); }
static int frame_view(const vv_glb *g, int i) { return animation_view(g) + (g->animation_bytes > 0) + i; }

/* Accessors: indices of the parts, those of the shapes (positions, normals, indices) and of each segment (times, weights, and
 * times and scales of its visibility), then frame by frame, part by part, those of the target and of the base. */
static int part_indices(const vv_glb *g, int part)
{
    int at = 0;
    for (int p = 0; p < part; p++)
        at += g->parts[p].index_count > 0;
    return at;
}

static int shape_accessor(const vv_glb *g, int shape)
{
    int at = part_indices(g, g->part_count);
    for (int k = 0; k < shape; k++)
        at += g->shapes[k].vertices ? 3 : 0;
    return at;
}

static int segment_accessor(const vv_glb *g, int s) { return shape_accessor(g, VV_UNIT_SHAPES) + s * (cut(g) ? 4 : 2); }

static int64_t frame_accessor(const vv_glb *g, int i, bool base, const vv_glb_part *p)
{
    int64_t at = segment_accessor(g, moves(g) ? g->segments : 0) + vv_glb_kinds_before(i) * g->arrays;
    return at + vv_glb_kinds(g, i) * p->arrays_before + (base && vv_glb_has_target(i) ? p->arrays : 0);
}

static int nodes_of_part(const vv_glb *g) { return cut(g) ? g->segments + 1 : 1; }
/* The node that holds a segment's mesh. */
static int mesh_node(const vv_glb *g, int part, int s) { return 1 + part * nodes_of_part(g) + (cut(g) ? 1 + s : 0); }

/* ---- text ---- */

static void comma(FILE *f, bool *first)
{
    fputs(*first ? "" : ",\n", f);
    *first = false;
}

static void number(FILE *f, double value)
{
    char text[VV_NUMBER_LENGTH];
    fwrite(text, 1, (size_t)vv_format_double(text, value), f);
}

static void triple(FILE *f, const char *name, const float v[3])
{
    char text[VV_NUMBER_LENGTH];
    fprintf(f, ",\"%s\":[", name);
    for (int k = 0; k < 3; k++) {
        vv_format_float(text, v[k]);
        fprintf(f, k ? ",%s" : "%s", text);
    }
    fputc(']', f);
}

static void accessor(FILE *f, int view, int64_t at, int type, int64_t count, const char *shape)
{
    fprintf(f, "{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":%d,\"count\":%lld,\"type\":\"%s\"", view,
            (long long)at, type, (long long)count, shape);
}

/* ---- nodes ---- */

static void named(FILE *f, const char *name)
{
    fputs("{\"name\":", f);
    vv_put_quoted(f, name, VV_QUOTE_JSON);
}

static void list(FILE *f, const char *name, int first, int count, int step)
{
    fprintf(f, ",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        fprintf(f, i ? ",%d" : "%d", first + i * step);
    fputc(']', f);
}

static void put_part_nodes(const vv_glb *g, FILE *f, int part)
{
    const vv_glb_part *p = &g->parts[part];
    fputs(",\n", f);
    named(f, p->part.name);
    if (!cut(g)) {
        fprintf(f, ",\"mesh\":%d}", part);
        return;
    }
    list(f, "children", mesh_node(g, part, 0), g->segments, 1);
    fputc('}', f);
    for (int s = 0; s < g->segments; s++) /* at rest only the first is visible */
        fprintf(f, ",\n{\"name\":\"%s_%d\",\"mesh\":%d%s}", p->id, s + 1, part * g->segments + s,
                s ? ",\"scale\":[0,0,0]" : "");
}

static void put_obstacle(const vv_glb *g, FILE *f, const vv_backdrop *b, int index)
{
    fprintf(f, ",\n{\"name\":\"%s_%d\",\"mesh\":%d,\"matrix\":[", b->type, index + 1, g->shapes[b->shape].mesh);
    for (int column = 0; column < 4; column++)
        for (int k = 0; k < 3; k++) {
            number(f, column < 3 ? b->axes[column][k] : b->centre[k]);
            fputs(k < 2 ? "," : column < 3 ? ",0," : ",1]}", f);
        }
}

static void put_nodes(const vv_glb *g, FILE *f)
{
    const vvRun *run = g->job->run;
    vv_backdrop b;
    int obstacles = 0, first = 1 + g->part_count * nodes_of_part(g);
    for (int i = 0; i < vvRunObstacleCount(run); i++)
        obstacles += vv_backdrop_find(run, i, &g->bounds, &b);
    fputs(",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\n\"nodes\":[", f);
    named(f, vvRunSceneName(run)[0] ? vvRunSceneName(run) : "run");
    if (vv_up_axis(run) == 'Z') /* glTF's y is up */
        fputs(",\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476]", f);
    if (g->part_count + obstacles > 0) {
        fputs(",\"children\":[", f);
        for (int i = 0; i < g->part_count + obstacles; i++)
            fprintf(f, i ? ",%d" : "%d", i < g->part_count ? 1 + i * nodes_of_part(g) : first + i - g->part_count);
        fputc(']', f);
    }
    fputc('}', f);
    for (int p = 0; p < g->part_count; p++)
        put_part_nodes(g, f, p);
    for (int i = 0; i < vvRunObstacleCount(run); i++)
        if (vv_backdrop_find(run, i, &g->bounds, &b))
            put_obstacle(g, f, &b, i);
    fputs("],\n", f);
}

/* ---- meshes and materials ---- */

static void put_attributes(FILE *f, int64_t at, int arrays)
{
    fprintf(f, "{\"POSITION\":%lld", (long long)at);
    if (arrays == 2)
        fprintf(f, ",\"NORMAL\":%lld", (long long)at + 1);
    fputc('}', f);
}

static void put_segment_mesh(const vv_glb *g, FILE *f, int part, int s)
{
    const vv_glb_part *p = &g->parts[part];
    int first = s * VV_GLB_SEGMENT, frames = vv_glb_segment_frames(g, s);
    named(f, p->part.name);
    fputs(",\"primitives\":[{\"attributes\":", f);
    put_attributes(f, frame_accessor(g, first, true, p), p->arrays);
    if (p->index_count > 0)
        fprintf(f, ",\"indices\":%d", part_indices(g, part));
    fprintf(f, ",\"material\":%d,\"mode\":%d", part, p->arrays == 2 ? 4 : p->part.edge_count > 0 ? 1 : 0);
    for (int i = 1; i < frames; i++) {
        fputs(i == 1 ? ",\"targets\":[\n" : ",\n", f);
        put_attributes(f, frame_accessor(g, first + i, false, p), p->arrays);
    }
    fputs(frames > 1 ? "]}]}" : "}]}", f);
}

static void put_meshes(const vv_glb *g, FILE *f)
{
    bool first = true;
    fputs("\"meshes\":[\n", f);
    for (int p = 0; p < g->part_count; p++)
        for (int s = 0; s < g->segments; s++) {
            comma(f, &first);
            put_segment_mesh(g, f, p, s);
        }
    for (int k = 0; k < VV_UNIT_SHAPES; k++) {
        if (!g->shapes[k].vertices)
            continue;
        int at = shape_accessor(g, k);
        comma(f, &first);
        fprintf(f, "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,\"material\":%d}]}",
                at, at + 1, at + 2, g->part_count);
    }
    fputs("],\n", f);
}

static void put_material(FILE *f, const char *name, unsigned colour)
{
    double rgb[3];
    vv_linear_rgb(colour, rgb);
    named(f, name);
    fputs(",\"pbrMetallicRoughness\":{\"baseColorFactor\":[", f);
    for (int k = 0; k < 3; k++) {
        number(f, rgb[k]);
        fputc(',', f);
    }
    fputs("1],\"metallicFactor\":0,\"roughnessFactor\":0.6},\"doubleSided\":true}", f);
}

static void put_materials(const vv_glb *g, FILE *f)
{
    bool backdrop = g->backdrop_bytes > 0;
    fputs("\"materials\":[\n", f);
    for (int p = 0; p < g->part_count; p++) {
        put_material(f, g->parts[p].part.name, g->parts[p].part.colour);
        fputs(p + 1 < g->part_count || backdrop ? ",\n" : "", f);
    }
    if (backdrop)
        put_material(f, "obstacle", VV_BACKDROP_COLOUR);
    fputs("],\n", f);
}

/* ---- the animation ---- */

static void put_animation(const vv_glb *g, FILE *f)
{
    int kinds = cut(g) ? 2 : 1;
    bool first = true;
    fputs("\"animations\":[", f);
    named(f, vvRunSceneName(g->job->run)[0] ? vvRunSceneName(g->job->run) : "run");
    fputs(",\"samplers\":[\n", f);
    for (int s = 0; s < g->segments; s++) {
        int at = segment_accessor(g, s);
        comma(f, &first);
        fprintf(f, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", at, at + 1);
        if (cut(g))
            fprintf(f, ",\n{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}", at + 2, at + 3);
    }
    fputs("],\n\"channels\":[\n", f);
    first = true;
    for (int p = 0; p < g->part_count; p++)
        for (int s = 0; s < g->segments; s++)
            for (int kind = 0; kind < kinds; kind++) {
                comma(f, &first);
                fprintf(f, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", kinds * s + kind,
                        mesh_node(g, p, s), kind ? "scale" : "weights");
            }
    fputs("]}],\n", f);
}

/* ---- accessors and views ---- */

static void put_times(const vv_glb *g, FILE *f, int64_t at, int count, int first, int last)
{
    char text[VV_NUMBER_LENGTH];
    accessor(f, animation_view(g), at, FLOAT, count, "SCALAR");
    vv_format_float(text, vv_glb_seconds(g, first));
    fprintf(f, ",\"min\":[%s]", text);
    vv_format_float(text, vv_glb_seconds(g, last));
    fprintf(f, ",\"max\":[%s]}", text);
}

static void put_segment_accessors(const vv_glb *g, FILE *f, int s, int64_t *at, bool *first)
{
    int64_t frames = vv_glb_segment_frames(g, s);
    int begin = s * VV_GLB_SEGMENT, keys = vv_glb_visible_keys(g, s);
    comma(f, first);
    put_times(g, f, *at, (int)frames, begin, begin + (int)frames - 1);
    comma(f, first);
    accessor(f, animation_view(g), *at + 4 * frames, FLOAT, frames * (frames - 1), "SCALAR");
    fputc('}', f);
    *at += 4 * frames * frames;
    if (!cut(g))
        return;
    comma(f, first);
    put_times(g, f, *at, keys, 0, vv_glb_visible_frame(s, keys - 1));
    comma(f, first);
    accessor(f, animation_view(g), *at + 4 * keys, FLOAT, keys, "VEC3");
    fputc('}', f);
    *at += 16 * keys;
}

static void put_shape_accessors(const vv_glb *g, FILE *f, const vv_glb_shape *s, bool *first)
{
    float low[3] = { 1, 1, 1 }, high[3] = { -1, -1, -1 };
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], s->vertices[6 * i + k]);
            high[k] = fmaxf(high[k], s->vertices[6 * i + k]);
        }
    comma(f, first);
    accessor(f, backdrop_view(g), s->at, FLOAT, s->count, "VEC3");
    triple(f, "min", low);
    triple(f, "max", high);
    fputs("},\n", f);
    accessor(f, backdrop_view(g), s->at + 12, FLOAT, s->count, "VEC3");
    fputs("},\n", f);
    accessor(f, 0, s->indices_at, UNSIGNED_INT, s->index_count, "SCALAR");
    fputc('}', f);
}

static void put_frame_accessors(const vv_glb *g, FILE *f, int i, bool *first)
{
    int64_t at = 0;
    for (int n = 0; n < g->part_count; n++)
        for (int base = 0; base < 2; base++) {
            const vv_glb_part *p = &g->parts[n];
            if (base ? !vv_glb_has_base(g, i) : !vv_glb_has_target(i))
                continue;
            const float *limits = vv_glb_limits(g, i, base, n);
            for (int a = 0; a < p->arrays; a++, at += 12 * (int64_t)p->count) {
                comma(f, first);
                accessor(f, frame_view(g, i), at, FLOAT, p->count, "VEC3");
                if (a == 0) {
                    triple(f, "min", limits);
                    triple(f, "max", limits + 3);
                }
                fputc('}', f);
            }
        }
}

static void put_accessors(const vv_glb *g, FILE *f)
{
    bool first = true;
    int64_t at = 0;
    fputs("\"accessors\":[\n", f);
    for (int n = 0; n < g->part_count; n++)
        if (g->parts[n].index_count > 0) {
            comma(f, &first);
            accessor(f, 0, g->parts[n].indices_at, UNSIGNED_INT, g->parts[n].index_count, "SCALAR");
            fputc('}', f);
        }
    for (int k = 0; k < VV_UNIT_SHAPES; k++)
        if (g->shapes[k].vertices)
            put_shape_accessors(g, f, &g->shapes[k], &first);
    for (int s = 0; s < g->segments && moves(g); s++)
        put_segment_accessors(g, f, s, &at, &first);
    for (int i = 0; i < g->job->count; i++)
        put_frame_accessors(g, f, i, &first);
    fputs("],\n", f);
}

static void put_view(FILE *f, int64_t *at, int64_t length, int stride, int target, bool *first)
{
    if (length == 0)
        return;
    comma(f, first);
    fprintf(f, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld", (long long)*at, (long long)length);
    if (stride)
        fprintf(f, ",\"byteStride\":%d", stride);
    if (target)
        fprintf(f, ",\"target\":%d", target);
    fputc('}', f);
    *at += length;
}

static void put_views(const vv_glb *g, FILE *f)
{
    bool first = true;
    int64_t at = 0;
    fputs("\"bufferViews\":[\n", f);
    put_view(f, &at, g->indices_bytes, 0, ELEMENT_ARRAY_BUFFER, &first);
    put_view(f, &at, g->backdrop_bytes, 24, ARRAY_BUFFER, &first);
    put_view(f, &at, g->animation_bytes, 0, 0, &first);
    for (int i = 0; i < g->job->count; i++)
        put_view(f, &at, vv_glb_kinds(g, i) * g->kind_bytes, 12, ARRAY_BUFFER, &first);
    fprintf(f, "],\n\"buffers\":[{\"byteLength\":%lld}]", (long long)g->bytes);
}

void vv_glb_json(const vv_glb *g, FILE *f)
{
    fprintf(f, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"visviva %s\",\"extras\":{\"firstFrame\":%d,"
               "\"every\":%d,\"startTime\":", vvVersion(), g->job->first, g->job->every);
    number(f, g->timing.start);
    fputs("}}", f);
    put_nodes(g, f);
    put_meshes(g, f);
    put_materials(g, f);
    if (moves(g))
        put_animation(g, f);
    put_accessors(g, f);
    put_views(g, f);
    fputs("}\n", f);
}
