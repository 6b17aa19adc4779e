/* Other programs as children (gnuplot, ffmpeg): started without a shell, fed through a pipe, their error output
 * kept. */
#ifndef VV_CLI_CHILD_H
#define VV_CLI_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct vv_child {
    pid_t pid;
    FILE *in; /* its standard input */
    char name[64];
    char log[4096]; /* file with its stdout and stderr */
} vv_child;

/* Starts argv[0], which is looked up in PATH. `package`: the Debian package to name if it is missing. `log`: the path
 * of a file for the program's output. On failure false, with a message. */
bool vv_child_start(vv_child *child, const char *const *argv, const char *package, const char *log);
/* Closes its input and waits. If it failed: false, with a message that quotes the end of the log. */
bool vv_child_finish(vv_child *child);
bool vv_child_exists(const char *program);

/* For a child that works by itself for a long time, or that Ctrl-C must not end: started in a process group of its
 * own, so that it can be ended together with the processes that it starts. */
bool vv_child_start_worker(vv_child *child, const char *const *argv, const char *package, const char *log);
typedef enum vv_child_end { VV_CHILD_GOOD, VV_CHILD_FAILED, VV_CHILD_LATE, VV_CHILD_INTERRUPTED } vv_child_end;
/* Closes its input and waits for at most `limit` seconds; then, or on Ctrl-C, it ends the child. Prints nothing. */
vv_child_end vv_child_wait(vv_child *child, double limit);
/* For several children side by side: true once the child has ended; *good: with exit code 0. Does not wait, prints
 * nothing. */
bool vv_child_ended(vv_child *child, bool *good);
/* Ends the child and waits for that. */
void vv_child_stop(vv_child *child);
/* The end of the child's output, without trailing blanks. */
void vv_child_said(const vv_child *child, char *out, size_t size);

/* Makes a new private folder below TMPDIR (or /tmp). On failure false, with a message. */
bool vv_temporary_folder(char out[4096]);
/* Removes the files of the folder (no folders inside it), and the folder. */
void vv_temporary_remove(const char *folder);
/* Copies a file to its final place, where it appears complete or not at all. */
bool vv_file_deliver(const char *from, const char *to);

#endif
