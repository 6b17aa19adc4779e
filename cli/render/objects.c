/* The painter's OpenGL objects: textures, targets, programs, and the buffers that hold a frame's geometry. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>

#ifdef VV_HAVE_EGL
#include "render/painter.h"

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

static void make_shadow_maps(vv_painter *p)
{
    static const float lit[4] = { 1, 1, 1, 1 };
    glGenTextures(1, &p->shadowMaps);
    glBindTexture(GL_TEXTURE_2D_ARRAY, p->shadowMaps);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT32F, VV_SHADOW_SIDE, VV_SHADOW_SIDE, VV_LIGHTS, 0,
                 GL_DEPTH_COMPONENT, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTexParameterfv(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_BORDER_COLOR, lit);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &p->shadowTarget);
    glGenSamplers(1, &p->depthSampler);
    glSamplerParameteri(p->depthSampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameteri(p->depthSampler, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glSamplerParameteri(p->depthSampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glSamplerParameteri(p->depthSampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glSamplerParameterfv(p->depthSampler, GL_TEXTURE_BORDER_COLOR, lit);
}

static void make_buffers(vv_buffers *b)
{
    glGenVertexArrays(1, &b->array);
    glBindVertexArray(b->array);
    glGenBuffers(1, &b->vertices);
    glGenBuffers(1, &b->indices);
    glBindBuffer(GL_ARRAY_BUFFER, b->vertices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b->indices);
    static const struct { GLint size; size_t offset; } parts[] = { { 3, offsetof(vv_vertex, position) },
        { 3, offsetof(vv_vertex, normal) }, { 4, offsetof(vv_vertex, colour) } };
    for (GLuint k = 0; k < 3; k++) {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, parts[k].size, GL_FLOAT, GL_FALSE, sizeof(vv_vertex), (const void *)parts[k].offset);
    }
}

static void fill_buffers(vv_buffers *b, const vv_vertex *vertices, int vertexCount, const unsigned *indices, int count)
{
    glBindVertexArray(b->array);
    glBindBuffer(GL_ARRAY_BUFFER, b->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)sizeof *vertices * vertexCount, vertices, GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)sizeof *indices * count, indices, GL_STREAM_DRAW);
    b->indexCount = count;
}

void vv_buffers_draw(const vv_buffers *b)
{
    if (b->indexCount == 0)
        return;
    glBindVertexArray(b->array);
    glDrawElements(GL_TRIANGLES, b->indexCount, GL_UNSIGNED_INT, NULL);
}

static bool make_objects(vv_painter *p)
{
    p->shadow = vv_gl_program(vv_shader_shadow_vertex, vv_shader_shadow_fragment, "shadow");
    p->backdrop = vv_gl_program(vv_shader_screen_vertex, vv_shader_backdrop_fragment, "backdrop");
    p->body = vv_gl_program(vv_shader_scene_vertex, vv_shader_body_fragment, "body");
    p->plane = vv_gl_program(vv_shader_scene_vertex, vv_shader_plane_fragment, "plane");
    p->open = vv_gl_program(vv_shader_scene_vertex, vv_shader_open_fragment, "ground");
    p->add = vv_gl_program(vv_shader_screen_vertex, vv_shader_add_fragment, "sum");
    p->tone = vv_gl_program(vv_shader_screen_vertex, vv_shader_tone_fragment, "tone");
    if (!p->shadow || !p->backdrop || !p->body || !p->plane || !p->open || !p->add || !p->tone)
        return false;
    make_shadow_maps(p);
    p->colour = make_texture(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, p->width, p->height);
    p->depth = make_texture(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, p->width, p->height);
    p->sum = make_texture(GL_RGBA32F, GL_RGBA, GL_FLOAT, p->width, p->height);
    p->out = make_texture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, p->width, p->height);
    p->target = make_target(p->colour, p->depth);
    p->sumTarget = make_target(p->sum, 0);
    p->outTarget = make_target(p->out, 0);
    glGenVertexArrays(1, &p->empty);
    make_buffers(&p->bodies);
    make_buffers(&p->obstacles);
    make_buffers(&p->planes);
    if (p->target && p->sumTarget && p->outTarget && glGetError() == GL_NO_ERROR)
        return true;
    vv_cli_wrong("the driver %s gives no pictures of %d x %d pixels; choose a smaller --size", vv_gl_renderer(p->gl),
                 p->width, p->height);
    return false;
}

vv_painter *vv_painter_create(int width, int height, int quality)
{
    vv_painter *p = calloc(1, sizeof *p);
    if (!p) {
        vv_cli_wrong("no memory for drawing");
        return NULL;
    }
    p->width = width;
    p->height = height;
    p->passes = quality < 1 ? 1 : quality > VV_MOST_PASSES ? VV_MOST_PASSES : quality;
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
    vv_vertex *corners = realloc(p->corners, (size_t)(g->indexCount + 1) * sizeof *corners);
    unsigned *order = malloc((size_t)(g->indexCount + 1) * sizeof *order);
    if (corners)
        p->corners = corners;
    if (!corners || !order) {
        free(order);
        vv_cli_wrong("no memory for drawing the triangles' edges");
        return false;
    }
    for (int i = 0; i < g->indexCount; i++) {
        corners[i] = g->vertices[g->indices[i]];
        order[i] = (unsigned)i;
    }
    fill_buffers(&p->bodies, corners, g->indexCount, order, g->indexCount);
    free(order);
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
bool vv_painter_paint(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire, vv_image *image)
{
    (void)p, (void)stage, (void)camera, (void)wire, (void)image;
    return false;
}

#endif
