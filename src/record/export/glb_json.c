/* The JSON part of a .glb. Everything is numbered by counting, in the order of the binary part.
 *
 * A value that could not be made is NULL, and so is whatever would contain it: only the whole document is tested. */
#include "record/export/glb.h"

#ifdef VV_HAVE_JANSSON
#include <jansson.h>
#include <math.h>

#include "base/memory.h"
#include "base/text/text.h"

enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963, FLOAT = 5126, UNSIGNED_INT = 5125 };
enum { DIGITS = 9 }; /* glTF's numbers are floats, and these bring each float back */

/* ---- numbering ---- */

static bool moves(const vv_glb *g) { return g->job->count > 1; }
static bool cut(const vv_glb *g) { return g->segments > 1; }

/* Views: indices, texture coordinates, backdrop, animation, meshes and poses of affine bodies (where there are any),
 * then one a frame. */
static int uvs_view(const vv_glb *g) { return g->indices_bytes > 0; }
static int backdrop_view(const vv_glb *g) { return uvs_view(g) + (g->uvs_bytes > 0); }
static int animation_view(const vv_glb *g) { return backdrop_view(g) + (g->backdrop_bytes > 0); }
static int still_view(const vv_glb *g) { return animation_view(g) + (g->animation_bytes > 0); }
static int poses_view(const vv_glb *g) { return still_view(g) + (g->still_bytes > 0); }
static int frame_view(const vv_glb *g, int i) { return poses_view(g) + (g->poses_bytes > 0) + i; }

/* Accessors: indices of the parts, their texture coordinates, the shapes' (positions, normals, indices), each
 * segment's (times, weights, and times and scales of its visibility), the affine bodies' positions and normals, the
 * times of all frames and where each affine body is, then frame by frame, part by part, the target's and the base's. */
static int part_indices(const vv_glb *g, int part)
{
    int at = 0;
    for (int p = 0; p < part; p++)
        at += g->parts[p].index_count > 0;
    return at;
}

static int part_uvs(const vv_glb *g, int part)
{
    int at = part_indices(g, g->part_count);
    for (int p = 0; p < part; p++)
        at += g->parts[p].seams.count > 0;
    return at;
}

static int shape_accessor(const vv_glb *g, int shape)
{
    int at = part_uvs(g, g->part_count);
    for (int k = 0; k < shape; k++)
        at += g->shapes[k].vertices ? 3 : 0;
    return at;
}

static int segment_accessor(const vv_glb *g, int s) { return shape_accessor(g, g->shape_count) + s * (cut(g) ? 4 : 2); }

/* Of an affine body; for part_count: behind the last. */
static int still_accessor(const vv_glb *g, int part)
{
    return segment_accessor(g, moves(g) ? g->segments : 0) + 2 * (part - g->morph_count);
}
static int times_accessor(const vv_glb *g) { return still_accessor(g, g->part_count); }
static int pose_accessor(const vv_glb *g, int part)
{
    return times_accessor(g) + (g->poses_bytes > 0 ? 1 + 2 * (part - g->morph_count) : 0);
}

static int64_t frame_accessor(const vv_glb *g, int i, bool base, const vv_glb_part *p)
{
    int64_t at = pose_accessor(g, g->part_count) + vv_glb_kinds_before(i) * g->arrays;
    return at + vv_glb_kinds(g, i) * p->arrays_before + (base && vv_glb_has_target(i) ? p->arrays : 0);
}

static int nodes_of_part(const vv_glb *g) { return cut(g) ? g->segments + 1 : 1; }
/* The node of a part; for part_count: behind the last. */
static int part_node(const vv_glb *g, int part)
{
    return 1 + (part < g->morph_count ? part * nodes_of_part(g)
                                      : g->morph_count * nodes_of_part(g) + part - g->morph_count);
}
/* The node that has the mesh of a segment. */
static int mesh_node(const vv_glb *g, int part, int s) { return part_node(g, part) + (cut(g) ? 1 + s : 0); }
/* The mesh of an affine body. */
static int still_mesh(const vv_glb *g, int part) { return g->morph_count * g->segments + part - g->morph_count; }

/* ---- values ---- */

static void add(json_t **list, json_t *value)
{
    if (json_array_append_new(*list, value) != 0) {
        json_decref(*list);
        *list = NULL;
    }
}

static void set(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) != 0) {
        json_decref(*object);
        *object = NULL;
    }
}

static json_t *integer(int64_t value) { return json_integer((json_int_t)value); }
static json_t *triple(const float v[3]) { return json_pack("[f,f,f]", (double)v[0], (double)v[1], (double)v[2]); }

/* {"name": ...}; a name may be any bytes. */
static json_t *named(const char *name)
{
    char *text = vv_utf8(name);
    json_t *object = json_pack("{s:o}", "name", text ? json_string(text) : NULL);
    vv_free(text);
    return object;
}

static json_t *named_by_scene(const vv_glb *g)
{
    const char *name = vvRunSceneName(g->job->run);
    return named(name[0] ? name : "run");
}

static json_t *accessor(int view, int64_t at, int type, int64_t count, const char *shape)
{
    return json_pack("{s:i,s:I,s:i,s:I,s:s}", "bufferView", view, "byteOffset", (json_int_t)at, "componentType", type,
                     "count", (json_int_t)count, "type", shape);
}

/* ---- nodes ---- */

static void add_part_nodes(const vv_glb *g, json_t **nodes, int part)
{
    const vv_glb_part *p = &g->parts[part];
    json_t *node = named(p->part.name);
    if (vv_glb_is_affine(g, p)) {
        const float *turned = p->turned;
        set(&node, "mesh", integer(still_mesh(g, part)));
        set(&node, "translation", triple(p->moved));
        set(&node, "rotation",
            json_pack("[f,f,f,f]", (double)turned[0], (double)turned[1], (double)turned[2], (double)turned[3]));
        add(nodes, node);
        return;
    }
    if (!cut(g)) {
        set(&node, "mesh", integer(part));
        add(nodes, node);
        return;
    }
    json_t *children = json_array();
    for (int s = 0; s < g->segments; s++)
        add(&children, integer(mesh_node(g, part, s)));
    set(&node, "children", children);
    add(nodes, node);
    for (int s = 0; s < g->segments; s++) {
        node = json_pack("{s:o,s:i}", "name", json_sprintf("%s_%d", p->id, s + 1), "mesh", part * g->segments + s);
        if (s > 0) /* seen at rest: the first only */
            set(&node, "scale", json_pack("[i,i,i]", 0, 0, 0));
        add(nodes, node);
    }
}

static json_t *obstacle(const vv_glb *g, const vv_backdrop *b, int index)
{
    json_t *matrix = json_array();
    for (int column = 0; column < 4; column++) {
        for (int k = 0; k < 3; k++)
            add(&matrix, json_real(column < 3 ? b->axes[column][k] : b->centre[k]));
        add(&matrix, integer(column == 3));
    }
    return json_pack("{s:o,s:i,s:o}", "name", json_sprintf("%s_%d", b->type, index + 1), "mesh",
                     vv_glb_shape_of(g, b)->mesh, "matrix", matrix);
}

/* The first node holds all others: the parts' and the obstacles'. */
static json_t *nodes(const vv_glb *g)
{
    const vvRun *run = g->job->run;
    vv_backdrop b;
    int next = part_node(g, g->part_count);
    json_t *list = json_array(), *root = named_by_scene(g), *children = json_array();
    if (vv_up_axis(run) == 'Z') /* glTF's y is up */
        set(&root, "rotation", json_pack("[f,i,i,f]", -sqrt(0.5), 0, 0, sqrt(0.5)));
    for (int p = 0; p < g->part_count; p++)
        add(&children, integer(part_node(g, p)));
    for (int i = 0; i < vvRunObstacleCount(run); i++)
        if (vv_backdrop_find(run, i, &g->bounds, &b))
            add(&children, integer(next++));
    set(&root, "children", children);
    add(&list, root);
    for (int p = 0; p < g->part_count; p++)
        add_part_nodes(g, &list, p);
    for (int i = 0; i < vvRunObstacleCount(run); i++)
        if (vv_backdrop_find(run, i, &g->bounds, &b))
            add(&list, obstacle(g, &b, i));
    return list;
}

/* ---- meshes and materials ---- */

static json_t *attributes(int64_t at, int arrays)
{
    json_t *object = json_pack("{s:I}", "POSITION", (json_int_t)at);
    if (arrays == 2)
        set(&object, "NORMAL", integer(at + 1));
    return object;
}

/* What is drawn of a part whose positions begin with that accessor. */
static json_t *primitive_of(const vv_glb *g, int part, int64_t positions)
{
    const vv_glb_part *p = &g->parts[part];
    json_t *base = attributes(positions, p->arrays);
    if (p->seams.count > 0)
        set(&base, "TEXCOORD_0", integer(part_uvs(g, part)));
    json_t *primitive = json_pack("{s:o}", "attributes", base);
    if (p->index_count > 0)
        set(&primitive, "indices", integer(part_indices(g, part)));
    set(&primitive, "material", integer(part));
    set(&primitive, "mode", integer(p->arrays == 2 ? 4 : p->part.edge_count > 0 ? 1 : 0));
    return primitive;
}

static json_t *segment_mesh(const vv_glb *g, int part, int s)
{
    const vv_glb_part *p = &g->parts[part];
    int first = s * VV_GLB_SEGMENT, frames = vv_glb_segment_frames(g, s);
    json_t *mesh = named(p->part.name), *primitive = primitive_of(g, part, frame_accessor(g, first, true, p));
    if (frames > 1) {
        json_t *targets = json_array();
        for (int i = 1; i < frames; i++)
            add(&targets, attributes(frame_accessor(g, first + i, false, p), p->arrays));
        set(&primitive, "targets", targets);
    }
    set(&mesh, "primitives", json_pack("[o]", primitive));
    return mesh;
}

static json_t *meshes(const vv_glb *g)
{
    json_t *list = json_array();
    for (int p = 0; p < g->morph_count; p++)
        for (int s = 0; s < g->segments; s++)
            add(&list, segment_mesh(g, p, s));
    for (int p = g->morph_count; p < g->part_count; p++) {
        json_t *mesh = named(g->parts[p].part.name);
        set(&mesh, "primitives", json_pack("[o]", primitive_of(g, p, still_accessor(g, p))));
        add(&list, mesh);
    }
    for (int k = 0; k < g->shape_count; k++) {
        int at = shape_accessor(g, k);
        if (g->shapes[k].vertices)
            add(&list, json_pack("{s:[{s:o,s:i,s:i}]}", "primitives", "attributes", attributes(at, 2), "indices",
                                 at + 2, "material", g->part_count));
    }
    return list;
}

static json_t *material(const char *name, unsigned colour)
{
    double rgb[3];
    vv_linear_rgb(colour, rgb);
    json_t *object = named(name);
    set(&object, "pbrMetallicRoughness",
        json_pack("{s:[f,f,f,i],s:i,s:f}", "baseColorFactor", rgb[0], rgb[1], rgb[2], 1, "metallicFactor", 0,
                  "roughnessFactor", 0.6));
    set(&object, "doubleSided", json_true());
    return object;
}

static json_t *materials(const vv_glb *g)
{
    json_t *list = json_array();
    for (int p = 0; p < g->part_count; p++)
        add(&list, material(g->parts[p].part.name, g->parts[p].part.colour));
    if (g->backdrop_bytes > 0)
        add(&list, material("obstacle", VV_BACKDROP_COLOUR));
    return list;
}

/* ---- the animation ---- */

static json_t *sampler(int input, int output, const char *interpolation)
{
    return json_pack("{s:i,s:i,s:s}", "input", input, "output", output, "interpolation", interpolation);
}

static json_t *channel(int sampler, int node, const char *path)
{
    return json_pack("{s:i,s:{s:i,s:s}}", "sampler", sampler, "target", "node", node, "path", path);
}

/* Of affine bodies; two samplers each, behind those of the segments. */
static void add_poses(const vv_glb *g, int samplers_before, json_t **samplers, json_t **channels)
{
    for (int p = g->morph_count; p < g->part_count; p++)
        for (int turn = 0; turn < 2; turn++) {
            add(samplers, sampler(times_accessor(g), pose_accessor(g, p) + turn, "LINEAR"));
            add(channels, channel(samplers_before + 2 * (p - g->morph_count) + turn, part_node(g, p),
                                  turn ? "rotation" : "translation"));
        }
}

static json_t *animation(const vv_glb *g)
{
    int kinds = cut(g) ? 2 : 1;
    json_t *object = named_by_scene(g), *samplers = json_array(), *channels = json_array();
    for (int s = 0; s < g->segments; s++) {
        add(&samplers, sampler(segment_accessor(g, s), segment_accessor(g, s) + 1, "LINEAR"));
        if (cut(g))
            add(&samplers, sampler(segment_accessor(g, s) + 2, segment_accessor(g, s) + 3, "STEP"));
    }
    for (int p = 0; p < g->morph_count; p++)
        for (int s = 0; s < g->segments; s++)
            for (int kind = 0; kind < kinds; kind++)
                add(&channels, channel(kinds * s + kind, mesh_node(g, p, s), kind ? "scale" : "weights"));
    add_poses(g, kinds * g->segments, &samplers, &channels);
    set(&object, "samplers", samplers);
    set(&object, "channels", channels);
    return object;
}

/* ---- accessors and views ---- */

static void add_times(const vv_glb *g, json_t **list, int view, int64_t at, int count, int first, int last)
{
    json_t *times = accessor(view, at, FLOAT, count, "SCALAR");
    set(&times, "min", json_pack("[f]", (double)vv_glb_seconds(g, first)));
    set(&times, "max", json_pack("[f]", (double)vv_glb_seconds(g, last)));
    add(list, times);
}

static void add_positions(json_t **list, int view, int64_t at, int count, const float low[3], const float high[3])
{
    json_t *positions = accessor(view, at, FLOAT, count, "VEC3");
    set(&positions, "min", triple(low));
    set(&positions, "max", triple(high));
    add(list, positions);
}

static void add_segment_accessors(const vv_glb *g, json_t **list, int s, int64_t *at)
{
    int64_t frames = vv_glb_segment_frames(g, s);
    int begin = s * VV_GLB_SEGMENT, keys = vv_glb_visible_keys(g, s);
    add_times(g, list, animation_view(g), *at, (int)frames, begin, begin + (int)frames - 1);
    add(list, accessor(animation_view(g), *at + 4 * frames, FLOAT, frames * (frames - 1), "SCALAR"));
    *at += 4 * frames * frames;
    if (!cut(g))
        return;
    add_times(g, list, animation_view(g), *at, keys, 0, vv_glb_visible_frame(s, keys - 1));
    add(list, accessor(animation_view(g), *at + 4 * keys, FLOAT, keys, "VEC3"));
    *at += 16 * keys;
}

static void add_shape_accessors(const vv_glb *g, json_t **list, const vv_glb_shape *s)
{
    float low[3] = { 1, 1, 1 }, high[3] = { -1, -1, -1 };
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], s->vertices[6 * i + k]);
            high[k] = fmaxf(high[k], s->vertices[6 * i + k]);
        }
    add_positions(list, backdrop_view(g), s->at, s->count, low, high);
    add(list, accessor(backdrop_view(g), s->at + 12, FLOAT, s->count, "VEC3"));
    add(list, accessor(0, s->indices_at, UNSIGNED_INT, s->index_count, "SCALAR"));
}

static void add_affine_accessors(const vv_glb *g, json_t **list)
{
    const int64_t frames = g->job->count;
    int64_t at = 4 * frames;
    for (int n = g->morph_count; n < g->part_count; n++) {
        const vv_glb_part *p = &g->parts[n];
        add_positions(list, still_view(g), p->still_at, p->count, p->limits, p->limits + 3);
        add(list, accessor(still_view(g), p->still_at + 12 * (int64_t)p->count, FLOAT, p->count, "VEC3"));
    }
    if (g->poses_bytes == 0)
        return;
    add_times(g, list, poses_view(g), 0, g->job->count, 0, g->job->count - 1);
    for (int n = g->morph_count; n < g->part_count; n++, at += 28 * frames) {
        add(list, accessor(poses_view(g), at, FLOAT, frames, "VEC3"));
        add(list, accessor(poses_view(g), at + 12 * frames, FLOAT, frames, "VEC4"));
    }
}

static void add_frame_accessors(const vv_glb *g, json_t **list, int i)
{
    int view = frame_view(g, i);
    int64_t at = 0;
    for (int n = 0; n < g->morph_count; n++)
        for (int base = 0; base < 2; base++) {
            const vv_glb_part *p = &g->parts[n];
            if (base ? !vv_glb_has_base(g, i) : !vv_glb_has_target(i))
                continue;
            const float *limits = vv_glb_limits(g, i, base, n);
            add_positions(list, view, at, p->count, limits, limits + 3);
            if (p->arrays == 2)
                add(list, accessor(view, at + 12 * (int64_t)p->count, FLOAT, p->count, "VEC3"));
            at += 12 * (int64_t)p->count * p->arrays;
        }
}

static json_t *accessors(const vv_glb *g)
{
    json_t *list = json_array();
    int64_t at = 0;
    for (int n = 0; n < g->part_count; n++)
        if (g->parts[n].index_count > 0)
            add(&list, accessor(0, g->parts[n].indices_at, UNSIGNED_INT, g->parts[n].index_count, "SCALAR"));
    for (int n = 0; n < g->part_count; n++)
        if (g->parts[n].seams.count > 0)
            add(&list, accessor(uvs_view(g), g->parts[n].uvs_at, FLOAT, g->parts[n].seams.count, "VEC2"));
    for (int k = 0; k < g->shape_count; k++)
        if (g->shapes[k].vertices)
            add_shape_accessors(g, &list, &g->shapes[k]);
    for (int s = 0; s < g->segments && moves(g); s++)
        add_segment_accessors(g, &list, s, &at);
    add_affine_accessors(g, &list);
    for (int i = 0; i < g->job->count; i++)
        add_frame_accessors(g, &list, i);
    return list;
}

static void add_view(json_t **list, int64_t *at, int64_t length, int stride, int target)
{
    if (length == 0)
        return;
    json_t *view =
        json_pack("{s:i,s:I,s:I}", "buffer", 0, "byteOffset", (json_int_t)*at, "byteLength", (json_int_t)length);
    if (stride)
        set(&view, "byteStride", integer(stride));
    if (target)
        set(&view, "target", integer(target));
    add(list, view);
    *at += length;
}

static json_t *views(const vv_glb *g)
{
    json_t *list = json_array();
    int64_t at = 0;
    add_view(&list, &at, g->indices_bytes, 0, ELEMENT_ARRAY_BUFFER);
    add_view(&list, &at, g->uvs_bytes, 8, ARRAY_BUFFER);
    add_view(&list, &at, g->backdrop_bytes, 24, ARRAY_BUFFER);
    add_view(&list, &at, g->animation_bytes, 0, 0);
    add_view(&list, &at, g->still_bytes, 12, ARRAY_BUFFER);
    add_view(&list, &at, g->poses_bytes, 0, 0);
    for (int i = 0; i < g->job->count; i++)
        add_view(&list, &at, vv_glb_kinds(g, i) * g->kind_bytes, 12, ARRAY_BUFFER);
    return list;
}

/* ---- the whole ---- */

static json_t *asset(const vv_glb *g)
{
    return json_pack("{s:s,s:o,s:{s:i,s:i,s:f}}", "version", "2.0", "generator",
                     json_sprintf("visviva %s", vvVersion()), "extras", "firstFrame", g->job->first, "every",
                     g->job->every, "startTime", g->timing.start);
}

char *vv_glb_json(const vv_glb *g)
{
    json_t *root = json_pack("{s:o,s:i,s:[{s:[i]}]}", "asset", asset(g), "scene", 0, "scenes", "nodes", 0);
    set(&root, "nodes", nodes(g));
    set(&root, "meshes", meshes(g));
    set(&root, "materials", materials(g));
    if (moves(g))
        set(&root, "animations", json_pack("[o]", animation(g)));
    set(&root, "accessors", accessors(g));
    set(&root, "bufferViews", views(g));
    set(&root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->bytes));
    vv_locale locale = vv_locale_enter(); /* see vv_scene_read_json */
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;
    vv_locale_leave(locale);
    json_decref(root);
    return text;
}
#endif
