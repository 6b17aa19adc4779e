/* What other commands ask of `visviva report` (cli/report). */
#ifndef VV_CLI_WRITE_REPORT_H
#define VV_CLI_WRITE_REPORT_H

#include <stdbool.h>

typedef struct vv_report_def {
    const char *const *paths;
    const char *const *labels; /* labelCount of them; the rest are named by what tells runs apart */
    int count, labelCount;
    const char *output;
    const char *fields; /* names with commas between; NULL: speed and strain */
    double error;       /* of the box's diagonal; 0: 1e-4 */
    double size;        /* bytes; 0: as large as it gets */
    bool quiet;
} vv_report_def;
/* Writes the page. Returns an exit code, after a message. */
int vv_report_write(const vv_report_def *def);
/* A page may be written there: VV_CLI_GO, or 2 after a message. `option`: by which the path was given. */
int vv_report_check_output(const char *option, const char *path);

#endif
