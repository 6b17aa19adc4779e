/* Spectra as CSV, one row a run, frame and mode, and as JSON. */
#include "spectrum/spectrum.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A text in quotes, as CSV has it. */
static void put_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void put_spectrum(FILE *file, const vv_spectrum *s)
{
    for (int f = 0; f < s->frames; f++)
        for (int k = 0; k <= s->modes; k++) {
            put_text(file, s->run->label);
            fprintf(file, ",%.9g,", s->times[f]);
            if (k < s->modes)
                fprintf(file, "%d,%.9g", k + 1, s->frequencies[k]);
            else
                fputs("beyond,", file);
            fprintf(file, ",%.9g\n", s->energies[(size_t)f * ((size_t)s->modes + 1) + (size_t)k]);
        }
}

static bool cannot(const char *path)
{
    vv_cli_wrong("cannot write %s: %s", path, strerror(errno));
    return false;
}

bool vv_spectrum_write_csv(const char *path, const vv_spectrum *spectra, int count)
{
    FILE *file = vv_cli_make_folders(path) ? fopen(path, "w") : NULL;
    if (!file)
        return cannot(path);
    fputs("run,time,mode,frequency,energy\n", file);
    for (int i = 0; i < count; i++)
        put_spectrum(file, &spectra[i]);
    bool good = !ferror(file);
    return (fclose(file) == 0 && good) || cannot(path);
}

static json_t *numbers(const double *values, size_t count, size_t step)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(values[i * step]));
    return list;
}

bool vv_spectrum_write_json(const char *path, const vv_spectrum *spectra, int count)
{
    json_t *runs = json_array();
    for (int i = 0; i < count; i++) {
        const vv_spectrum *s = &spectra[i];
        size_t columns = (size_t)s->modes + 1, frames = (size_t)s->frames;
        json_t *energies = json_array();
        for (size_t k = 0; k < (size_t)s->modes; k++)
            json_array_append_new(energies, numbers(s->energies + k, frames, columns));
        json_array_append_new(runs,
                              json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "label", s->run->label, "body", s->body,
                                        "rigid", s->rigid, "frequencies", numbers(s->frequencies, (size_t)s->modes, 1),
                                        "times", numbers(s->times, frames, 1), "energies", energies, "beyond",
                                        numbers(s->energies + s->modes, frames, columns)));
    }
    json_t *root = json_pack("{s:o}", "runs", runs);
    bool good = vv_cli_make_folders(path) && json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(root);
    return good || cannot(path);
}
