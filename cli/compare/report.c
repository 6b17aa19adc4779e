/* The comparison as a table, a column a setting, and as JSON. */
#include "compare/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- table ---- */

enum { LABEL = 28, NARROWEST = 12, WIDEST = 26 };

/* Characters, not bytes: "µ" and "±" are two bytes each. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void put_right(const char *text, int width)
{
    printf("%*s%s", width > width_of(text) ? width - width_of(text) : 0, "", text);
}

static const char *cell(const vv_compare_setting *s, const vv_study_row *row, char out[VV_TEXT * 2])
{
    return vv_study_cell(out, vv_study_number(s->figures, row->path, "mean"),
                         vv_study_number(s->figures, row->path, "sd"), row->unit);
}

/* A mark where the figures are of runs that did not reach the end. */
static void heading(const vv_compare_setting *s, char out[VV_TEXT * 2])
{
    snprintf(out, VV_TEXT * 2, "%.*s%s", WIDEST - 2, s->label, s->done > 0 ? "" : " *");
}

static void measure_columns(const vv_compare *c, const vv_study_row *rows, int rowCount, int widths[VV_COMPARE_MOST])
{
    char text[VV_TEXT * 2];
    for (int i = 0; i < c->count; i++) {
        heading(&c->settings[i], text);
        widths[i] = width_of(text) > NARROWEST ? width_of(text) : NARROWEST;
        for (int r = 0; r < rowCount; r++)
            if (rows[r].path[0] && width_of(cell(&c->settings[i], &rows[r], text)) > widths[i])
                widths[i] = width_of(text);
    }
}

static void print_rows(const vv_compare *c, const vv_study_row *rows, int rowCount)
{
    int widths[VV_COMPARE_MOST];
    char text[VV_TEXT * 2];
    measure_columns(c, rows, rowCount, widths);
    printf("%-*s", LABEL, "");
    for (int i = 0; i < c->count; i++) {
        heading(&c->settings[i], text);
        printf("  ");
        put_right(text, widths[i]);
    }
    putchar('\n');
    for (int r = 0; r < rowCount; r++) {
        if (!rows[r].path[0]) {
            printf("%s\n", rows[r].label);
            continue;
        }
        printf("  %-*s", LABEL - 2, rows[r].label);
        for (int i = 0; i < c->count; i++) {
            printf("  ");
            put_right(cell(&c->settings[i], &rows[r], text), widths[i]);
        }
        putchar('\n');
    }
}

static const char *status_of(const vv_study_job *job)
{
    return json_string_value(json_object_get(job->figures, "status"));
}

/* What ended early, and which setting is what. */
static void print_ends(const vv_compare *c)
{
    for (int i = 0; i < c->count; i++) {
        const vv_compare_setting *s = &c->settings[i];
        for (int k = 0; k < s->starts && s->done < s->starts; k++)
            if (strcmp(status_of(&s->jobs[k]), "done") != 0) {
                printf("  %s%s: %d of %d runs did not reach the end; start %d %s\n", s->done > 0 ? "" : "* ", s->label,
                       s->starts - s->done, s->starts, k, status_of(&s->jobs[k]));
                break;
            }
    }
}

void vv_compare_print(const vv_compare *c)
{
    vv_study_row rows[VV_STUDY_ROWS];
    json_t *trees[VV_COMPARE_MOST];
    int most = 1;
    for (int i = 0; i < c->count; i++) {
        trees[i] = c->settings[i].figures;
        most = c->settings[i].starts > most ? c->settings[i].starts : most;
    }
    const vv_study_plan *plan = &c->settings[0].plan;
    printf("%s, to t = %g s, sampled every %.6g s", plan->name, plan->end, vv_study_frame(plan));
    if (most > 1)
        printf("; mean ± standard deviation over up to %d starts", most);
    putchar('\n');
    print_rows(c, rows, vv_study_rows(trees, c->count, rows));
    print_ends(c);
}

/* ---- JSON ---- */

static json_t *path_json(const char *path) { return path[0] ? json_string(path) : json_null(); }

static json_t *setting_json(const vv_compare_setting *s)
{
    json_t *sets = json_array(), *each = json_array();
    for (int i = 0; i < s->sets.count; i++)
        json_array_append_new(sets, json_string(s->sets.values[i]));
    for (int i = 0; i < s->starts; i++)
        json_array_append(each, s->jobs[i].figures);
    return json_pack("{s:s, s:b, s:o, s:O, s:O, s:f, s:s, s:o, s:i, s:i, s:O, s:o}", "label", s->label, "truth",
                     s->truth, "set", sets, "scheme", json_object_get(s->figures, "scheme"), "policy",
                     json_object_get(s->figures, "policy"), "time_step", s->plan.step, "status", status_of(&s->jobs[0]),
                     "run", path_json(s->path), "runs", s->starts, "done", s->done, "figures", s->figures, "each",
                     each);
}

bool vv_compare_write_json(const vv_compare *c, const char *path)
{
    const vv_study_plan *plan = &c->settings[0].plan;
    json_t *settings = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(settings, setting_json(&c->settings[i]));
    json_t *all =
        json_pack("{s:s, s:f, s:f, s:f, s:o, s:{s:o, s:o, s:o}}", "scene", plan->name, "frame", vv_study_frame(plan),
                  "until", plan->end, "shift", c->shift, "settings", settings, "pictures", "plot", path_json(c->plot),
                  "sheet", path_json(c->sheet), "film", path_json(c->film));
    bool good = vv_cli_make_folders(path) && json_dump_file(all, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0;
    if (!good)
        vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    json_decref(all);
    return good;
}
