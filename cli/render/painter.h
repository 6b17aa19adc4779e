/* The painter's insides: its OpenGL objects (objects.c) and what draws with them (draw.c). */
#ifndef VV_CLI_RENDER_PAINTER_H
#define VV_CLI_RENDER_PAINTER_H

#include "render/lights.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

/* layers: passes that are summed at a time */
enum { VV_KEY_SIDE = 1024, VV_SKY_SIDE = 512, VV_LAYERS = 8 };

/* the studio: backdrop at the horizon and above, ground, walls, light that grazes; sRGB */
enum {
    VV_SKY_LOW = 0xf8f4ee,
    VV_SKY_HIGH = 0xe0e5ea,
    VV_GROUND = 0xf1ece4,
    VV_WALL = 0xe7e2da,
    VV_RIM = 0xe9f1ff
};

typedef struct vv_buffers {
    GLuint array, vertices, indices;
    int indexCount;
    int coarse, fine; /* the first `coarse` indices are a coarser form of the `fine` that follow; both 0: there is none */
} vv_buffers;

/* Shadow maps, a layer for each point of a light. */
typedef struct vv_maps {
    GLuint texture, target;
    int side, layers;
} vv_maps;

struct vv_painter {
    vv_gl *gl;
    int width, height;
    int passes, keys, skies; /* of shape; points of the lights */
    int scale;               /* pixels to a point of the grid of light, each way */
    GLuint shadow, backdrop, geometry, light, smooth, body, plane, open, hidden, add, tone; /* programs */
    vv_maps keyMaps, skyMaps;
    int gridWidth, gridHeight;
    GLuint places, gridDepth, placesTarget;       /* the grid's points */
    GLuint rawLight, rawLightTarget;              /* before it is smoothed */
    GLuint bodyLight, bodyLightTarget, planeLight, planeLightTarget;
    GLuint layers, depth, layerTarget;            /* passes */
    GLuint ground, groundTarget;                  /* all that stands behind the bodies */
    GLuint sum, sumTarget;
    GLuint out, outTarget;
    GLuint empty;                                 /* vertex array for full-screen triangles */
    vv_buffers bodies, obstacles, planes;
    vv_vertex *corners;                           /* wire: three vertices a triangle */
    vv_lights lights;
    vv_casters casters;
    int region[4], lit[4];                        /* x, y, width, height: of bodies; of all that they change */
};

/* Copies the stage's geometry, and the planes that the camera sees, to OpenGL's buffers. */
bool vv_painter_fill(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire);
void vv_buffers_draw(const vv_buffers *b);
/* The coarser form. */
void vv_buffers_draw_coarse(const vv_buffers *b);

#endif
