/* visviva/draw.h: draws what the library sees, for a host's debug view: surfaces, obstacles, contacts, attachments,
 * joints, bounds.
 *
 * vvWorldDraw calls back with points, segments, triangles and texts, which the host draws by its own means. It reads
 * the world and changes nothing; with VV_DRAW_CONTACTS it bakes the world if necessary. */
#ifndef VISVIVA_DRAW_H
#define VISVIVA_DRAW_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn: bits of vvDraw.what. */
typedef enum vvDrawWhat {
    VV_DRAW_SURFACES = 1,     /* triangles of bodies: the surface that they carry, else their own; ropes and springs as
                                 segments; grains as points of their diameter */
    VV_DRAW_EDGES = 2,        /* the edges of those triangles, as segments */
    VV_DRAW_OBSTACLES = 4,    /* triangles of analytic obstacles, also of those that move */
    VV_DRAW_CONTACTS = 8,     /* a point where each contact is, and a segment along its normal */
    VV_DRAW_ATTACHMENTS = 16, /* a point at each node or point that is held; of springs a segment to where they pull */
    VV_DRAW_BOUNDS = 32,      /* the box around each body, as segments */
    VV_DRAW_NAMES = 64,       /* the name of each body at its centre, and of each obstacle that has one */
    VV_DRAW_JOINTS = 128, /* a point where a joint is on either body, and a segment between the two, such as a rope; of
                             hinges and sliders also the axis, as long as it is held. Not of broken ones */
    VV_DRAW_ALL = 255     /* all of these */
} vvDrawWhat;

typedef struct vvDraw {
    /* Each may be NULL, which leaves out what needs it. Positions in m, colours 0xRRGGBB, valid during the call only.
     * host.h says what the functions may call. */
    /* size: diameter in m; 0: a dot */
    void (*point)(void *user, const double at[3], double size, uint32_t colour);
    void (*segment)(void *user, const double from[3], const double to[3], uint32_t colour); /* NULL: none is drawn */
    void (*triangle)(void *user, const double corners[9], const double normal[3],
                     uint32_t colour); /* normal: length 1, outward; (0, 0,
                             0) of a triangle without area */
    void (*text)(void *user, const double at[3], const char *text, uint32_t colour); /* NULL: none is drawn */
    void *user;                                                                      /* given to all */
    unsigned what; /* vvDrawWhat bits; all but VV_DRAW_NAMES */
    /* draws the bodies and obstacles that this filter touches, and contacts with those; touches everything */
    vvFilter filter;
    const double *positions; /* [nodeCount x 3] node positions (m) to draw, as from vvWorldInterpolate; NULL: the
                                present ones. Contacts are always those of the present ones */
    double extent; /* m: how far an infinite plane is drawn around the world's contents; 0: twice their size. A moving
                      plane is drawn as large as when it was added */
    /* m per N: length of a contact's segment; 0: 20 times contact.distance, whatever the force */
    double forceScale;
    uint32_t internalValue; /* internal: vvDefaultDraw() sets it */
} vvDraw;

VV_API vvDraw vvDefaultDraw(void); /* set at least one function */
VV_API vvStatus vvWorldDraw(vvWorld *world, const vvDraw *draw, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
