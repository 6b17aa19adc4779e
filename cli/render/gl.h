/* OpenGL without a window: the context (EGL on Mesa's surfaceless platform, a device, or a display) and shader
 * programs. */
#ifndef VV_CLI_RENDER_GL_H
#define VV_CLI_RENDER_GL_H

#include <stdbool.h>

typedef struct vv_gl vv_gl;
/* NULL, with a message that says what to install. */
vv_gl *vv_gl_start(void);
void vv_gl_stop(vv_gl *gl);
const char *vv_gl_renderer(const vv_gl *gl);
/* Compiles and links; 0, with a message, on failure. */
unsigned vv_gl_program(const char *vertex, const char *fragment, const char *what);

extern const char *const vv_shader_shadow_vertex, *const vv_shader_shadow_fragment;
extern const char *const vv_shader_screen_vertex, *const vv_shader_backdrop_fragment;
extern const char *const vv_shader_scene_vertex, *const vv_shader_geometry_fragment, *const vv_shader_light_fragment;
extern const char *const vv_shader_smooth_fragment, *const vv_shader_smooth_plane_fragment;
extern const char *const vv_shader_body_fragment, *const vv_shader_plane_fragment, *const vv_shader_open_fragment;
extern const char *const vv_shader_hidden_fragment, *const vv_shader_add_fragment, *const vv_shader_tone_fragment;
/* The same numbers stand in the light shader. */
enum { VV_MOST_KEYS = 32, VV_MOST_SKIES = 64 };

#endif
