/* The painter: accumulates passes (shaders.c says of what) into one picture. Only the part of the picture that
 * bodies, obstacles and their shadows reach is drawn in every pass; the rest is smooth, and drawn once. */
#include "cli.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef VV_HAVE_EGL
#include "render/painter.h"

static const double halo_reach = 2.6; /* how far the ground feels the hidden sky, in radii of what hides it */

/* ---- one pass ---- */

static void draw_shadows(vv_painter *p, int pass, float rows[12 * VV_LIGHTS])
{
    glUseProgram(p->shadow);
    glBindFramebuffer(GL_FRAMEBUFFER, p->shadowTarget);
    glViewport(0, 0, VV_SHADOW_SIDE, VV_SHADOW_SIDE);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDrawBuffer(GL_NONE);
    for (int l = 0; l < VV_LIGHTS; l++) {
        float *r = rows + 12 * l, m[16];
        vv_light_rows(p->lights.direction[pass][l], &p->casters, r);
        for (int c = 0; c < 4; c++) {
            for (int k = 0; k < 3; k++)
                m[4 * c + k] = 2 * r[4 * k + c] - (c == 3 ? 1 : 0);
            m[4 * c + 3] = c == 3;
        }
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, p->shadowMaps, 0, l);
        glClear(GL_DEPTH_BUFFER_BIT);
        glUniformMatrix4fv(glGetUniformLocation(p->shadow, "light"), 1, GL_FALSE, m);
        vv_buffers_draw(&p->bodies);
        vv_buffers_draw(&p->obstacles);
    }
}

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

static GLint at(GLuint program, const char *name) { return glGetUniformLocation(program, name); }

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

/* What bodies and planes share. */
static void set_lit(const vv_painter *p, GLuint program, const vv_render_stage *stage, const vv_camera *camera)
{
    double eye[3];
    glUseProgram(program);
    for (int k = 0; k < 3; k++)
        eye[k] = camera->eye[k] - stage->origin[k];
    set_vector(program, "eye", eye);
    set_vector(program, "up", stage->up);
    glUniform1f(at(program, "texel"), (float)(2 * p->casters.radius / VV_SHADOW_SIDE));
    glUniform1f(at(program, "bias"), 0.75f / VV_SHADOW_SIDE);
    glUniform1i(at(program, "shadows"), 0);
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
    const vv_casters *c = &p->casters;
    double focus[3], under[3], away = 0, light[3] = { 0, 0, 0 };
    set_backdrop(p, program, stage, camera);
    set_lit(p, program, stage, camera);
    for (int k = 0; k < 3; k++) {
        focus[k] = camera->focus[k] - stage->origin[k];
        away += (c->centre[k] + stage->origin[k] - stage->ground.point[k]) * stage->ground.normal[k];
    }
    for (int k = 0; k < 3; k++)
        under[k] = c->centre[k] - away * stage->ground.normal[k];
    for (int i = 0; i < p->passes; i++)
        for (int l = 0; l < VV_LIGHTS; l++) {
            double facing = 0;
            for (int k = 0; k < 3; k++)
                facing += stage->ground.normal[k] * p->lights.direction[i][l][k];
            for (int k = 0; k < 3; k++)
                light[k] += fmax(facing, 0) * p->lights.strength[i][l][k] / p->passes;
        }
    set_vector(program, "focus", focus);
    set_vector(program, "openLight", light);
    set_vector(program, "haloCentre", under);
    glUniform2f(at(program, "fade"), (float)(0.9 * camera->size), (float)(4.5 * camera->size));
    glUniform2f(at(program, "halo"), (float)(0.5 * halo_reach * c->radius), (float)(halo_reach * c->radius));
    /* half the angle between neighbouring lights: of n points in the key's disc, of 3 n in the sky's half sphere */
    double key = 1.2 * p->lights.keyRadius / sqrt(p->passes), sky = sqrt(2.0 / (3 * p->passes));
    double far = 1.3 * c->height / (2 * c->radius);
    glUniform3f(at(program, "blur"), (float)key, (float)fmin(sky * far + 0.01, 0.25), 0.75f / VV_SHADOW_SIDE);
    glUniform1i(at(program, "depths"), 1);
}

static void set_camera(const vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, double x, double y)
{
    const GLuint programs[] = { p->body, p->plane, p->open };
    float m[16];
    camera_matrix(camera, stage->origin, x / p->width, y / p->height, m);
    for (int i = 0; i < 3; i++) {
        glUseProgram(programs[i]);
        glUniformMatrix4fv(at(programs[i], "camera"), 1, GL_FALSE, m);
    }
}

static void draw_screen(vv_painter *p, GLuint program, GLuint target, GLuint texture)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, p->width, p->height);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(program);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBindVertexArray(p->empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void add_pass(vv_painter *p, double weight)
{
    glUseProgram(p->add);
    glUniform1f(at(p->add, "weight"), (float)weight);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_screen(p, p->add, p->sumTarget, p->colour);
    glDisable(GL_BLEND);
}

static void begin_pass(vv_painter *p)
{
    glBindFramebuffer(GL_FRAMEBUFFER, p->target);
    glViewport(0, 0, p->width, p->height);
    glClear(GL_DEPTH_BUFFER_BIT);
    draw_screen(p, p->backdrop, p->target, 0);
    glEnable(GL_DEPTH_TEST);
}

static void draw_planes(const vv_painter *p, GLuint program)
{
    glUseProgram(program);
    glEnable(GL_CULL_FACE); /* planes hide nothing from behind */
    vv_buffers_draw(&p->planes);
    glDisable(GL_CULL_FACE);
}

/* The whole picture without bodies and shadows; then the region is emptied for the passes. */
static void draw_background(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera)
{
    static const float black[4] = { 0, 0, 0, 0 };
    set_camera(p, stage, camera, 0, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, p->sumTarget);
    glClearBufferfv(GL_COLOR, 0, black);
    begin_pass(p);
    draw_planes(p, p->open);
    add_pass(p, p->passes);
    glScissor(p->region[0], p->region[1], p->region[2], p->region[3]);
    glEnable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_FRAMEBUFFER, p->sumTarget);
    glClearBufferfv(GL_COLOR, 0, black);
    glDisable(GL_SCISSOR_TEST);
}

static void set_lights(const vv_painter *p, GLuint program, int pass, const float rows[12 * VV_LIGHTS])
{
    glUseProgram(program);
    glUniform3fv(at(program, "lightDirection"), VV_LIGHTS, p->lights.direction[pass][0]);
    glUniform3fv(at(program, "lightColour"), VV_LIGHTS, p->lights.strength[pass][0]);
    glUniform4fv(at(program, "lightRow"), 3 * VV_LIGHTS, rows);
    glUniform1f(at(program, "turn"), (float)fmod(pass * 0.6180339887498949, 1));
}

static void draw_pass(vv_painter *p, int pass, const vv_render_stage *stage, const vv_camera *camera, bool wire)
{
    /* a sub-pixel shift, spread like a tent: the sum of two even spreads */
    double s = (pass + 0.5) / p->passes, t = fmod(0.5 + pass * 0.6180339887498949, 1);
    double x = s < 0.5 ? sqrt(2 * s) - 1 : 1 - sqrt(2 - 2 * s), y = t < 0.5 ? sqrt(2 * t) - 1 : 1 - sqrt(2 - 2 * t);
    float rows[12 * VV_LIGHTS];
    draw_shadows(p, pass, rows);
    set_camera(p, stage, camera, 1.6 * x, 1.6 * y);
    set_lights(p, p->body, pass, rows);
    set_lights(p, p->plane, pass, rows);
    glEnable(GL_SCISSOR_TEST);
    begin_pass(p);
    for (GLuint unit = 0; unit < 2; unit++) { /* the same maps twice: compared, and as depths */
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D_ARRAY, p->shadowMaps);
    }
    glBindSampler(1, p->depthSampler);
    glUseProgram(p->body);
    glUniform1f(at(p->body, "wire"), 0);
    vv_buffers_draw(&p->obstacles);
    glUniform1f(at(p->body, "wire"), wire ? 0.55f : 0);
    vv_buffers_draw(&p->bodies);
    draw_planes(p, p->plane);
    add_pass(p, 1);
    glDisable(GL_SCISSOR_TEST);
}

static bool read_back(vv_painter *p, vv_image *image)
{
    glBindFramebuffer(GL_FRAMEBUFFER, p->outTarget);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, p->width, p->height, GL_RGB, GL_UNSIGNED_BYTE, image->rgb);
    size_t row = 3 * (size_t)p->width;
    unsigned char *spare = malloc(row);
    if (!spare || glGetError() != GL_NO_ERROR) {
        free(spare);
        vv_cli_wrong("drawing failed in the driver %s (no memory?)", vv_gl_renderer(p->gl));
        return false;
    }
    for (int y = 0; y < p->height / 2; y++) { /* OpenGL's rows start at the bottom */
        unsigned char *a = image->rgb + row * (size_t)y, *b = image->rgb + row * (size_t)(p->height - 1 - y);
        memcpy(spare, a, row);
        memcpy(a, b, row);
        memcpy(b, spare, row);
    }
    free(spare);
    return true;
}

bool vv_painter_paint(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire, vv_image *image)
{
    if (!vv_painter_fill(p, stage, camera, wire))
        return false;
    vv_lights_place(&p->lights, p->passes, stage->up, camera);
    vv_casters_measure(&p->casters, stage);
    vv_casters_region(&p->casters, &p->lights, stage, camera, halo_reach, p->width, p->height, p->region);
    set_backdrop(p, p->backdrop, stage, camera);
    set_body(p, stage, camera);
    set_plane(p, p->plane, stage, camera);
    set_plane(p, p->open, stage, camera);
    draw_background(p, stage, camera);
    for (int pass = 0; pass < p->passes; pass++)
        draw_pass(p, pass, stage, camera, wire);
    glUseProgram(p->tone);
    glUniform1f(at(p->tone, "scale"), 1.0f / (float)p->passes);
    draw_screen(p, p->tone, p->outTarget, p->sum);
    return read_back(p, image);
}

#endif
