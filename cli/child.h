/* Other programs as children (gnuplot, ffmpeg): started without a shell, fed through a pipe, their complaints kept. */
#ifndef VV_CLI_CHILD_H
#define VV_CLI_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct vv_child {
    pid_t pid;
    FILE *in;           /* its standard input */
    char name[64];
    char log[4096];     /* file with what it said on stdout and stderr */
} vv_child;

/* argv[0] is looked up in PATH. `package`: the Debian package to name where it is missing. `log` is a file path for
 * what the program says. False, with a message. */
bool vv_child_start(vv_child *child, const char *const *argv, const char *package, const char *log);
/* Closes its input and waits. False, with a message that quotes the end of the log, when it did not end well. */
bool vv_child_finish(vv_child *child);
bool vv_child_exists(const char *program);

/* For a child that works by itself for long: started in a process group of its own, so that it can be ended together
 * with what it starts. */
bool vv_child_start_worker(vv_child *child, const char *const *argv, const char *package, const char *log);
typedef enum vv_child_end { VV_CHILD_GOOD, VV_CHILD_FAILED, VV_CHILD_LATE, VV_CHILD_INTERRUPTED } vv_child_end;
/* Closes its input and waits, `limit` seconds at most; ends the child then, or on Ctrl-C. `tick` (may be NULL) is called
 * some times a second. Says nothing. */
vv_child_end vv_child_wait(vv_child *child, double limit, void (*tick)(void *arg, double seconds), void *arg);
/* The end of what the child said, without blanks behind it. */
void vv_child_said(const vv_child *child, char *out, size_t size);

/* A new private folder below TMPDIR (or /tmp); false, with a message. */
bool vv_temporary_folder(char out[4096]);
/* Removes the files of the folder (no folders inside it), and the folder. */
void vv_temporary_remove(const char *folder);
/* Copies a file to where it shall be; it appears whole or not at all. */
bool vv_file_deliver(const char *from, const char *to);

#endif
