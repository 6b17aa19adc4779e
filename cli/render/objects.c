/* The painter's OpenGL objects: textures, targets, programs, and the buffers that hold a frame's geometry. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef VV_HAVE_EGL
#include "render/painter.h"

static const int fine_quality = 20;      /* above it the grid of light is as fine as the picture */
static const long most_pixels = 1 << 24; /* of larger pictures one sample of a pixel is kept at a time */

/* ---- OpenGL objects ---- */

static GLuint make_texture(GLenum format, GLenum kind, GLenum type, int width, int height)
{
    GLuint id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, kind, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return id;
}

static GLuint make_target(GLuint colour, GLuint depth)
{
    GLuint id;
    glGenFramebuffers(1, &id);
    glBindFramebuffer(GL_FRAMEBUFFER, id);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    if (depth)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ? id : 0;
}

static GLuint make_layers(GLenum format, GLenum kind, GLenum type, int width, int height, int layers)
{
    GLuint id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D_ARRAY, id);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, (GLint)format, width, height, layers, 0, kind, type, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return id;
}

/* Nothing that throws shadows reaches a map's edge: what lies outside is lit. */
static void make_maps(vv_maps *maps, int side, int layers)
{
    maps->side = side;
    maps->layers = layers;
    maps->texture =
        make_layers(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, side, side, layers > 0 ? layers : 1);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &maps->target);
    glBindFramebuffer(GL_FRAMEBUFFER, maps->target);
    glDrawBuffer(GL_NONE);
}

static void make_buffers(vv_buffers *b)
{
    glGenVertexArrays(1, &b->array);
    glBindVertexArray(b->array);
    glGenBuffers(1, &b->vertices);
    glGenBuffers(1, &b->indices);
    glBindBuffer(GL_ARRAY_BUFFER, b->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b->indices);
    static const struct {
        GLint size;
        size_t offset;
    } parts[] = { { 3, offsetof(vv_vertex, position) },
                  { 3, offsetof(vv_vertex, normal) },
                  { 4, offsetof(vv_vertex, colour) } };
    for (GLuint k = 0; k < 3; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, parts[k].size, GL_FLOAT, GL_FALSE, sizeof(vv_vertex), (const void *)parts[k].offset);
    }
}

static void fill_buffers(vv_buffers *b, const vv_vertex *vertices, int vertexCount, const unsigned *indices, int count)
{
    static const vv_indices none[2];
    memcpy(b->solid, none, sizeof none);
    memcpy(b->thin, none, sizeof none);
    b->rest = 0;
    glBindVertexArray(b->array);
    glBindBuffer(GL_ARRAY_BUFFER, b->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *vertices * vertexCount, vertices, GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)sizeof *indices * count, indices, GL_STREAM_DRAW);
    b->indexCount = count;
}

static void draw_range(vv_indices range)
{
    if (range.count > 0)
        glDrawElements(GL_TRIANGLES, range.count, GL_UNSIGNED_INT,
                       (const void *)(sizeof(unsigned) * (size_t)range.first));
}

void vv_buffers_draw(const vv_buffers *b, bool coarse)
{
    glBindVertexArray(b->array);
    glEnable(GL_CULL_FACE);
    draw_range(b->solid[coarse]);
    draw_range((vv_indices){ b->rest, b->indexCount - b->rest });
    glDisable(GL_CULL_FACE);
    draw_range(b->thin[coarse]);
}

static bool make_programs(vv_painter *p)
{
    p->shadow = vv_gl_program(vv_shader_shadow_vertex, vv_shader_shadow_fragment, "shadow");
    p->backdrop = vv_gl_program(vv_shader_screen_vertex, vv_shader_backdrop_fragment, "backdrop");
    p->geometry = vv_gl_program(vv_shader_scene_vertex, vv_shader_geometry_fragment, "geometry");
    p->light = vv_gl_program(vv_shader_screen_vertex, vv_shader_light_fragment, "light");
    p->smooth = vv_gl_program(vv_shader_screen_vertex, vv_shader_smooth_fragment, "smoothing");
    p->smoothPlane = vv_gl_program(vv_shader_screen_vertex, vv_shader_smooth_plane_fragment, "smoothing of planes");
    p->body = vv_gl_program(vv_shader_scene_vertex, vv_shader_body_fragment, "body");
    p->plane = vv_gl_program(vv_shader_scene_vertex, vv_shader_plane_fragment, "plane");
    p->open = vv_gl_program(vv_shader_scene_vertex, vv_shader_open_fragment, "ground");
    p->hidden = vv_gl_program(vv_shader_scene_vertex, vv_shader_hidden_fragment, "hiding");
    p->add = vv_gl_program(vv_shader_screen_vertex, vv_shader_add_fragment, "sum");
    p->tone = vv_gl_program(vv_shader_screen_vertex, vv_shader_tone_fragment, "tone");
    return p->shadow && p->backdrop && p->geometry && p->light && p->smooth && p->smoothPlane && p->body && p->plane &&
           p->open && p->hidden && p->add && p->tone;
}

static bool make_objects(vv_painter *p)
{
    if (!make_programs(p))
        return false;
    make_maps(&p->keyMaps, VV_KEY_SIDE, p->keys);
    make_maps(&p->skyMaps, VV_SKY_SIDE, p->skies);
    int w = p->width, h = p->height, gw = p->gridWidth, gh = p->gridHeight;
    p->places = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, gw, gh);
    p->gridDepth = make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, gw, gh);
    p->rawLight = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, gw, gh);
    p->bodyLight = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, gw, gh);
    p->planeLight = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, gw, gh);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenTextures(1, &p->layers);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, p->layers);
    glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, p->samples, GL_RGBA16F, w, h, p->room, GL_TRUE);
    glGenTextures(1, &p->layerDepth);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, p->layerDepth);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, p->samples, GL_DEPTH_COMPONENT32F, w, h, GL_TRUE);
    p->depth = make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, w, h);
    p->ground = make_texture(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, w, h);
    p->sum = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, p->passes > p->room ? w : 1, p->passes > p->room ? h : 1);
    p->out = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, w, h);
    p->placesTarget = make_target(p->places, p->gridDepth);
    p->rawLightTarget = make_target(p->rawLight, 0);
    p->bodyLightTarget = make_target(p->bodyLight, 0);
    p->planeLightTarget = make_target(p->planeLight, 0);
    p->groundTarget = make_target(p->ground, p->depth);
    p->sumTarget = make_target(p->sum, 0);
    p->outTarget = make_target(p->out, 0);
    glGenFramebuffers(1, &p->layerTarget);
    glBindFramebuffer(GL_FRAMEBUFFER, p->layerTarget);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D_MULTISAMPLE, p->layerDepth, 0);
    glGenVertexArrays(1, &p->empty);
    make_buffers(&p->bodies);
    make_buffers(&p->obstacles);
    make_buffers(&p->planes);
    if (p->placesTarget && p->rawLightTarget && p->bodyLightTarget && p->planeLightTarget && p->groundTarget &&
        p->sumTarget && p->outTarget && glGetError() == GL_NO_ERROR)
        return true;
    vv_cli_wrong("the driver %s gives no pictures of %d x %d pixels; choose a smaller --size", vv_gl_renderer(p->gl),
                 p->width, p->height);
    return false;
}

static int clamped(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

vv_painter *vv_painter_create(int width, int height, int quality)
{
    vv_painter *p = calloc(1, sizeof *p);
    if (!p) {
        vv_cli_wrong("no memory for drawing");
        return NULL;
    }
    p->width = width;
    p->height = height;
    p->samples = (long)width * height <= most_pixels ? 4 : 1;
    p->passes = clamped((quality + p->samples - 1) / p->samples, 1, VV_MOST_QUALITY);
    p->room = clamped(p->passes, 1, (long)width * height > 1 << 21 ? 1 : VV_LAYERS);
    p->keys = clamped(quality, 1, VV_MOST_KEYS);
    p->skies = clamped((3 * quality + 3) / 4 * 4, 0, VV_MOST_SKIES);
    p->scale = quality > fine_quality ? 1 : 2;
    p->gridWidth = (width + p->scale - 1) / p->scale;
    p->gridHeight = (height + p->scale - 1) / p->scale;
    p->gl = vv_gl_start();
    if (!p->gl || !make_objects(p)) {
        vv_painter_destroy(p);
        return NULL;
    }
    return p;
}

void vv_painter_destroy(vv_painter *p)
{
    if (!p)
        return;
    vv_gl_stop(p->gl); /* the context owns all its objects */
    free(p->corners);
    vv_image_destroy(&p->blank);
    free(p);
}

const char *vv_painter_device(const vv_painter *p) { return vv_gl_renderer(p->gl); }

/* ---- planes ---- */

static void add_plane(vv_geometry *g, const vv_render_stage *stage, const vv_plane *plane, const vv_camera *camera,
                      double half, unsigned colour)
{
    double u[3], v[3], at[3], away = 0, pick[3] = { 0, 0, 0 };
    int first = vv_geometry_append(g, 4, 6);
    if (first < 0)
        return;
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(plane->normal[k]) < fabs(plane->normal[least]))
            least = k;
    pick[least] = 1;
    vv_cross3(pick, plane->normal, u);
    vv_unit3(u);
    vv_cross3(plane->normal, u, v);
    for (int k = 0; k < 3; k++)
        away += (camera->focus[k] - plane->point[k]) * plane->normal[k];
    for (int k = 0; k < 3; k++)
        at[k] = camera->focus[k] - away * plane->normal[k] - stage->origin[k];
    for (int i = 0; i < 4; i++) {
        vv_vertex *w = g->vertices + first + i;
        double s = (i == 1 || i == 2) ? half : -half, t = i >= 2 ? half : -half;
        for (int k = 0; k < 3; k++) {
            w->position[k] = (float)(at[k] + s * u[k] + t * v[k]);
            w->normal[k] = (float)plane->normal[k];
        }
        vv_linear_colour(colour, w->colour);
        w->colour[3] = 0;
    }
    static const unsigned order[6] = { 0, 1, 2, 0, 2, 3 };
    for (int i = 0; i < 6; i++)
        g->indices[g->indexCount - 6 + i] = (unsigned)first + order[i];
}

/* ---- a frame's geometry ---- */

/* Wire needs each triangle's own three vertices, in order. */
static bool fill_wire(vv_painter *p, const vv_geometry *g)
{
    int first = g->solid[0].first, count = g->indexCount - first; /* what follows the coarser form */
    vv_vertex *corners = realloc(p->corners, (size_t)(count + 1) * sizeof *corners);
    unsigned *order = malloc((size_t)(count + 1) * sizeof *order);
    if (corners)
        p->corners = corners;
    if (!corners || !order) {
        free(order);
        vv_cli_wrong("no memory for drawing the triangles' edges");
        return false;
    }
    for (int i = 0; i < count; i++) {
        corners[i] = g->vertices[g->indices[first + i]];
        order[i] = (unsigned)i;
    }
    fill_buffers(&p->bodies, corners, count, order, count);
    free(order);
    for (int level = 0; level < 2; level++) {
        p->bodies.solid[level] = (vv_indices){ 0, g->solid[0].count };
        p->bodies.thin[level] = (vv_indices){ g->solid[0].count, g->thin[0].count };
    }
    p->bodies.rest = g->rest - first;
    return true;
}

bool vv_painter_fill(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    vv_geometry planes = { 0 };
    if (stage->hasGround)
        add_plane(&planes, stage, &stage->ground, camera, 60 * camera->size, VV_GROUND);
    for (int i = 0; i < stage->wallCount; i++)
        add_plane(&planes, stage, &stage->walls[i], camera, 6 * camera->size, VV_WALL);
    bool good = !planes.failed;
    if (good)
        fill_buffers(&p->planes, planes.vertices, planes.vertexCount, planes.indices, planes.indexCount);
    vv_geometry_destroy(&planes);
    const vv_geometry *o = &stage->obstacles, *b = &stage->bodies;
    fill_buffers(&p->obstacles, o->vertices, o->vertexCount, o->indices, o->indexCount);
    if (wire)
        return fill_wire(p, b) && good;
    fill_buffers(&p->bodies, b->vertices, b->vertexCount, b->indices, b->indexCount);
    memcpy(p->bodies.solid, b->solid, sizeof b->solid);
    memcpy(p->bodies.thin, b->thin, sizeof b->thin);
    p->bodies.rest = b->rest;
    return good;
}

#else

vv_painter *vv_painter_create(int width, int height, int quality)
{
    (void)width, (void)height, (void)quality;
    vv_cli_wrong(
        "this build draws no pictures: it was built without OpenGL. Install libegl-dev and libopengl-dev (and, to "
        "run, libegl-mesa0 libgl1-mesa-dri), then build again");
    return NULL;
}
void vv_painter_destroy(vv_painter *p) { (void)p; }
const char *vv_painter_device(const vv_painter *p) { return p ? "" : "none"; }
bool vv_painter_begin(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    (void)p, (void)stage, (void)camera, (void)wire;
    return false;
}
bool vv_painter_end(vv_painter *p, vv_image *image)
{
    (void)p, (void)image;
    return false;
}
bool vv_painter_cover(vv_painter *p, unsigned char *cover)
{
    (void)p, (void)cover;
    return false;
}

#endif

bool vv_painter_paint(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire, vv_image *image)
{
    return vv_painter_begin(p, stage, camera, wire) && vv_painter_end(p, image);
}
