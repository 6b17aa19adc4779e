/* The painter's insides: its OpenGL objects (objects.c) and what draws with them (draw.c). */
#ifndef VV_CLI_RENDER_PAINTER_H
#define VV_CLI_RENDER_PAINTER_H

#include "render/lights.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

enum { VV_SHADOW_SIDE = 1024 };

/* the studio: backdrop at the horizon and above, ground, walls, light that grazes; sRGB */
enum {
    VV_SKY_LOW = 0xf8f4ee,
    VV_SKY_HIGH = 0xe0e5ea,
    VV_GROUND = 0xf1ece4,
    VV_WALL = 0xe7e2da,
    VV_RIM = 0xe9f1ff
};

typedef struct vv_buffers { GLuint array, vertices, indices; int indexCount; } vv_buffers;

struct vv_painter {
    vv_gl *gl;
    int width, height, passes;
    GLuint shadow, backdrop, body, plane, open, add, tone; /* programs */
    GLuint shadowMaps, shadowTarget, depthSampler;
    GLuint colour, depth, target;                 /* one pass */
    GLuint sum, sumTarget;                        /* all passes */
    GLuint out, outTarget;
    GLuint empty;                                 /* vertex array for full-screen triangles */
    vv_buffers bodies, obstacles, planes;
    vv_vertex *corners;                           /* wire: three vertices a triangle */
    vv_lights lights;
    vv_casters casters;
    int region[4];                                /* x, y, width, height: what the passes draw */
};

/* Copies the stage's geometry, and the planes that the camera sees, to OpenGL's buffers. */
bool vv_painter_fill(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire);
void vv_buffers_draw(const vv_buffers *b);

#endif
