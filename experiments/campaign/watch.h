/* Whether a child process has hung: by processor time, so that one that waits for its turn on a busy machine has not.
 */
#ifndef CAMPAIGN_WATCH_H
#define CAMPAIGN_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct watch {
    pid_t child;
    double begun;       /* s of processor time, of all its threads, when it began its task */
    double seen, since; /* s of processor time when it was last seen to have run, and of the clock */
} watch;

/* It begins a task. clock: s, any that goes on. */
void watch_begin(watch *w, pid_t child, double clock);

/* It has used more than `most` s of processor time for its task; or none for `idle` s, as one does that waits for
 * itself. A child that has ended, or stopped being ours, has not hung. */
bool watch_hung(watch *w, double clock, double most, double idle);

#endif
