/* Names of files to write: endings that are allowed, and what is never overwritten; runs to read. */
#include "cli.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char *vv_cli_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    bool letter = false;
    for (const char *p = dot ? dot : ""; *p; p++)
        letter = letter || isalpha((unsigned char)*p);
    return dot && dot > name && letter ? dot : ""; /* "run-0.5" has none */
}

int vv_cli_check_ending(const char *path, const char *what, const char *allowed)
{
    const char *ending = vv_cli_ending(path);
    size_t length = strlen(ending);
    if (!length)
        return VV_CLI_GO;
    for (const char *p = allowed; *p;) {
        size_t n = strcspn(p, " ");
        if (n == length && strncasecmp(p, ending, n) == 0)
            return VV_CLI_GO;
        p += n + (p[n] == ' ');
    }
    return vv_cli_wrong("-o %s: %s ends in %s, not in %s", path, what, allowed, ending);
}

/* Another kind of file is never overwritten: a typing error must not destroy a scene. */
int vv_cli_check_run_output(const char *path)
{
    if (access(path, F_OK) == 0 && !vv_cli_is_run_file(path))
        return vv_cli_wrong("%s exists and is not a run file; choose another name with -o", path);
    return vv_cli_check_ending(path, "a run", ".vtkhdf .hdf .hdf5 .h5");
}

int vv_cli_open_run(const char *path, vvRun **run)
{
    char usual[4200];
    vvError error;
    snprintf(usual, sizeof usual, "out/%.4000s.vtkhdf", path);
    if (access(path, F_OK) != 0 && access(usual, R_OK) == 0)
        return vv_cli_wrong("there is no file %s; did you mean %s?", path, usual);
    return vvRunOpen(path, run, &error) ? vv_cli_error(&error) : VV_CLI_GO;
}

int vv_cli_keep_run(const char *path, bool continued)
{
    vvRun *run = NULL;
    vvError error;
    char about[600] = "is damaged";
    if (access(path, F_OK) != 0)
        return VV_CLI_GO;
    if (vvRunOpen(path, &run, &error) == VV_OK) {
        int frames = vvRunFrameCount(run);
        snprintf(about, sizeof about, "run of \"%.200s\": %.200s, %d frame%s, to t = %.4g s", vvRunSceneName(run),
                 vvRunStatusText(run), frames, frames == 1 ? "" : "s",
                 frames > 0 ? vvRunFrameTime(run, frames - 1) : 0);
        vvRunFree(run);
    }
    if (continued)
        return vv_cli_wrong("%s already exists (%s). --force overwrites it, -o FILE writes another file", path, about);
    return vv_cli_wrong(
        "%s already exists (%s). --force overwrites it, -o FILE writes another file, --resume continues it", path,
        about);
}
