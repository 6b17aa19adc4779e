/* The parts of a world as it stores them: bodies, with the surfaces that they carry, attachments, pending initial
 * states, and coefficients of friction between bodies. */
#ifndef VV_WORLD_PARTS_H
#define VV_WORLD_PARTS_H

#include "contact/surfaces/mesh.h"
#include "energy/elements.h"
#include "energy/points/potential.h"
#include "visviva/world.h"

typedef struct vv_skin { /* a carried surface; see vvBodySurface */
    int vertex_count, triangle_count;
    int *triangles, *nodes;
    double *weights;
    double *uvs;    /* triangle_count x 6; NULL: none */
    double outside; /* m, in the mesh's coordinates: how far its vertices lie outside of the tets */
} vv_skin;

/* Of a body of tets: which of its materials each acts on. `of` NULL: there are none, all act on all. */
typedef struct vv_regions {
    int *of;            /* per element (of order 2 those of ten nodes): its material */
    int *start;         /* materials + 1: material m has element[start[m] .. start[m + 1]] */
    int *element;       /* the body's elements by material, in their own order within one */
    int *tets, *tets10; /* as the body's, in that order */
} vv_regions;

enum { VV_ON_SURFACE = 1, VV_ON_RIM = 2, VV_IN_MIDDLE = 4 };

typedef struct vv_body {
    char name[128];
    int first, count; /* nodes: one for each vertex of the mesh, and then its directors (world/bodies/directors.h) */
    int vertex_count;
    int tet_count, triangle_count, edge_count, point_count;
    int *tets, *triangles, *edges, *points; /* world node indices */
    int tet10_count;                        /* of order 2, and then the tets above are eight of each in turn */
    int *tets10;                            /* NULL: none */
    unsigned char *surface; /* per node: VV_ON_SURFACE: of the boundary surface (all vertices of a body without
                               triangles); VV_ON_RIM besides: on an edge of one triangle only, or at the end of a line;
                               VV_IN_MIDDLE: of order 2, in the middle of an edge, and on the surface */
    double *uvs;            /* triangle_count x 6, of a body without tets; NULL: none */
    int hinge_count;
    int *hinges;                                     /* 4 nodes each, see vv_element_part */
    double *triangle_thickness, *triangle_stiffness; /* one per triangle, or NULL, see vv_element_part */
    double *hinge_angles;                            /* rest angles given, per hinge, see vv_element_part; NULL: none */
    int bend_count;
    int *bends; /* 2 nodes each, see vv_element_part */
    int material_count;
    vv_material *materials; /* one energy each; the first also gives mass and damping. A kinematic body has none */
    vv_regions regions;     /* each of the materials on tets of its own, to which it gives their mass */
    double friction;
    vvFilter filter;
    vv_skin skin;
    double solid_volume;   /* m^3, of an affine body's solid (world/bodies/affine.h); 0: it is none */
    bool surface_collides; /* the skin collides, instead of the elements above */
    bool kinematic;        /* all nodes are in an attachment of its own */
    /* kinematic: its nodes carry the frame of an obstacle, its skin is drawn, and it collides with nothing */
    bool frame;
    bool left_out;    /* of what is baked: it sleeps (world/sleep/) */
    double thickness; /* m */
    bool self_contact;
    void *user;                 /* the host's */
    int joints_from, joints_to; /* its joints are among these of the world's, up to the one before the last; 0: none */
    /* state */
    unsigned char stage; /* vv_body_stage bits */
    vv_stay stay;        /* at its places, vvWorld.placed */
    /* of the world's contact.stiffness, where that is chosen: what it touches with (world/contact/stiffness.c); 0: all
     * of it */
    double stiffness_part;
    double gravity_start; /* J, when the ledger first counted it */
    /* per vertex that may collide (vv_body_label_count): the obstacles to which it has a spring
     * (contact/springs/repulsion.h) */
    uint64_t *held;
    double *stick; /* m, three for each: how far contacts there have yielded (contact/friction/stick.h) */
} vv_body;

/* How many vertices the body's own colliding surface numbers. */
static inline size_t vv_body_label_count(const vv_body *b)
{
    return (size_t)(b->surface_collides ? b->skin.vertex_count : b->vertex_count);
}

/* world/bodies/surface.c. Index of the edge (a, b), which the body has: its edges are in ascending order, the lower end
 * first. */
int vv_body_find_edge(const vv_body *body, int a, int b);
/* Makes `surface`; false: out of memory. Edges are there. */
bool vv_body_mark_surface(vv_body *body);

enum vv_body_stage {
    VV_BODY_STEPPED = 1, /* has taken a step: no more initial states */
    VV_BODY_PLACED = 2,  /* was moved by steps or the user since its definition */
    VV_BODY_MOVED = 4,   /* its previous positions are those before the last step, for interpolation */
    VV_BODY_RESTS = 8    /* began in a state set by a host, carried by contact that follows no gap (world/resting.c) */
};

/* Of pushes and loads (world/attachments/load.c). */
typedef struct vv_load {
    double vector[3], pressure; /* N or Pa; Pa */
    bool follows, smooth;
    int key_count, triangle_count;
    int face_count; /* of order 2: 4 triangles each, the first ones, as vv_face_within has them */
    vvKey *keys;
    int *corners;  /* 3 of each triangle: places in the attachment's nodes */
    double *force; /* 3 numbers a node: constant in the step, N */
    bool acts;     /* in the step */
    double before; /* its work before the step */
    double work;   /* state: J */
} vv_load;

typedef struct vv_attach {
    int body, count;
    int *nodes; /* ascending */
    /* of a drag that holds a point within an element: of its nodes; NULL: each node is held by itself */
    double *weights;
    vvAttachKind kind;
    double stiffness, acceleration[3];
    vv_potential potential; /* VV_ATTACH_POTENTIAL */
    vv_load load;
    int ways;           /* VV_ATTACH_ROLLER: along how many directions nodes are held, */
    double way[3][3];   /* unit vectors at right angles */
    double release;     /* s; infinity: never */
    vvMotionDef motion; /* owns its waypoints */
    vvWaypoint *waypoints;
    double *anchor; /* count x 3: the positions to which the motion is applied */
    /* of a kinematic body that follows shapes (world/bodies/follow.c): they are in place of the anchor. 0: none */
    int shape_count;
    double *shape_times, *shapes; /* shapes: shape_count x count x 3, as placed */
    bool whole;                   /* a kinematic body's: it is removed with the body */
    void *user;                   /* the host's */
    /* state */
    bool released;     /* its time has come: it stays in the list, and does nothing */
    bool dragged;      /* by the host: not counted for the ground level; its `anchor` holds the offsets
                          (world/attachments/drag.c) */
    bool driven;       /* by the host, no longer by the motion: */
    double *from, *to; /* count x 3 each: positions at the last step and at the next; of a point the first of them */
} vv_attach;

/* Whether it is of that kind, and acts. */
static inline bool vv_attach_is(const vv_attach *a, vvAttachKind kind) { return a->kind == kind && !a->released; }
/* Whether it is a push or a load, which holds nothing. */
static inline bool vv_attach_loads(const vv_attach *a)
{
    return a->kind == VV_ATTACH_PUSH || a->kind == VV_ATTACH_FORCE || a->kind == VV_ATTACH_TRACTION ||
           a->kind == VV_ATTACH_PRESSURE;
}
/* How many places it holds. */
static inline int vv_attach_places(const vv_attach *a) { return a->weights ? 1 : a->count; }

typedef struct vv_mode_request { /* initial state "mode": needs the matrix, so it is applied when baking */
    int body, number;
    double amplitude, speed;
} vv_mode_request;

typedef struct vv_body_friction { /* see vvWorldSetFriction */
    int a, b;                     /* bodies, a <= b */
    double mu;
} vv_body_friction;

#endif
