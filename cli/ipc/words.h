/* What the readers of words share. */
#ifndef VV_CLI_IPC_WORDS_H
#define VV_CLI_IPC_WORDS_H

#include "ipc/ipc.h"

enum { VV_IPC_MOST_NUMBERS = 8 };

typedef struct vv_ipc_values {
    const char *word;
    int line, numbers; /* how many numbers were given */
    double n[VV_IPC_MOST_NUMBERS];
    char text[VV_IPC_WORD]; /* the row's one text argument; "" */
} vv_ipc_values;

int vv_ipc_wrong_number(const vv_ipc *c, const vv_ipc_values *v, double found, const char *allowed);

/* ---- lists.c ---- */

int vv_ipc_set_tolerance(vv_ipc *c, const vv_ipc_values *v);
int vv_ipc_set_tuning(vv_ipc *c, const vv_ipc_values *v);
int vv_ipc_set_script(vv_ipc *c, const vv_ipc_values *v);
int vv_ipc_skip_section(vv_ipc *c, const vv_ipc_values *v);

#endif
