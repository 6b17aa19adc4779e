/* visviva new --from-ipc: words of an input file of IPC that take more than their own line: lists, scripts,
 * sections. */
#include "ipc/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LIST = 1000 };

/* ---- lists that go on in the following lines ---- */

static int read_list(vv_ipc *c, const vv_ipc_values *v, double *list, int room, int *count)
{
    char word[VV_IPC_WORD];
    *count = (int)v->n[0];
    if (*count > MOST_LIST)
        return vv_ipc_wrong_number(c, v, v->n[0], "up to 1000 numbers");
    for (int i = 0; i < *count; i++) {
        double value;
        while (!vv_ipc_take(&c->text, word))
            if (!vv_ipc_next_line(&c->text))
                return vv_ipc_wrong(c, v->line, "%s: %d numbers are promised, and the file ends after %d", v->word,
                                    *count, i);
        if (!vv_ipc_is_number(word, &value))
            return vv_ipc_wrong(c, c->text.line, "found \"%s\", where %s needs number %d of %d", word, v->word, i + 1,
                                *count);
        if (i < room)
            list[i] = value;
    }
    return VV_CLI_GO;
}

int vv_ipc_set_tolerance(vv_ipc *c, const vv_ipc_values *v)
{
    double list[MOST_LIST];
    int count = 0, code = read_list(c, v, list, MOST_LIST, &count);
    if (code != VV_CLI_GO || count == 0)
        return code;
    bool differ = false;
    for (int i = 0; i < count; i++) {
        if (!(list[i] > 0))
            return vv_ipc_wrong_number(c, v, list[i], "numbers above 0");
        differ = differ || list[i] != list[count - 1];
    }
    c->tolerance = list[count - 1]; /* IPC keeps the last one for the rest of the run */
    if (differ)
        vv_ipc_note_line(c, VV_IPC_LOST, v->line,
                         "tol: a tolerance for each of the first %d steps; the scene has the last one, %.9g, for all",
                         count, c->tolerance);
    return VV_CLI_GO;
}

/* kappa, d-hat at first and in the end, the least distance, eps_v at first and in the end */
int vv_ipc_set_tuning(vv_ipc *c, const vv_ipc_values *v)
{
    double list[6] = { 0 };
    int count = 0, code = read_list(c, v, list, 6, &count);
    if (code != VV_CLI_GO)
        return code;
    for (int i = 1; i < count && i < 6; i++)
        if (!(list[i] > 0) && i != 3)
            return vv_ipc_wrong_number(c, v, list[i], "lengths above 0");
    /* a list that is too short leaves IPC's own defaults in place */
    c->distance = count > 2 ? list[2] : 1e-3;
    c->slow = count > 5 ? list[5] : 1e-3;
    if (count > 0 && list[0] > 0)
        vv_ipc_note_line(c, VV_IPC_NEEDLESS, v->line, "tuning: kappa %.9g, where IPC's search for its stiffness begins",
                         list[0]);
    return VV_CLI_GO;
}

/* ---- scripts and sections ---- */

int vv_ipc_set_script(vv_ipc *c, const vv_ipc_values *v)
{
    char word[VV_IPC_WORD], hint[VV_HINT];
    double count = 0;
    c->script = NULL;
    if (strcmp(v->text, "null") == 0)
        return VV_CLI_GO;
    c->script = vv_ipc_find_script(v->text);
    c->script_line = v->line;
    if (!c->script)
        return vv_ipc_wrong(c, v->line, "script %s: IPC has no script of that name%s", v->text,
                            vv_ipc_script_hint(hint, v->text));
    if (vv_ipc_script_wants_folder(c->script)) {
        if (!vv_ipc_take(&c->text, word))
            return vv_ipc_wrong(c, v->line, "script %s: a folder is needed", v->text);
        free(c->script_folder);
        if (!(c->script_folder = vv_ipc_copy(word)))
            return VV_EXIT_FAILED;
    }
    const char *next;
    size_t n = vv_ipc_peek(&c->text, &next);
    if (!n || *next == '#')
        return VV_CLI_GO;
    vv_ipc_take(&c->text, word);
    if (!vv_ipc_is_number(word, &count) || !(count >= 0 && count <= 16))
        return vv_ipc_wrong(c, v->line, "script %s: found \"%s\"; allowed: how many numbers follow, 0 to 16", v->text,
                            word);
    c->script_number_count = (int)count;
    return vv_ipc_numbers(c, "script", "its numbers", (int)count, c->script_numbers);
}

/* Words that hold for some solvers only: skipped unless ours, the barrier, is among them. */
int vv_ipc_skip_section(vv_ipc *c, const vv_ipc_values *v)
{
    char word[VV_IPC_WORD];
    bool ours = false;
    while (vv_ipc_take(&c->text, word)) {
        if (strcmp(word, "end") == 0 || strcmp(word, c->solver) == 0 ||
            (strcmp(word, "IP") == 0 && strcmp(c->solver, "interiorPoint") == 0))
            ours = true;
    }
    if (ours)
        return VV_CLI_GO;
    vv_ipc_note_line(c, VV_IPC_NEEDLESS, v->line, "section: for another solver; IPC skips it, too");
    while (vv_ipc_next_line(&c->text))
        if (vv_ipc_take(&c->text, word) && strcmp(word, "section") == 0 && vv_ipc_take(&c->text, word) &&
            strcmp(word, "end") == 0)
            break;
    return VV_CLI_GO;
}
