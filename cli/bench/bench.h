/* What the groups of `visviva bench` share. */
#ifndef VV_CLI_BENCH_BENCH_H
#define VV_CLI_BENCH_BENCH_H

#include <jansson.h>

#include "cli.h"

typedef struct vv_bench_options {
    int repeats;        /* counted runs a case, after one warm-up */
    const char *meshes; /* folder of the named meshes; NULL: $VISVIVA_MESHES and meshes/ */
    bool quick;
    const char *picture; /* of the group real-time; NULL: none */
} vv_bench_options;

typedef struct vv_bench_machine {
    double copy_gbs[3];     /* by threads: [1], [2] */
    double dgemm_gflops[3]; /* 0 where no BLAS is linked */
    int cores;
} vv_bench_machine;
vv_bench_machine vv_bench_measure_machine(void);

/* A group adds its rows (objects) to the array and prints a line for each. Returns an exit code. */
typedef struct vv_bench_group {
    const char *name, *summary;
    int (*run)(const vv_bench_options *options, const vv_bench_machine *machine, json_t *rows);
} vv_bench_group;
extern const vv_bench_group vv_bench_elastic, vv_bench_contact, vv_bench_realtime, vv_bench_optimizer;

/* Calls this program with "bench" and `arguments` and reads `size` bytes of result; false where the process ended
 * early. */
bool vv_bench_run_child(const char *const *arguments, int count, void *result, size_t size);
/* The other side: writes the result to the file descriptor given as last argument. Returns an exit code. */
int vv_bench_answer(const char *fd, const void *result, size_t size);
double vv_bench_peak_bytes(void); /* of this process so far */
/* The program called by itself for one case; internal. */
int vv_bench_elastic_child(int argc, char **argv);
int vv_bench_contact_child(int argc, char **argv);
int vv_bench_cloud_child(int argc, char **argv);
/* the broad phase's part of the group "contact" */
int vv_bench_run_clouds(const vv_bench_options *options, json_t *rows);

double vv_bench_median(double *values, int count); /* sorts */
/* The rows as tables. An exit code. */
int vv_bench_write_markdown(const char *path, const vv_bench_machine *machine, const json_t *rows);
/* Full path of a mesh by name ("octopus_7k5.msh") into out; false where it is nowhere. */
bool vv_bench_find_mesh(const vv_bench_options *options, const char *name, char *out, size_t size)
    __attribute__((nonnull));

#endif
