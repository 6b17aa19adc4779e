/* The same steps natively, for tests that compare: web_native SCENE.json STEPS [OVERRIDE...] prints a line of JSON a
 * step: the ledger's row and the nodes, to the last bit. */
#include "module.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
            text[0] = 0;
    }
    if (file)
        fclose(file);
    return text;
}

static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
    putchar('"');
}

static void put(const char *name, const double *values, int count)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf(isfinite(values[i]) ? "%s%.17g" : "%snull", i ? "," : "", isfinite(values[i]) ? values[i] : 0);
    printf("]");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show(web_world *w, int status, double wall)
{
    int columns = 0;
    while (vvLedgerColumnInfo(columns))
        columns++;
    printf("{\"status\": %d, \"ms\": %.4f, ", status, 1e3 * wall);
    put("row", web_row(w), columns);
    printf(", ");
    put("nodes", web_nodes(w), 3 * web_node_count(w));
    printf("}\n");
}

static void refuse(int status, const web_world *w)
{
    printf("{\"status\": %d, \"message\": ", status);
    put_text(w ? web_message(w) : "out of memory");
    printf("}\n");
}

int main(int argc, char **argv)
{
    char lines[4096] = "";
    if (argc < 3) {
        fprintf(stderr, "web_native SCENE.json STEPS [OVERRIDE...]\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", argv[i]);
    char *json = read_all(argv[1]);
    web_world *w = web_new();
    int status = json && w ? web_open(w, json, lines) : 1;
    if (status != 0)
        refuse(status, w);
    if (status == 0)
        show(w, 0, 0);
    for (int i = atoi(argv[2]); status == 0 && i > 0; i--) {
        const double begin = seconds();
        status = web_step(w);
        if (status == 0)
            show(w, status, seconds() - begin);
        else
            refuse(status, w);
    }
    web_delete(w);
    free(json);
    return 0;
}
