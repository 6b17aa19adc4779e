/* The parts of a world for JavaScript. */
#ifndef VV_WEB_OWN_H
#define VV_WEB_OWN_H

#include <jansson.h>

#include "module.h"
#include "view/live_own.h" /* the hand */

/* What is drawn. */
typedef struct web_shape_data {
    int vertices, triangles, edges, corners;
    float *x;      /* [vertices x 3] */
    int *triangle; /* [triangles x 3] vertices */
    int *edge;     /* [edges x 2] */
    float *corner; /* [corners x 3] of the triangles of obstacles that stand still */
    int room;      /* of `corner` */
    double *from;  /* room for the positions of the largest carried surface */
} web_shape_data;

vvStatus web_shape_make(web_shape_data *shape, vvWorld *world, vvError *error);
void web_shape_free(web_shape_data *shape);
/* The vertices are where the world is now. */
void web_shape_move(web_shape_data *shape, const vvWorld *world);
/* Bodies, by ranges of vertices, triangles and edges; planes; which way is up. */
json_t *web_shape_parts(const vvScene *scene, vvWorld *world);

enum { WEB_COLUMNS = 64 }; /* of a row of the ledger, at most */

struct web_world {
    vvScene *scene;
    vvWorld *world;
    vvError error;
    vvStepReport report;
    vv_hand hand;
    web_shape_data shape;
    double row[WEB_COLUMNS], held[8];
    char *text;  /* the last that was given out */
    int threads; /* asked for; 0: one */
};

#endif
