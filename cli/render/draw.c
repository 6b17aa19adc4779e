/* The painter: shadow maps, then the light on a grid, then the background, then the bodies several times (shaders.c
 * says why), then all of it put together. Only the part of the picture that bodies, obstacles and their shadows reach
 * is worked on; the rest is the empty stage. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef VV_HAVE_EGL
#include "render/painter.h"

static const double halo_reach = 2.6; /* how far the ground feels the hidden sky, in radii of what hides it */
static const double widening = 0.9;   /* pixels: the passes' shifts, so that edges are a little softer than a pixel */

static GLint at(GLuint program, const char *name) { return glGetUniformLocation(program, name); }

/* ---- shadow maps ---- */

static void draw_map(vv_painter *p, const vv_maps *maps, int layer, const float direction[3], float rows[12])
{
    float m[16];
    vv_light_rows(direction, &p->casters, rows);
    for (int c = 0; c < 4; c++) {
        for (int k = 0; k < 3; k++)
            m[4 * c + k] = 2 * rows[4 * k + c] - (c == 3 ? 1 : 0);
        m[4 * c + 3] = c == 3;
    }
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, maps->texture, 0, layer);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUniformMatrix4fv(at(p->shadow, "light"), 1, GL_FALSE, m);
    vv_buffers_draw(&p->bodies, p->coarseShadows || maps == &p->skyMaps); /* the sky's shadows are too soft to tell */
    vv_buffers_draw(&p->obstacles, false);
}

/* Rounding that moves less than a third of a pixel, or half a texel of a shadow map, is not seen. */
static void choose_detail(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    const vv_casters *c = &p->casters;
    double depth = -c->radius;
    for (int k = 0; k < 3; k++)
        depth += (camera->eye[k] - stage->origin[k] - c->centre[k]) * camera->back[k];
    double pixel = 2 * camera->tanY * fmax(depth, camera->near) / p->height;
    p->coarse = 2 * stage->bend < 0.3 * pixel;
    p->coarseShadows = 2 * stage->bend < 0.5 * (2 * c->radius / VV_KEY_SIDE);
}

static void draw_maps(vv_painter *p, const vv_maps *maps, float (*directions)[3], int count, const char *name)
{
    float rows[12 * VV_MOST_SKIES];
    glUseProgram(p->shadow);
    glBindFramebuffer(GL_FRAMEBUFFER, maps->target);
    glViewport(0, 0, maps->side, maps->side);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    for (int i = 0; i < count; i++)
        draw_map(p, maps, i, directions[i], rows + 12 * i);
    glUseProgram(p->light);
    if (count > 0)
        glUniform4fv(at(p->light, name), 3 * count, rows);
}

/* ---- what all shaders need to know ---- */

static void camera_matrix(const vv_camera *c, const double origin[3], double jx, double jy, float m[16])
{
    double eye[3], view[3][4], a = (c->far + c->near) / (c->near - c->far),
                               b = 2 * c->far * c->near / (c->near - c->far);
    const double *axis[3] = { c->right, c->up, c->back };
    for (int k = 0; k < 3; k++)
        eye[k] = c->eye[k] - origin[k];
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++)
            view[r][k] = axis[r][k];
        view[r][3] = -vv_dot3(axis[r], eye);
    }
    for (int k = 0; k < 4; k++) {
        m[4 * k] = (float)(view[0][k] / c->tanX - jx * view[2][k]);
        m[4 * k + 1] = (float)(view[1][k] / c->tanY - jy * view[2][k]);
        m[4 * k + 2] = (float)(a * view[2][k] + (k == 3 ? b : 0));
        m[4 * k + 3] = (float)-view[2][k];
    }
}

static void set_vector(GLuint program, const char *name, const double v[3])
{
    glUniform3f(at(program, name), (float)v[0], (float)v[1], (float)v[2]);
}

static void set_colour(GLuint program, const char *name, unsigned colour, double strength)
{
    float c[4];
    vv_linear_colour(colour, c);
    glUniform3f(at(program, name), (float)strength * c[0], (float)strength * c[1], (float)strength * c[2]);
}

static void set_backdrop(const vv_painter *p, GLuint program, const vv_render_stage *stage, const vv_camera *camera)
{
    glUseProgram(program);
    set_colour(program, "skyLow", VV_SKY_LOW, 1);
    set_colour(program, "skyHigh", VV_SKY_HIGH, 1);
    glUniform2f(at(program, "screen"), (float)p->width, (float)p->height);
    /* where the horizon lies, as a part of the picture's height */
    double rise = vv_dot3(camera->up, stage->up), slope = -vv_dot3(camera->back, stage->up);
    double horizon = rise > 1e-6 ? 0.5 - 0.5 * slope / (rise * camera->tanY) : 0.5;
    glUniform1f(at(program, "horizon"), (float)fmin(fmax(horizon, -0.5), 0.85));
}

/* Where the light comes from, and how it is found on the grid. */
static void set_lit(const vv_painter *p, GLuint program, const vv_render_stage *stage, const vv_camera *camera)
{
    double eye[3];
    glUseProgram(program);
    for (int k = 0; k < 3; k++)
        eye[k] = camera->eye[k] - stage->origin[k];
    set_vector(program, "eye", eye);
    set_vector(program, "up", stage->up);
    glUniform3fv(at(program, "keyDirection"), 1, p->lights.middle);
    glUniform3fv(at(program, "keyColour"), 1, p->lights.keyColour);
    glUniform3fv(at(program, "skyColour"), 1, p->lights.skyColour);
    set_vector(program, "right", camera->right);
    set_vector(program, "above", camera->up);
    set_vector(program, "back", camera->back);
    glUniform2f(at(program, "brightness"), p->lights.horizon, p->lights.zenith);
    glUniform2f(at(program, "shift"), 0, 0);
    glUniform1f(at(program, "scale"), (float)p->scale);
    glUniform1f(at(program, "tolerance"), (float)(0.01 * p->casters.radius));
    glUniform1i(at(program, "light"), 0);
}

static void set_body(const vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    double reach = 0, height = -1e6 * camera->size;
    set_lit(p, p->body, stage, camera);
    for (int k = 0; k < 3; k++)
        reach = fmax(reach, 0.5 * (stage->high[k] - stage->low[k]));
    if (stage->hasGround) {
        height = 0;
        for (int k = 0; k < 3; k++)
            height += (stage->ground.point[k] - stage->origin[k]) * stage->up[k];
    }
    set_colour(p->body, "bounce", VV_GROUND, stage->hasGround ? 0.30 : 0.24);
    set_colour(p->body, "rim", VV_RIM, 0.18);
    glUniform1f(at(p->body, "groundHeight"), (float)height);
    glUniform1f(at(p->body, "reach"), (float)fmax(reach, 1e-9));
}

static void set_plane(const vv_painter *p, GLuint program, const vv_render_stage *stage, const vv_camera *camera)
{
    double focus[3];
    set_backdrop(p, program, stage, camera);
    set_lit(p, program, stage, camera);
    for (int k = 0; k < 3; k++)
        focus[k] = camera->focus[k] - stage->origin[k];
    set_vector(program, "focus", focus);
    glUniform2f(at(program, "fade"), (float)(0.9 * camera->size), (float)(4.5 * camera->size));
}

/* Distances in the maps are in their widths, the casters' diameter. */
static void set_light(const vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    float rows[12];
    set_lit(p, p->geometry, stage, camera);
    set_lit(p, p->smooth, stage, camera);
    set_lit(p, p->light, stage, camera);
    vv_light_rows(p->lights.middle, &p->casters, rows);
    glUniform4fv(at(p->light, "middleRow"), 3, rows);
    glUniform1f(at(p->light, "spread"), (float)(2 * p->lights.keyRadius));
    glUniform1f(at(p->light, "diameter"), (float)(2 * p->casters.radius));
    glUniform1i(at(p->light, "keys"), p->keys);
    glUniform1i(at(p->light, "skies"), p->skies);
    /* half the angle between neighbouring points: of so many in the key's disc, of so many in the sky's half sphere */
    double key = 1.2 * p->lights.keyRadius / sqrt(p->keys), sky = sqrt(2.0 / (p->skies > 0 ? p->skies : 1));
    glUniform2f(at(p->light, "keyBlur"), (float)(p->keys > 1 ? key : 0), 0.75f / VV_KEY_SIDE);
    glUniform2f(at(p->light, "skyBlur"), (float)sky, 0.75f / VV_SKY_SIDE);
    glUniform1i(at(p->light, "geometry"), 0);
    glUniform1i(at(p->light, "keyMaps"), 1);
    glUniform1i(at(p->light, "skyMaps"), 2);
}

static void set_camera(const vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, double x, double y)
{
    const GLuint programs[] = { p->geometry, p->body, p->plane, p->open, p->hidden };
    float m[16];
    camera_matrix(camera, stage->origin, 2 * x / p->width, 2 * y / p->height, m);
    for (int i = 0; i < 5; i++) {
        glUseProgram(programs[i]);
        glUniformMatrix4fv(at(programs[i], "camera"), 1, GL_FALSE, m);
    }
    glUseProgram(p->body);
    glUniform2f(at(p->body, "shift"), (float)x, (float)y);
}

/* ---- drawing ---- */

static void bind(GLuint unit, GLenum kind, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(kind, texture);
}

static void draw_screen(vv_painter *p, GLuint program, GLuint target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    glBindVertexArray(p->empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_planes(const vv_painter *p, GLuint program)
{
    glUseProgram(program);
    vv_buffers_draw(&p->planes, false); /* planes hide nothing from behind */
}

static void keep_to(const int region[4]) { glScissor(region[0], region[1], region[2], region[3]); }

/* ---- light on the grid ---- */

static void begin_places(vv_painter *p, const int region[4])
{
    static const float nothing[4] = { 0, 0, 0, -1 };
    int s = p->scale, spare = 3; /* smoothing looks at neighbours */
    glViewport(0, 0, p->gridWidth, p->gridHeight);
    glScissor(region[0] / s - spare, region[1] / s - spare, region[2] / s + 2 * spare + 1,
              region[3] / s + 2 * spare + 1);
    glBindFramebuffer(GL_FRAMEBUFFER, p->placesTarget);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
}

static void find_light(vv_painter *p, GLuint smooth, GLuint target, double lift, const double halo[5])
{
    glUseProgram(p->light);
    glUniform1f(at(p->light, "lift"), (float)(lift * 2 * p->casters.radius / VV_KEY_SIDE));
    glUniform3f(at(p->light, "haloCentre"), (float)halo[0], (float)halo[1], (float)halo[2]);
    glUniform2f(at(p->light, "halo"), (float)halo[3], (float)halo[4]);
    bind(0, GL_TEXTURE_2D, p->places);
    bind(1, GL_TEXTURE_2D_ARRAY, p->keyMaps.texture);
    bind(2, GL_TEXTURE_2D_ARRAY, p->skyMaps.texture);
    bool hard = p->keys == 1 && p->skies == 0; /* nothing to smooth */
    draw_screen(p, p->light, hard ? target : p->rawLightTarget);
    if (hard)
        return;
    bind(0, GL_TEXTURE_2D, p->rawLight);
    glUseProgram(smooth);
    glUniform1f(at(smooth, "tolerance"), 0.03f);
    draw_screen(p, smooth, target);
}

/* The grid's cells stay twice the pixels' where a side is odd. */
static void set_grid_camera(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    vv_camera wide = *camera;
    double x = (double)p->gridWidth * p->scale / p->width, y = (double)p->gridHeight * p->scale / p->height;
    float m[16];
    wide.tanX *= x;
    wide.tanY *= y;
    camera_matrix(&wide, stage->origin, 0, 0, m);
    for (int k = 0; k < 4; k++) { /* the first pixel stays in its corner */
        m[4 * k] += (float)((1 - 1 / x)) * -m[4 * k + 3];
        m[4 * k + 1] += (float)((1 - 1 / y)) * -m[4 * k + 3];
    }
    glUseProgram(p->geometry);
    glUniformMatrix4fv(at(p->geometry, "camera"), 1, GL_FALSE, m);
}

static void draw_light(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    const vv_casters *c = &p->casters;
    const double far = 1e6 * (c->radius + camera->size);
    double halo[5] = { 0, 0, 0, far, 2 * far }, height = 0;
    set_light(p, stage, camera);
    draw_maps(p, &p->keyMaps, p->lights.key, p->keys, "keyRow");
    draw_maps(p, &p->skyMaps, p->lights.sky, p->skies, "skyRow");
    set_grid_camera(p, stage, camera);
    glEnable(GL_SCISSOR_TEST);
    begin_places(p, p->region);
    glUseProgram(p->geometry);
    vv_buffers_draw(&p->obstacles, false);
    vv_buffers_draw(&p->bodies, p->coarse);
    find_light(p, p->smooth, p->bodyLightTarget, 1.5, halo);
    if (p->planes.indexCount == 0)
        return;
    for (int k = 0; k < 3; k++)
        height += (c->centre[k] + stage->origin[k] - stage->ground.point[k]) * stage->ground.normal[k];
    for (int k = 0; k < 3; k++)
        halo[k] = c->centre[k] - height * stage->ground.normal[k];
    if (stage->hasGround) {
        halo[3] = 0.5 * halo_reach * c->radius;
        halo[4] = halo_reach * c->radius;
    }
    begin_places(p, p->lit);
    draw_planes(p, p->geometry);
    find_light(p, p->smoothPlane, p->planeLightTarget, 0.5, halo);
}

/* ---- the picture ---- */

/* The empty stage, with the light that the bodies leave. */
static void draw_ground(vv_painter *p)
{
    glViewport(0, 0, p->width, p->height);
    keep_to(p->lit);
    draw_screen(p, p->backdrop, p->groundTarget);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    bind(0, GL_TEXTURE_2D, p->planeLight);
    draw_planes(p, p->plane);
}

static int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/* 0 to count - 1 in an order that jumps: so every row and column of count x count has one pass, and none lie in a
 * line. */
static int shuffled(int i, int count)
{
    int step = (int)lround(0.382 * (count + 1));
    while (step < 1 || common_divisor(count + 1, step) > 1)
        step++;
    return step * (i + 1) % (count + 1) - 1;
}

static void draw_pass(vv_painter *p, int pass, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    static const float nothing[4] = { 0, 0, 0, 0 };
    set_camera(p, stage, camera, widening * ((pass + 0.5) / p->passes - 0.5),
               widening * ((shuffled(pass, p->passes) + 0.5) / p->passes - 0.5));
    glBindFramebuffer(GL_FRAMEBUFFER, p->layerTarget);
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, p->layers, 0, pass % p->room);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    bind(0, GL_TEXTURE_2D, p->bodyLight);
    glUseProgram(p->body);
    glUniform1f(at(p->body, "wire"), 0);
    vv_buffers_draw(&p->obstacles, false);
    glUniform1f(at(p->body, "wire"), wire ? 0.55f : 0);
    vv_buffers_draw(&p->bodies, p->coarse);
    draw_planes(p, p->hidden);
}

/* Sums the layers that are full, to make room. */
static void add_layers(vv_painter *p, bool first)
{
    if (!first) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE);
    }
    bind(0, GL_TEXTURE_2D_MULTISAMPLE_ARRAY, p->layers);
    glUseProgram(p->add);
    glUniform1i(at(p->add, "count"), p->room);
    glUniform1i(at(p->add, "samples"), p->samples);
    draw_screen(p, p->add, p->sumTarget);
    glDisable(GL_BLEND);
}

static void draw_bodies(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    keep_to(p->region);
    for (int pass = 0; pass < p->passes; pass++) {
        if (pass > 0 && pass % p->room == 0)
            add_layers(p, pass == p->room);
        draw_pass(p, pass, stage, camera, wire);
    }
}

static void put_together(vv_painter *p)
{
    keep_to(p->lit);
    glUseProgram(p->tone);
    glUniform1f(at(p->tone, "share"), 1.0f / (float)(p->passes * p->samples));
    glUniform1i(at(p->tone, "count"), (p->passes - 1) % p->room + 1);
    glUniform1i(at(p->tone, "samples"), p->samples);
    glUniform1i(at(p->tone, "summed"), p->passes > p->room);
    glUniform4iv(at(p->tone, "bodies"), 1, p->region);
    glUniform1i(at(p->tone, "sum"), 0);
    glUniform1i(at(p->tone, "ground"), 1);
    glUniform1i(at(p->tone, "passes"), 2);
    bind(0, GL_TEXTURE_2D, p->sum);
    bind(1, GL_TEXTURE_2D, p->ground);
    bind(2, GL_TEXTURE_2D_MULTISAMPLE_ARRAY, p->layers);
    draw_screen(p, p->tone, p->outTarget);
}

/* The region (from the bottom) of what is drawn: its pixels go to the rows of `out`, which is as large as the
 * picture. */
static bool read_back(vv_painter *p, const int region[4], GLenum format, unsigned char *out)
{
    size_t each = format == GL_RGB ? 3 : 1, row = each * (size_t)region[2], wide = each * (size_t)p->width;
    if (region[2] <= 0 || region[3] <= 0)
        return true;
    unsigned char *rows = malloc(row * (size_t)region[3]);
    glBindFramebuffer(GL_FRAMEBUFFER, p->outTarget);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    if (rows)
        glReadPixels(region[0], region[1], region[2], region[3], format, GL_UNSIGNED_BYTE, rows);
    bool good = rows && glGetError() == GL_NO_ERROR;
    for (int y = 0; good && y < region[3]; y++) { /* OpenGL's rows start at the bottom */
        size_t line = (size_t)(p->height - 1 - region[1] - y);
        memcpy(out + line * wide + each * (size_t)region[0], rows + (size_t)y * row, row);
    }
    free(rows);
    if (!good)
        vv_cli_wrong("drawing failed in the driver %s (no memory?)", vv_gl_renderer(p->gl));
    return good;
}

/* The stage without bodies, drawn anew only when it changes. */
static bool draw_blank(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    vv_blank_stage now = { .camera = *camera, .hasGround = stage->hasGround, .ground = stage->ground };
    memcpy(now.up, stage->up, sizeof now.up);
    if (p->blank.rgb && memcmp(&now, &p->blankStage, sizeof now) == 0)
        return true;
    if (!p->blank.rgb && !vv_image_create(&p->blank, p->width, p->height))
        return false;
    const int whole[4] = { 0, 0, p->width, p->height };
    p->blankStage = now;
    memset(p->region, 0, sizeof p->region);
    memcpy(p->lit, whole, sizeof p->lit);
    glViewport(0, 0, p->width, p->height);
    draw_screen(p, p->backdrop, p->groundTarget);
    draw_planes(p, p->open);
    put_together(p);
    glDisable(GL_SCISSOR_TEST);
    return read_back(p, whole, GL_RGB, p->blank.rgb);
}

bool vv_painter_begin(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    if (!vv_painter_fill(p, stage, camera, wire))
        return false;
    vv_lights_place(&p->lights, p->keys, p->skies, stage->up, camera);
    vv_casters_measure(&p->casters, stage, camera);
    choose_detail(p, stage, camera);
    set_backdrop(p, p->backdrop, stage, camera);
    set_body(p, stage, camera);
    set_plane(p, p->plane, stage, camera);
    set_plane(p, p->open, stage, camera);
    set_camera(p, stage, camera, 0, 0);
    if (!draw_blank(p, stage, camera))
        return false;
    vv_casters_region(&p->casters, &p->lights, stage, camera, p->skies > 0 ? halo_reach : 0, p->width, p->height,
                      p->region, p->lit);
    draw_light(p, stage, camera);
    draw_ground(p);
    draw_bodies(p, stage, camera, wire);
    put_together(p);
    glDisable(GL_SCISSOR_TEST);
    glFlush();
    return true;
}

bool vv_painter_end(vv_painter *p, vv_image *image)
{
    memcpy(image->rgb, p->blank.rgb, 3 * (size_t)p->width * (size_t)p->height);
    return read_back(p, p->lit, GL_RGB, image->rgb);
}

bool vv_painter_cover(vv_painter *p, unsigned char *cover)
{
    memset(cover, 0, (size_t)p->width * (size_t)p->height);
    return read_back(p, p->lit, GL_ALPHA, cover);
}

#endif
