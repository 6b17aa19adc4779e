/* Running a scheme's stages: numbers and pointers from the table's row, one objective a stage. */
#ifndef VV_STEP_STAGES_H
#define VV_STEP_STAGES_H

#include "step/inside.h"

/* Impulses of dissipative forces in the step (node space, kg m/s, opposite in sign: +h b grad R). */
typedef struct vv_losses {
    double *friction_impulse, *damping_impulse;
    double *mutual_impulse; /* friction between nodes */
} vv_losses;

/* From the stepper's q, hvn, h2an, history: the new q and v (node space). */
vvStatus vv_run_stages(vv_stepper *s, const vv_scheme *row, double *q, double *v, vv_losses *losses,
                       vv_solve_stats *stats, vvError *error);

#endif
