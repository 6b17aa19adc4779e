/* The painter's insides: its OpenGL objects (objects.c) and what draws with them (draw.c). */
#ifndef VV_CLI_RENDER_PAINTER_H
#define VV_CLI_RENDER_PAINTER_H

#include "render/lights.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

enum { VV_KEY_SIDE = 1024, VV_SKY_SIDE = 512, VV_LAYERS = 4 };

/* the studio: backdrop at the horizon and above, ground, walls, light that grazes; sRGB */
enum { VV_SKY_LOW = 0xf8f4ee, VV_SKY_HIGH = 0xe0e5ea, VV_GROUND = 0xf1ece4, VV_WALL = 0xe7e2da, VV_RIM = 0xe9f1ff };

typedef struct vv_buffers {
    GLuint array, vertices, indices;
    int indexCount;
    vv_indices solid[2], thin[2]; /* as in vv_geometry */
    int rest;
} vv_buffers;

/* Shadow maps, a layer for each point of a light. */
typedef struct vv_maps {
    GLuint texture, target;
    int side, layers;
} vv_maps;

/* All that the picture of a stage without bodies depends on. Doubles only, so that it can be compared as bytes. */
typedef struct vv_blank_stage {
    vv_camera camera;
    double up[3], hasGround;
    vv_plane ground;
} vv_blank_stage;

struct vv_painter {
    vv_gl *gl;
    int width, height;
    int samples, passes, room; /* of shape: in a pass, passes, how many of these are kept before they are summed */
    int keys, skies;           /* points of the lights */
    int scale;                 /* pixels to a point of the grid of light, in each direction */
    GLuint shadow, backdrop, geometry, light, smooth, smoothPlane, body, plane, open, hidden, add, tone; /* programs */
    vv_maps keyMaps, skyMaps;
    int gridWidth, gridHeight;
    GLuint places, gridDepth, placesTarget; /* the grid's points */
    GLuint rawLight, rawLightTarget;        /* before it is smoothed */
    GLuint bodyLight, bodyLightTarget, planeLight, planeLightTarget;
    GLuint layers, layerDepth, layerTarget; /* passes */
    GLuint ground, depth, groundTarget;     /* all that stands behind the bodies */
    GLuint sum, sumTarget;
    GLuint out, outTarget;
    GLuint empty; /* vertex array for full-screen triangles */
    vv_buffers bodies, obstacles, planes;
    vv_vertex *corners; /* wire: three vertices a triangle */
    vv_lights lights;
    vv_casters casters;
    bool coarse, coarseShadows; /* bodies need not be rounded; not for the key light's shadows */
    vv_image blank;             /* the empty stage */
    vv_blank_stage blankStage;
    int region[4], lit[4]; /* x, y, width, height: of bodies; of all that they change */
};

/* Copies the stage's geometry, and the planes that the camera sees, to OpenGL's buffers. */
bool vv_painter_fill(vv_painter *p, const vv_render_stage *stage, const vv_camera *camera, bool wire);
/* Leaves out what faces away, except of what is thin. `coarse`: in the coarser form, where there is one. */
void vv_buffers_draw(const vv_buffers *b, bool coarse);

#endif
