/* The policy `project` (theory §3.10), what its files share: the seven constraints of a group of bodies, energy H,
 * momentum P, angular momentum L, and one iteration towards them (Dinev et al. 2018, FEPR, Eq. 8, 13, 14).
 *
 * All sums are over free nodes. With the group's reference o (position) and u (velocity), r = q - o and w = v - u. L
 * is about the moving centre of mass, sum m rho x omega with rho = r - mean r, omega = w - mean w; or, for a group
 * that something holds, about the fixed point o: then u = 0, rho = r, omega = w.
 *
 *   projection.c   sums, constraints
 *   way.c   the Schur complement, the iteration's directions
 *   control.c   which step a group takes next
 *   move.c   where nodes go
 *   orbit.c   where a body that flies would be if it only turned
 *   symmetry.c     which momenta a group keeps, and at which values
 *   accounts.c   what bodies are owed
 *   policy.c   rounds, the rescue, the policy's row */
#ifndef VV_STEP_PROJECTION_PROJECTION_H
#define VV_STEP_PROJECTION_PROJECTION_H

#include "solve/solver.h"
#include "step/inside.h"

enum { VV_CONSTRAINTS = 7, VV_MOMENTA = 6 }; /* H; P and L */

/* Of a piece, or of a group. */
typedef struct vv_projection_sums {
    double square;            /* sum m |v|^2 of all nodes, prescribed ones too */
    double mass, vv;          /* sum m, sum m |v|^2 */
    double r[3], w[3], rw[3]; /* sum m r, m w, m r x w */
    double rr[6], ww[6];      /* sum m r r^T, m w w^T: xx xy xz yy yz zz */
    double gg, g[3], gw[3];   /* sum |g|^2 / m, g, g x w with g = grad E */
    double along;             /* sum g . dq + m v . dv: dH along the group's direction */
} vv_projection_sums;

typedef enum vv_projection_phase {
    VV_PROJECT_READY,   /* the next direction is to be found */
    VV_PROJECT_KICKED,  /* velocities alone have been given its momenta */
    VV_PROJECT_TRIED,   /* it stands at a part of its direction */
    VV_PROJECT_PLAIN,   /* it is back at the scheme's end, for the paper's own iteration */
    VV_PROJECT_TWISTED, /* it is the scheme's end, turned */
    VV_PROJECT_RETURNS, /* it is along the path from the scheme's end towards the step's start */
    VV_PROJECT_BACK,    /* no part of it did any good: it is back where the direction began */
    VV_PROJECT_SCALED,  /* velocities alone have been set, so that H = T */
    VV_PROJECT_LAST,    /* it has taken the step that momenta alone need */
    VV_PROJECT_DONE
} vv_projection_phase;

typedef struct vv_projection_group {
    /* what is wanted (symmetry.c) */
    bool used, held, acted;     /* it has free nodes; L is about a fixed point; something outside acts on it */
    bool alone;                 /* a body that touches nothing */
    double origin[3], drift[3]; /* o, u */
    double radius, scale;       /* m: of gyration; J: its energies are compared with it */
    double p[3], l[3];          /* P and L as they should be */
    int kept;                   /* so many combinations of (P, L / radius), */
    double basis[VV_MOMENTA][VV_MOMENTA]; /* orthonormal ones */
    double free_p[3], free_l[3], weight;  /* soft: (P_n - P*), (L_n - L*), epsilon; weight 0: not soft */
    bool placed;                          /* the centre of mass has its place, too: */
    double centre[3];
    double flown[3], gained[3];    /* its path and its change of velocity; 0 where it has no place */
    double before[3], speed[3];    /* the centre at q_n, and its velocity */
    double spin[3], turn[9];       /* L_n; the start's turn along its orbit: 1 for what is not one body that flies */
    double rate[3], rate_after[3]; /* rad/s: of the start, of the start so turned */
    double orbit;                  /* kg m^2: |q - q*|^2_M of that start; infinite where there is no turn */
    double potential, about[6];    /* at the scheme's end: E, J; sum m rho rho^T */
    double end[3], leaving[3];     /* there: the centre and its velocity */
    double twist[9];               /* a turn of the scheme's end */
    double way;                    /* kg^1/2 m: how far the step has gone, but for its flight, in the norm of M */
    double near;                   /* what counts as near, likewise */
    /* where it is */
    vv_projection_sums sums;
    double excess;                    /* H - T, J */
    double target, booked;            /* T; what the ledger will make of it where the group is, J */
    double reached_last, booked_last; /* in the last round: H, and the latter */
    double s, t;                      /* soft */
    double c[VV_CONSTRAINTS];         /* scaled: H, then the momenta that are kept */
    double off;                       /* sum of |c| */
    /* what it does */
    vv_projection_phase phase;
    bool energy, move; /* H counts; positions may move */
    bool blocked;      /* something was in their way */
    bool put_back;     /* so that they are where the scheme ended, and stay there */
    bool moves, anew;  /* it goes somewhere in this iteration; along a new direction */
    double lambda[VV_CONSTRAINTS], shift[3], ds, dt;
    double middle[3], flow[3]; /* what arms and velocities are counted from, for the direction */
    /* its direction, and where that began */
    double part; /* of it, where the group is */
    double off_from, excess_from;
    double s_from, t_from, ds_from, dt_from;
    /* |grad H|^2 along what the momenta leave, in D's norm, here and where the last direction began */
    double steep, steep_last;
    double slope, square; /* along the direction: dH / dx at its beginning, |direction|^2_D */
    double bend;          /* d2H / dx2 over `square` along the last one; 0: not known */
    double length;        /* of the multiple of the steepest descent in it */
    /* from one direction to the next */
    /* the next begins at this part of the last one, where no energy was evaluated; 0: where the group is */
    double between;
    double along_last;   /* the next goes on along the last one by this much: conjugate directions */
    double best;         /* least excess so far */
    int stale;           /* so many directions in turn have left nearly all of it */
    double excess_start; /* at the scheme's end */
    bool restart;        /* it goes back to there */
    int scaled;          /* so often velocities alone have been set */
    int halves;          /* so often it has been on a part of the path to the step's start, for more energy */
    bool rises;          /* it has been there at all */
    bool twisted;        /* it has been turned where it is */
    bool tried_plain;    /* the paper's iteration has been tried, */
    bool plain;          /* is under way, */
    int plain_limit;     /* for no more iterations than that, of all */
    bool carried;        /* it ends along the path towards its start, or there */
    bool returned;       /* it has been along the path to the step's start, */
    double low, high;    /* between these parts of it: above T, and below */
    int limit;           /* no more iterations than that, of all */
} vv_projection_group;

typedef struct vv_projection_piece {
    int body, begin, end; /* nodes */
} vv_projection_piece;

/* The policy's object: it solves nothing, but lives as long as the stepper. */
typedef struct vv_projection {
    vv_solver base;
    int pieces;
    vv_projection_piece *piece;
    vv_projection_sums *partial; /* of each piece */
    vv_projection_group *groups; /* by their lowest body */
    int *group_of;               /* per body; -1: no free nodes */
    unsigned char *outside;
    struct finding *found; /* symmetry.c's own, per body */
    double *by_body;       /* for accounts */
} vv_projection;

/* Where nodes are, and along what they came: node space. */
typedef struct vv_projection_state {
    const double *q, *v, *gradient, *dq, *dv; /* the last three may be NULL, their sums are 0 then */
} vv_projection_state;

/* projection.c */
/* Sums of all groups, about their references. */
void vv_projection_sum(const vv_stepper *s, vv_projection *p, const vv_projection_state *at);
/* P, L and the centre of mass from a group's sums. */
void vv_projection_momenta(const vv_projection_group *g, double momentum[3], double angular[3], double centre[3]);
/* mean r and mean w: what arms and velocities are counted from besides the reference. */
void vv_projection_means(const vv_projection_group *g, double r[3], double w[3]);
/* 1 / unit of a row: with energies of `scale`, momenta are sqrt(2 m scale), angular momenta that times the radius. */
void vv_projection_units(const vv_projection_group *g, double out[VV_CONSTRAINTS]);
/* The momenta that are kept, of all six; and back. */
void vv_projection_reduce(const vv_projection_group *g, const double six[VV_MOMENTA], double *out);
void vv_projection_expand(const vv_projection_group *g, const double *kept, double six[VV_MOMENTA]);
/* c and off; absolute: not scaled. Needs sums and excess. */
void vv_projection_constraints(vv_projection_group *g, bool absolute);

/* way.c */
typedef enum vv_projection_reach {
    VV_REACH_NONE, /* no direction would change anything */
    VV_REACH_FAR,  /* T is too far below H for any state that is near */
    VV_REACH_SOME
} vv_projection_reach;
/* The next direction. */
vv_projection_reach vv_projection_direct(vv_projection_group *g, double h);
/* The direction to the nearest velocities with H = T at the present positions, all momenta right. False: there are
 * none, only such as vibrate more than `fastest` times as fast, or those of the vibration change by more than the part
 * `most`. */
bool vv_projection_scale(vv_projection_group *g, double h, double most, double fastest);
/* The direction to velocities with the momenta that are wanted, whatever H becomes: the nearest ones, or those with the
 * least energy. */
void vv_projection_kick(vv_projection_group *g, double h, bool least);
/* The direction at a node of the group. */
void vv_projection_at(const vv_projection_group *g, double h, double mass, const double *q, const double *v,
                      const double *gradient, double dq[3], double dv[3]);

/* What all groups of a step share. */
typedef struct vv_projection_rules {
    double tolerance;
    bool absolute;
    int most; /* iterations */
    double h;
    bool later; /* not the step's first round: T has moved a little */
    bool last;  /* nothing else is left to be tried: velocities may become as fast as they have to */
    bool paper; /* the paper's iteration, and nothing else */
} vv_projection_rules;

/* control.c. What a group does next, from its constraints after so many iterations: its phase, whether and
 * along what it moves. Where it sets `between`, it has to be measured there, without an energy, and to go on with
 * vv_projection_go_on. */
void vv_projection_decide(const vv_projection_rules *r, int iterations, vv_projection_group *g);
void vv_projection_go_on(const vv_projection_rules *r, vv_projection_group *g);

/* move.c */
/* Nodes of a step (node space): where the scheme ended, where directions began, these, where nodes go. */
typedef struct vv_projection_nodes {
    double *start_q, *start_v, *from_q, *from_v, *from_g, *dq, *dv, *to_q, *to_v, *best_q, *best_v;
} vv_projection_nodes;
enum { VV_PROJECTION_VECTORS = sizeof(vv_projection_nodes) / sizeof(double *) };
/* Room from the arena. */
void vv_projection_nodes_take(vv_stepper *s, vv_projection_nodes *n);
/* Where directions begin that begin between the trial and where the last ones began. */
void vv_projection_between(const vv_stepper *s, const vv_projection *p, const vv_trial *t,
                           const vv_projection_nodes *n);
/* Takes all groups where they decided to go, or leaves them where they are if E is infinite there. False: only
 * velocities were to change. */
bool vv_projection_go(vv_stepper *s, vv_projection *p, vv_trial *t, const vv_projection_nodes *n);
/* Whether the straight path of all nodes from the scheme's end is free. Where not, all groups that touch anything are
 * back there, or all, and have velocities alone to go on with. */
bool vv_projection_confirm(vv_stepper *s, vv_projection *p, vv_trial *t, const vv_projection_nodes *n);

/* orbit.c */
/* The turns of bodies that fly and touch nothing (theory §3.10, "The orbit"), that bring q_n nearest to q. */
void vv_projection_find_orbits(const vv_stepper *s, vv_projection *p, const double *q);
/* Of the scheme's end, from sums and excess there. */
void vv_projection_note_end(vv_projection_group *g);
/* The turn of a body at the scheme's end after which its rigid motion has just the energy that T leaves for it. False:
 * there is none, or the orbit is nearer. */
bool vv_projection_find_twist(vv_projection_group *g);
/* A node of the scheme's end (q, v), so turned. */
void vv_projection_twist(const vv_projection_group *g, const double q[3], const double v[3], double to_q[3],
                         double to_v[3]);
/* A node of the start, carried along. */
void vv_projection_carry(const vv_stepper *s, const vv_projection_group *g, int node, double q[3], double v[3]);

/* Which momenta are kept. */
size_t vv_symmetry_bytes(void); /* of one of `found` */
enum { VV_MOMENTUM_AUTO, VV_MOMENTUM_SOFT, VV_MOMENTUM_HARD, VV_MOMENTUM_LEDGER };
/* Fills in what is wanted of all groups, of a step that the scheme ended at the trial; epsilon: c of the paper's c m
 * r^2. Pushes two vectors to the arena meanwhile, and overwrites what energies cache of a position. */
void vv_symmetry_find(vv_stepper *s, const vv_trial *t, vv_projection *p, int momentum, double epsilon);

#endif
