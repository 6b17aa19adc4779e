/* The energy of all joints of a world: its links (energy/links/link.h), in one pass, in their order (theory §4.15). */
#ifndef VV_ENERGY_LINKS_LINKS_H
#define VV_ENERGY_LINKS_LINKS_H

#include "energy/energy.h"
#include "energy/links/link.h"

typedef struct vv_links {
    vv_energy base;
    int count;
    vv_link *link;
    int *start;      /* per joint, and one more: its links */
    int *blocks;     /* per link, and one more: blocks of matrices before its own, one for each pair of its nodes */
    const int *body; /* per node of the world; NULL: not asked for by body */
    int corners;     /* nodes of all links, one after the other: */
    int *corner, *corner_of; /* the node; VV_LINK_NODES x link + which of its nodes */
    int pins;                /* places to which links tie nodes: */
    int *pin, *pinned;       /* the link, a node of it */
    double *place;           /* pins x 3 */
} vv_links;

/* The links of a joint stand together, joints in ascending order; `joints` of them. body[node]: as in
 * energy/points/simple.h. x: where the constant models are taken (energy/quadratic.h). */
vvStatus vv_links_create(int count, const vv_link *links, int joints, const int *body, const double *x, vv_energy **out,
                         vvError *error);
/* The links, to change targets, speeds, forces and `off`; their count, and 0 of any other energy. */
vv_link *vv_links_of(vv_energy *e, int *count);
/* Those of one joint: from *begin to before *end. */
void vv_links_range(const vv_energy *e, int joint, int *begin, int *end);

/* Motors' targets go where a step of h leads them, from no farther off the joint than where its force reaches `most`:
 * a motor that is held does not wind up. One that turns comes nearer to the joint by a tenth in each step: it slips
 * by up to a tenth under load, and does not swing. place: where in the step forces are taken, in the mean, as a part
 * of it: the target is where the joint should be then. */
void vv_links_begin(vv_energy *e, const double *x, double h, double place);
/* Undoes that. */
void vv_links_back(vv_energy *e);
/* Whether a target goes anywhere in this step. */
bool vv_links_move(const vv_energy *e);
/* As vv_attachment_way_work, of motors. 0 for any other energy. */
double vv_links_way_work(const vv_energy *e, double part, const double *begin, const double *end, double *per_body);

/* What a joint does at x. */
typedef struct vv_link_load {
    double energy;              /* J */
    double force[3], torque[3]; /* on its second side, N; about `about`, N m */
    double drive;               /* of its motor: N, N m */
} vv_link_load;
void vv_links_load(const vv_energy *e, int joint, const double *x, const double about[3], vv_link_load *load);

/* Nodes that are tied to places in space: as vv_attachment_nodes and those after it. NULL, and 0 of them, for any
 * other energy. */
const int *vv_links_pinned(const vv_energy *e, int *count);
const double *vv_links_place(const vv_energy *e, int index);
bool vv_links_hold(const vv_energy *e, int index);

/* link_sweeps.c: for position-based solvers. */
vvStatus vv_links_constraints(const vv_energy *e, vv_constraints **out, vvError *error);
/* link_nodes.c: for block descent. */
extern const vv_node_ops vv_links_nodes;

#endif
