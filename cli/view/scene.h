/* What there is to draw of a world that runs: the stage of visviva render, with the positions of now. */
#ifndef VV_CLI_VIEW_SCENE_H
#define VV_CLI_VIEW_SCENE_H

#include "render/render.h"
#include "view/orbit.h"

typedef struct vv_live_scene {
    vvRun *run; /* of one frame */
    vv_render_stage stage;
    double *positions; /* of all vertices; the world's nodes come first */
    double *field;     /* of all vertices; NULL: bodies have their own colours */
    bool measured;     /* the scale's end grows with what is shown: */
    double most;
} vv_live_scene;

/* VV_CLI_GO, or an exit code after a message. To be closed in any case. */
int vv_live_scene_open(vv_live_scene *s, vvWorld *world, const vvScene *scene);
/* The same for a run that is there, which goes with it: at its first frame. */
int vv_live_scene_open_run(vv_live_scene *s, vvRun *run);
void vv_live_scene_close(vv_live_scene *s);
/* As the world's nodes stand in `positions` now. `coarse`: the surface as it was simulated, in half the time. */
bool vv_live_scene_show(vv_live_scene *s, double time, bool coarse);
/* From now on bodies are coloured by that field (NULL: as they are): its values, of all vertices, are to be in
 * `field`. most: value of the darkest colour, 0: the largest that was shown. False, with a message. */
bool vv_live_scene_colour(vv_live_scene *s, const vvField *field, double most);
/* The same of a run, whose frames give the values; most 0: the largest of the run. */
bool vv_live_scene_colour_run(vv_live_scene *s, const vvField *field, double most);
/* Of a run: whether the values in `field` are a live world's from now on, or the frames' own. */
void vv_live_scene_take_live(vv_live_scene *s, bool live);
/* The frame of the run. */
bool vv_live_scene_show_frame(vv_live_scene *s, int frame, bool coarse);
/* From where the bodies are seen, and what they stand on or fall onto. */
void vv_live_scene_home(const vv_live_scene *s, vv_orbit *orbit);

#endif
