/* Attachments of a world, drags among them: where they are, and how they come and go. */
#ifndef VV_WORLD_ATTACHMENTS_ATTACH_H
#define VV_WORLD_ATTACHMENTS_ATTACH_H

#include "world/parts.h"

/* world/attachments/place.c */
/* Position of node `i` of the attachment at `time`, within the next step or at its ends. */
void vv_attach_position(const vvWorld *world, const vv_attach *attach, int i, double time, double x[3]);
/* The same for all its nodes, written to `out` by node number or (`nodes` false) one after the other, of a drag that
 * holds a point that alone. */
void vv_attach_positions(const vvWorld *world, const vv_attach *attach, double time, bool nodes, double *out);
/* Spring attachments are loose, so that real-time solvers need no other factor where they come and go: drags, and
 * those of no more nodes than this. */
int vv_attach_most_loose(const vvWorld *world);
static inline bool vv_attach_is_loose(const vv_attach *attach, int most)
{
    return attach->dragged || attach->count <= most;
}
/* What is led there, with the nodes at q: a node, or the point that a drag holds. */
void vv_attach_point(const vv_attach *attach, int place, const double *q, double x[3]);
/* Driven attachments have reached their targets. */
void vv_attach_arrived(vvWorld *world);
/* Whether the four nodes of the body of an obstacle that moves may go there: as a rigid body. */
vvStatus vv_attach_check_rigid(const vvWorld *world, const vv_body *body, const double *to, vvError *error);

/* world/attachments/attach.c */
/* Index of an attachment that is no drag, or -1. */
int vv_attach_index(const vvWorld *world, vvAttachId id);
void vv_attach_free(vv_attach *attach);
bool vv_attach_copy(const vv_attach *from, vv_attach *to);
void vv_attach_remove(vvWorld *world, int index);
/* The attachment that moves a kinematic body whose `count` nodes will follow the world's present ones: made in
 * advance (only reserves memory), and added once the body is in the world. */
vvStatus vv_attach_whole(vvWorld *world, const vvMotionDef *motion, int count, vv_attach *made, vvError *error);
void vv_attach_take_in(vvWorld *world, vv_attach *attach);
/* Holds the nodes at their present positions; the motion continues from there. */
void vv_attach_here(const vvWorld *world, vv_attach *attach);
/* Removes it from the world's list; what depends on it is rebuilt. */
void vv_attach_end(vvWorld *world, int index);
/* As vvBodyAttach, or for a drag; with the world's allocator in use. */
vvStatus vv_world_attach(vvWorld *world, vvBodyId body, const vvAttachDef *def, bool dragged, vvAttachId *made,
                         vvError *error);
/* Lets go, or takes hold again, as the world's time says; whether any did: what is baked is then out of date. */
bool vv_attach_release_due(vvWorld *world);
/* Whether it would change something now. */
bool vv_attach_release_waits(const vvWorld *world);
/* The host has set where the driven attachment goes: the velocities of prescribed nodes at the start follow from it. */
void vv_attach_target_moved(vvWorld *world, const vv_attach *attach);

#endif
