/* visviva reproduce: the files of pages, one for each paper and an index, whatever is written in them. */
#include "reproduce/reproduce.h"

#include <errno.h>
#include <string.h>

static int finish(FILE *out, const char *path)
{
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    if (good)
        return VV_EXIT_OK;
    vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    return VV_EXIT_FAILED;
}

int vv_repro_write_pages(const vv_repro *r, const char *ending, vv_repro_put_paper *paper, vv_repro_put_index *index)
{
    char path[4300];
    int code = VV_EXIT_OK;
    for (int p = 0; p < r->paperCount && code == VV_EXIT_OK; p++) {
        snprintf(path, sizeof path, "%.4000s/%s.%s", r->folder, r->papers[p].name, ending);
        FILE *out = fopen(path, "w");
        if (out)
            paper(out, r, &r->papers[p]);
        code = finish(out, path);
    }
    if (code != VV_EXIT_OK)
        return code;
    snprintf(path, sizeof path, "%.4000s/index.%s", r->folder, ending);
    FILE *out = fopen(path, "w");
    if (out)
        index(out, r);
    return finish(out, path);
}
