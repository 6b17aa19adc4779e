/* By what a run was made: /visviva/made_by, a line with the program's version and parts, the processor and the
 * number of threads, as the run was created or last resumed. What the same bits depend on. */
#include "record/writer.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/parallel.h"

const char vv_made_by_path[] = "/visviva/made_by";
enum { ROOM = 640 };

/* As Linux names it, or what kind of processor it is. */
static void name_processor(char *out, size_t size)
{
    char line[256];
    struct utsname system;
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "%s", uname(&system) == 0 ? system.machine : "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (file)
        fclose(file);
}

bool vv_writer_made_by(hid_t file, const vvWorld *world, bool fresh)
{
    char text[ROOM], processor[128];
    const vvWorldDef *def = vvWorldGetDef(world);
    const int threads = def->host.tasks.workers > 0 ? def->host.tasks.workers
                        : def->threads > 0          ? def->threads
                                                    : vv_core_count();
    name_processor(processor, sizeof processor);
    snprintf(text, sizeof text, "visviva %s (%s); %s, %d thread%s", vvVersion(), vvBuildDescription(), processor,
             threads, threads == 1 ? "" : "s");
    if (fresh)
        return vv_hdf_write_text(file, vv_made_by_path, text, ROOM);
    return !vv_hdf_exists(file, vv_made_by_path) || vv_hdf_rewrite_text(file, vv_made_by_path, text, ROOM);
}
