/* Forges run files, and reads them by the C API, for the script beside it.
 *
 *   forge list RUN                                           what can be forged, a line each: KIND, PATH, ATTRIBUTE (-:
 * none) forge make RUN COPY SECRET OTHER SEED KIND PATH ATTRIBUTE   exit code 3: the kind means nothing there forge
 * read RUN OUTPUT                                    reads and exports all there is; exit code 2: refused, with a
 * message */
#include <unistd.h>

#include "forging.h"
#include "read_all.h"

static int list(const char *run)
{
    list_parts(run);
    for (int i = 0; i < part_count; i++)
        for (int k = 0; k < KINDS; k++) {
            const bool attribute = parts[i].type == H5O_TYPE_UNKNOWN, group = parts[i].type == H5O_TYPE_GROUP;
            if ((kinds[k].flags & IF_NAMED) || (attribute && !(kinds[k].flags & OF_ATTRIBUTES)) ||
                (group && !(kinds[k].flags & OF_GROUPS)))
                continue;
            printf("%s\t%s\t%s\n", kinds[k].name, parts[i].path, attribute ? parts[i].name : "-");
        }
    return 0;
}

static int make(char **argv)
{
    const char *run = argv[2], *copy = argv[3], *named = argv[7], *path = argv[8], *attribute = argv[9];
    secret = argv[4], other = argv[5], forge_seed = strtoull(argv[6], NULL, 10);
    list_parts(run);
    for (int i = 0; i < part_count; i++)
        for (int k = 0; k < KINDS; k++)
            if (strcmp(parts[i].path, path) == 0 && strcmp(kinds[k].name, named) == 0 &&
                strcmp(parts[i].name, attribute[0] == '-' ? "" : attribute) == 0)
                return forge(run, copy, parts + i, (kind)k) ? 0 : 3;
    return 1;
}

static int read_run(const char *path, const char *output)
{
    vvError error = { 0 };
    vvRun *run;
    if (vvRunOpen(path, &run, &error) != VV_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    const bool ok = read_frames(run) && read_rows(run) && export_all(run, output);
    vvRunFree(run);
    if (!ok)
        fprintf(stderr, "a failure without a message, or with the secret in it\n");
    return ok ? 0 : 99;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "list") == 0)
        return list(argv[2]);
    if (argc == 10 && strcmp(argv[1], "make") == 0)
        return make(argv);
    if (argc == 4 && strcmp(argv[1], "read") == 0)
        return read_run(argv[2], argv[3]);
    fprintf(stderr, "forge: unknown arguments\n");
    return 1;
}
