/* The rows of a bench as Markdown: rows that follow each other and have the same keys make a table. */
#include "bench/bench.h"

#include <math.h>
#include <string.h>

static bool same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (!a || json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, key, value) if (!json_object_get(b, key)) return false;
    return true;
}

static void put_value(FILE *to, const json_t *value)
{
    if (json_is_string(value))
        fputs(json_string_value(value), to);
    else if (json_is_integer(value))
        fprintf(to, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(to, "%.3g", json_real_value(value));
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++) {
        fputs(i ? ", " : "", to);
        put_value(to, json_array_get(value, i));
    }
}

/* The first row's keys, in their order. */
static void put_row(FILE *to, const json_t *first, const json_t *row)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)first, key, value)
    {
        fputs("| ", to);
        if (row)
            put_value(to, json_object_get(row, key));
        else
            fputs(key, to);
        fputc(' ', to);
    }
    fputs("|\n", to);
}

int vv_bench_write_markdown(const char *path, const vv_bench_machine *machine, const json_t *rows)
{
    if (!vv_cli_make_folders(path))
        return VV_EXIT_FAILED;
    FILE *to = fopen(path, "w");
    if (!to)
        return vv_cli_wrong("cannot write %s", path);
    fprintf(to,
            "%s\n\n%d cores; copies at %.1f GB/s on one thread, %.1f on two; dgemm %.0f and %.0f GFLOP/s. Names ending "
            "in `ms` or beginning with it are "
            "milliseconds, `_1t` and `_2t` are on one thread and on two.\n",
            vvBuildDescription(), machine->cores, machine->copy_gbs[1], machine->copy_gbs[2], machine->dgemm_gflops[1],
            machine->dgemm_gflops[2]);
    const json_t *first = NULL;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!same_keys(first, row)) {
            first = row;
            fputc('\n', to);
            put_row(to, first, NULL);
            for (size_t k = 0; k < json_object_size(first); k++)
                fputs("| --- ", to);
            fputs("|\n", to);
        }
        put_row(to, first, row);
    }
    const bool failed = ferror(to) != 0;
    if (fclose(to) != 0 || failed)
        return vv_cli_wrong("cannot write %s", path);
    printf("written: %s\n", path);
    return VV_EXIT_OK;
}
