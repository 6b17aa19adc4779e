/* One case of a benchmark in a process of its own: the program calls itself, so that peak memory and threads are the
 * case's own. The result comes back through a pipe. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 12 };

/* A fresh program image: the parent has used OpenMP, whose threads a fork does not bring along. */
static void become(const char *const *arguments, int count, int to)
{
    char self[4096], fd[16];
    const char *all[MOST_ARGUMENTS + 4] = { self, "bench" };
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || count > MOST_ARGUMENTS)
        return;
    self[length] = 0;
    snprintf(fd, sizeof fd, "%d", to);
    for (int i = 0; i < count; i++)
        all[2 + i] = arguments[i];
    all[2 + count] = fd;
    execv(self, (char *const *)(uintptr_t)all);
}

bool vv_bench_run_child(const char *const *arguments, int count, void *result, size_t size)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(arguments, count, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    size_t have = 0;
    ssize_t part;
    while (child > 0 && have < size && (part = read(ends[0], (char *)result + have, size - have)) > 0)
        have += (size_t)part;
    if (child > 0)
        waitpid(child, NULL, 0);
    close(ends[0]);
    return have == size;
}

int vv_bench_answer(const char *fd, const void *result, size_t size)
{
    return write(atoi(fd), result, size) == (ssize_t)size ? VV_EXIT_OK : VV_EXIT_FAILED;
}

double vv_bench_peak_bytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1024.0 * (double)used.ru_maxrss;
}
