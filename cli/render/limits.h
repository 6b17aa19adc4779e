/* Which bodies belong in a picture, and which are left out because the others could not be seen then. */
#ifndef VV_CLI_RENDER_LIMITS_H
#define VV_CLI_RENDER_LIMITS_H

#include "render/render.h"

/* Box of a body's finite vertices in a frame (empty: low > high), m. */
struct vv_body_box {
    double low[3], high[3];
    double edge; /* mean length of its edges, m; 0: it has none */
    bool broken; /* some vertices are not finite numbers */
};
/* boxes: one a body. `positions` are those of the stage's run, all vertices. */
void vv_bodies_measure(const vv_render_stage *stage, const double *positions, vv_body_box *boxes);
double vv_box_size(const vv_body_box *box); /* its diagonal */

struct vv_limits {
    int bodyCount;
    double *size, *edge;     /* a body: usual diagonal of its box, and mean length of its edges, m */
    double growth;           /* so many times that, and it has burst */
    double middle[3], reach; /* bodies whose middle is farther away than `reach` are left out */
    bool follow;             /* away from the middle of each frame's bodies; else from `middle` */
};
/* From the boxes of so many frames (frames x bodies). `alone`: there is no other run beside it. False without memory,
 * and without a message. */
bool vv_limits_find(vv_limits *limits, const vv_render_stage *stage, const vv_body_box *boxes, int frames, bool alone);
void vv_limits_free(vv_limits *limits);
/* The point that distances in this frame are measured from. */
void vv_limits_middle(const vv_limits *limits, const vv_render_stage *stage, const vv_body_box *boxes,
                      double middle[3]);
vv_absence vv_limits_judge(const vv_limits *limits, const vv_render_stage *stage, const vv_body_box *box, int body,
                           const double middle[3]);
/* Whether a point of a body of free points belongs in the picture. */
bool vv_limits_reach(const vv_limits *limits, const double point[3], const double middle[3]);

/* The height (degrees above the horizon) of a camera in the level direction `level`, about so far away, from which
 * most of the bodies are seen: `usual`, unless obstacles with a mesh hide them there (cover.c). Changes the stage's
 * positions. False, with a message. */
bool vv_choose_elevation(const vv_render_stage *stage, double usual, const double level[3], double distance,
                         double *elevation);

#endif
