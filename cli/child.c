/* Other programs as children, temporary folders, and delivering finished files. */
#include "child.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool vv_child_exists(const char *program)
{
    char full[4096];
    const char *path = getenv("PATH");
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        snprintf(full, sizeof full, "%.*s/%s", (int)n, n ? p : ".", program);
        if (access(full, X_OK) == 0)
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

static int spawn(vv_child *child, const char *const *argv, const int ends[2], bool own_group)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, own_group ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, child->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int code = posix_spawnp(&child->pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static bool start(vv_child *child, const char *const *argv, const char *package, const char *log, bool own_group)
{
    *child = (vv_child){ .pid = -1 };
    snprintf(child->name, sizeof child->name, "%s", argv[0]);
    snprintf(child->log, sizeof child->log, "%s", log);
    if (!vv_child_exists(argv[0])) {
        vv_cli_wrong("%s is not installed; it comes with the package %s (apt-get install %s)", argv[0], package,
                     package);
        return false;
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        vv_cli_wrong("cannot start %s: %s", argv[0], strerror(errno));
        return false;
    }
    int code = spawn(child, argv, ends, own_group);
    close(ends[0]);
    child->in = code == 0 ? fdopen(ends[1], "wb") : NULL;
    if (!child->in) {
        close(ends[1]);
        vv_cli_wrong("cannot start %s: %s", argv[0], strerror(code ? code : errno));
        return false;
    }
    /* A child that ends early must give us a write error, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    return true;
}

bool vv_child_start(vv_child *child, const char *const *argv, const char *package, const char *log)
{
    return start(child, argv, package, log, false);
}

bool vv_child_start_worker(vv_child *child, const char *const *argv, const char *package, const char *log)
{
    return start(child, argv, package, log, true);
}

void vv_child_said(const vv_child *child, char *out, size_t size)
{
    out[0] = 0;
    FILE *file = fopen(child->log, "rb");
    if (!file)
        return;
    if (fseek(file, -(long)(size - 1), SEEK_END) != 0)
        rewind(file);
    size_t n = fread(out, 1, size - 1, file);
    fclose(file);
    out[n] = 0;
    while (n && (out[n - 1] == '\n' || out[n - 1] == ' '))
        out[--n] = 0;
}

/* Ctrl-C reaches the child, too. It may finish what it has (ffmpeg: the film up to there), but its handler may also
 * leave it stuck. */
static pid_t wait_or_kill(pid_t child, int *status)
{
    const struct timespec nap = { 0, 2000000 };
    const double patience = 5; /* s */
    double interrupted = 0;
    pid_t got;
    while ((got = waitpid(child, status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (vv_cli_interrupted() && interrupted == 0)
            interrupted = vv_cli_seconds();
        if (interrupted > 0 && vv_cli_seconds() - interrupted > patience)
            kill(child, SIGKILL);
        nanosleep(&nap, NULL);
    }
    return got;
}

bool vv_child_finish(vv_child *child)
{
    bool wrote = child->in && !ferror(child->in);
    if (child->in && fclose(child->in) != 0)
        wrote = false;
    child->in = NULL;
    int status = 0;
    pid_t got = wait_or_kill(child->pid, &status);
    if (got == child->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && wrote)
        return true;
    if (vv_cli_interrupted()) /* Ctrl-C ends both; one of them says so */
        return false;
    char said[800];
    vv_child_said(child, said, sizeof said);
    vv_cli_wrong("%s failed%s%s", child->name, said[0] ? "; it said: " : "", said);
    return false;
}

vv_child_end vv_child_wait(vv_child *child, double limit)
{
    const struct timespec nap = { 0, 50000000 };
    double began = vv_cli_seconds();
    vv_child_end end = VV_CHILD_GOOD;
    int status = 0;
    pid_t got;
    fclose(child->in);
    child->in = NULL;
    while ((got = waitpid(child->pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        double spent = vv_cli_seconds() - began;
        if (end == VV_CHILD_GOOD && (vv_cli_interrupted() || spent > limit)) {
            end = vv_cli_interrupted() ? VV_CHILD_INTERRUPTED : VV_CHILD_LATE;
            kill(-child->pid, SIGKILL);
        }
        nanosleep(&nap, NULL);
    }
    kill(-child->pid, SIGKILL); /* what it may have left behind */
    if (end == VV_CHILD_GOOD && !(got == child->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0))
        end = VV_CHILD_FAILED;
    return end;
}

bool vv_child_ended(vv_child *child, bool *good)
{
    int status = 0;
    pid_t got = waitpid(child->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    *good = got == child->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (child->in)
        fclose(child->in);
    child->in = NULL;
    return true;
}

void vv_child_stop(vv_child *child)
{
    bool ignored;
    const struct timespec nap = { 0, 10000000 };
    kill(child->pid, SIGKILL);
    while (!vv_child_ended(child, &ignored))
        nanosleep(&nap, NULL);
}

bool vv_temporary_folder(char out[4096])
{
    vv_cli_catch_interrupt(); /* it is removed in any case */
    const char *base = getenv("TMPDIR");
    if (!base || !base[0] || strlen(base) > 3000)
        base = "/tmp";
    snprintf(out, 4096, "%s/visviva-XXXXXX", base);
    if (mkdtemp(out))
        return true;
    vv_cli_wrong("cannot make a temporary folder in %s: %s (the variable TMPDIR can name another place)", base,
                 strerror(errno));
    out[0] = 0;
    return false;
}

void vv_temporary_remove(const char *folder)
{
    DIR *dir = folder[0] ? opendir(folder) : NULL;
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[4096 + 300];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    closedir(dir);
    rmdir(folder);
}

static bool copy(FILE *in, FILE *out)
{
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        if (fwrite(block, 1, n, out) != n)
            return false;
    return !ferror(in);
}

bool vv_file_deliver(const char *from, const char *to)
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s.part", to) >= (int)sizeof part) {
        vv_cli_wrong("the path is too long: %.60s...", to);
        return false;
    }
    if (!vv_cli_make_folders(to))
        return false;
    remove(part); /* behind a link there nothing is to be overwritten */
    FILE *in = fopen(from, "rb");
    FILE *out = in ? fopen(part, "wb") : NULL;
    bool good = in && out && copy(in, out);
    int why = errno;
    if (out && fclose(out) != 0)
        good = false, why = errno;
    if (in)
        fclose(in);
    if (good && rename(part, to) == 0)
        return true;
    vv_cli_wrong("cannot write %s: %s", to, strerror(good ? errno : why));
    if (out)
        remove(part);
    return false;
}
