/* The bodies of the group "real-time", and how they are made. */
#ifndef VV_CLI_BENCH_REALTIME_H
#define VV_CLI_BENCH_REALTIME_H

#include "bench/bench.h"

/* A body of the ladder, held at both ends (cloth: at two corners), under gravity, with the numbers of the papers that
 * its row stands for: solids of 1000 m3 and 10 kg with mu 80 and lambda 20 Pa; cloth of 10 kg with springs of 80 N/m,
 * 20 N/m in bending. */
typedef struct vv_realtime_body {
    const char *name;
    const char *file;       /* of a real mesh; NULL: generated */
    double cells[3];        /* of a box, cut into 5 tets each; of a weave where the third is 0 */
    const char *stands_for; /* row of a paper's table; NULL: none */
    double paper_ms;        /* its milliseconds a step with local/global of 10 iterations; 0: none */
    bool quick;             /* also measured with --quick */
} vv_realtime_body;

typedef struct vv_realtime_choice {
    const char *solver, *acceleration, *model, *scheme, *policy;
    int budget, threads;
} vv_realtime_choice;

/* NULL past the end. */
const vv_realtime_body *vv_realtime_body_at(int index);
/* A baked world; path: of the real mesh, else NULL. */
vvStatus vv_realtime_world(const vv_realtime_body *body, const char *path, const vv_realtime_choice *choice,
                           vvWorld **world, vvError *error);
/* Whether the solver takes the model. */
bool vv_realtime_suits(const char *solver, const char *model);
/* cli/bench/convergence.c: error against time of every solver, on some of the bodies. Adds rows; draws
 * options->picture if that is not NULL. */
int vv_bench_convergence(const vv_bench_options *options, json_t *rows);
/* cli/bench/realtime_contact.c: steps with a hand, and with contact, at a budget. Adds rows. */
int vv_bench_realtime_contact(const vv_bench_options *options, json_t *rows);

#endif
