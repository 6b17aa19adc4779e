/* Options of the subcommands, their --help, and small helpers for paths and numbers. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- reading options ---- */

static const vv_option *find(const vv_option *options, const char *word, size_t length)
{
    for (const vv_option *o = options; o && o->name; o++) {
        if (strlen(o->name) == length && strncmp(o->name, word, length) == 0)
            return o;
        if (o->letter && length == 2 && word[0] == '-' && word[1] == o->letter)
            return o;
    }
    return NULL;
}

enum { MOST_OPTIONS = 64 };

/* The option that was meant, or all that there are. */
static int unknown_option(const vv_command_line *line, const char *command, const char *word, size_t length)
{
    const char *names[MOST_OPTIONS];
    char hint[VV_HINT], wrong[64], all[900];
    int count = 0;
    size_t used = 0;
    for (const vv_option *o = line->options; o && o->name && count < MOST_OPTIONS - 1; o++)
        names[count++] = o->name;
    names[count++] = "--help";
    snprintf(wrong, sizeof wrong, "%.*s", (int)(length < 60 ? length : 60), word);
    for (int i = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", names[i]);
    return vv_cli_wrong("%s: unknown option \"%s\"%s (options are:%s)", command, wrong,
                        vv_cli_hint(hint, wrong, names, count), all);
}

bool vv_cli_read_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == '/') {
        const char *below = end + 1;
        double divisor = strtod(below, &end);
        if (end == below || divisor == 0)
            return false;
        *value /= divisor;
    }
    return *end == 0 && isfinite(*value);
}

static int store(const vv_option *option, const char *text)
{
    double number = 0;
    if (option->kind == VV_OPTION_NUMBER || option->kind == VV_OPTION_INTEGER) {
        bool bounded = option->min != 0 || option->max != 0;
        if (!vv_cli_read_number(text, &number))
            return vv_cli_wrong("%s needs a number, not \"%s\"", option->name, text);
        if (option->kind == VV_OPTION_INTEGER && (number != floor(number) || fabs(number) > 2147483647))
            return vv_cli_wrong("%s needs a whole number, not \"%s\"", option->name, text);
        if (bounded && !(number >= option->min && number <= option->max))
            return vv_cli_wrong("%s %s is out of range; allowed: %g to %g", option->name, text, option->min,
                                option->max);
    }
    if (option->kind == VV_OPTION_TEXT && (!text[0] || strncmp(text, "--", 2) == 0))
        return vv_cli_wrong("%s needs a value: %s %s%s%s", option->name, option->name, option->argument,
                            text[0] ? ", not " : "", text);
    switch (option->kind) {
    case VV_OPTION_FLAG: *(bool *)option->value = true; break;
    case VV_OPTION_TEXT: *(const char **)option->value = text; break;
    case VV_OPTION_NUMBER: *(double *)option->value = number; break;
    case VV_OPTION_INTEGER: *(int *)option->value = (int)number; break;
    case VV_OPTION_LIST: {
        vv_option_list *list = option->value;
        if (list->count == VV_OPTION_LIST_MAX)
            return vv_cli_wrong("%s may be given at most %d times", option->name, VV_OPTION_LIST_MAX);
        list->values[list->count++] = text;
        break;
    }
    }
    return VV_CLI_GO;
}

static void print_help(const vv_command_line *line, const char *name)
{
    vv_cli_heading("usage:");
    printf(" visviva %s %s\n\n%s\n", name, line->usage, line->summary);
    if (line->options && line->options->name) {
        putchar('\n');
        vv_cli_heading("options:");
        putchar('\n');
        for (const vv_option *o = line->options; o->name; o++) {
            char left[64], letter[8] = "";
            if (o->letter)
                snprintf(letter, sizeof letter, "-%c, ", o->letter);
            snprintf(left, sizeof left, "%s%s%s%s", letter, o->name, o->argument ? " " : "",
                     o->argument ? o->argument : "");
            printf("  %-24s %s\n", left, o->help);
        }
        printf("  %-24s %s\n", "--help", "this text");
    }
    if (line->examples) {
        putchar('\n');
        vv_cli_heading("examples:");
        printf("\n%s\n", line->examples);
    }
}

static int parse_option(const vv_command_line *line, int argc, char **argv, int *index)
{
    const char *word = argv[*index];
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    const vv_option *option = find(line->options, word, equals ? (size_t)(equals - word) : strlen(word));
    if (!option)
        return unknown_option(line, argv[0], word, equals ? (size_t)(equals - word) : strlen(word));
    if (option->kind == VV_OPTION_FLAG)
        return equals ? vv_cli_wrong("%s takes no value", option->name) : store(option, NULL);
    if (equals)
        return store(option, equals + 1);
    if (*index + 1 >= argc)
        return vv_cli_wrong("%s needs a value: %s %s", option->name, option->name, option->argument);
    return store(option, argv[++*index]);
}

int vv_cli_parse(const vv_command_line *line, int argc, char **argv, const char **positional, int *positionalCount)
{
    int count = 0;
    bool only_positional = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_positional && strcmp(word, "--") == 0) {
            only_positional = true;
        } else if (!only_positional && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(line, argv[0]);
            return VV_EXIT_OK;
        } else if (!only_positional && word[0] == '-' && word[1]) {
            int code = parse_option(line, argc, argv, &i);
            if (code != VV_CLI_GO)
                return code;
        } else if (count < line->most) {
            positional[count++] = word;
        } else {
            return vv_cli_wrong("%s: \"%s\" is one argument too many; usage: visviva %s %s", argv[0], word, argv[0],
                                line->usage);
        }
    }
    *positionalCount = count;
    if (count < line->least)
        return vv_cli_wrong("%s: an argument is missing; usage: visviva %s %s (visviva %s --help says more)", argv[0],
                            argv[0], line->usage, argv[0]);
    return VV_CLI_GO;
}

/* ---- numbers and paths ---- */

double vv_cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int vv_cli_cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t allowed; /* as the library counts them: a container or taskset may allow fewer than there are */
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

const char *vv_text_duration(char out[VV_TEXT], double seconds)
{
    if (!(seconds >= 0))
        snprintf(out, VV_TEXT, "?");
    else if (seconds < 0.1)
        snprintf(out, VV_TEXT, "%.0f ms", 1e3 * seconds);
    else if (seconds < 60)
        snprintf(out, VV_TEXT, "%.1f s", seconds);
    else if (seconds < 3600)
        snprintf(out, VV_TEXT, "%dm %02ds", (int)(seconds / 60), (int)seconds % 60);
    else
        snprintf(out, VV_TEXT, "%.0fh %02dm", fmin(floor(seconds / 3600), 1e6), (int)fmod(seconds / 60, 60));
    return out;
}

const char *vv_text_quantity(char out[VV_TEXT], double value, const char *unit)
{
    static const char *const prefixes[] = { "p", "n", "u", "m", "", "k", "M", "G", "T" };
    double size = fabs(value);
    if (!isfinite(value)) {
        snprintf(out, VV_TEXT, "-");
        return out;
    }
    int step = size > 0 ? (int)floor(log10(size) / 3 + 1e-12) : 0;
    if (size < 1e-12)
        step = 0, value = 0;
    if (step < -4)
        step = -4;
    if (step > 4)
        step = 4;
    snprintf(out, VV_TEXT, "%.4g %s%s", value / pow(1000, step), prefixes[step + 4], unit);
    return out;
}

const char *vv_text_bytes(char out[VV_TEXT], double bytes)
{
    const char *unit = "B";
    const char *const larger[] = { "kB", "MB", "GB", "TB" };
    for (int i = 0; i < 4 && bytes >= 1000; i++) {
        bytes /= 1000;
        unit = larger[i];
    }
    snprintf(out, VV_TEXT, bytes < 10 && unit[0] != 'B' ? "%.1f %s" : "%.0f %s", bytes, unit);
    return out;
}

void vv_cli_stem(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name), room = (int)size - 1;
    while (length > room && room > 0 && ((unsigned char)name[room] & 0xc0) == 0x80) /* whole characters of UTF-8 */
        room--;
    length = length > room ? room : length;
    snprintf(out, size, "%.*s", length, name);
}

bool vv_cli_make_folders(const char *path)
{
    char folder[4096];
    if (strlen(path) >= sizeof folder) {
        vv_cli_wrong("the path is too long: %.60s...", path);
        return false;
    }
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
            vv_cli_wrong("cannot make the folder %s: %s", folder, strerror(errno));
            return false;
        }
        *p = '/';
    }
    return true;
}

bool vv_cli_is_utf8(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int more = *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
        if (more < 0)
            return false;
        for (p++; more > 0; more--, p++)
            if ((*p & 0xc0) != 0x80)
                return false;
    }
    return true;
}

bool vv_cli_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

bool vv_cli_is_run_file(const char *path)
{
    static const unsigned char signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char head[8] = { 0 };
    struct stat about; /* a pipe would block, or lose what is looked at */
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return got == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

/* /proc/self/status first, as on Linux getrusage includes the peak of the process that started this one. */
long vv_cli_peak_memory(void)
{
    struct rusage usage;
    char line[160];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kilobytes == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld kB", &kilobytes) != 1)
            kilobytes = 0;
    if (file)
        fclose(file);
    if (kilobytes > 0)
        return kilobytes * 1024L;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss * 1024L : 0;
}
