/* The program from outside: exit codes, messages, files; what is wrong is refused before anything is written. Needs
 * build/visviva; skipped with a word where it was not built. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[1 << 18];

/* Runs a shell command in the folder cli-test, where $V is the program and $S the repository; both streams go to
 * `output`. */
static int shell(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "cd cli-test && { %s ; } 2>&1", command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t got = fread(output, 1, sizeof output - 1, pipe);
    output[got] = 0;
    int status = pclose(pipe);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) > 130)
        fail_msg("%s was killed:\n%s", command, output);
    return WEXITSTATUS(status);
}

static void expect(const char *command, int code, const char *part)
{
    int got = shell(command);
    if (got != code)
        fail_msg("%s: exit code %d, not %d:\n%s", command, got, code, output);
    if (part && !strstr(output, part))
        fail_msg("%s: lacks \"%s\":\n%s", command, part, output);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *p = text; *p; p++)
        fputc(*p == '\'' ? '"' : *p, file);
    fclose(file);
}

static const char small[] =
    "{ 'visviva': 1, 'name': 'small', 'time': { 'step': '1/60', 'end': 0.25, 'record_every': 4 },"
    "'materials': { 'm': { 'model': 'neo-hookean', 'young': 1e5 } },"
    "'bodies': [ { 'name': 'b', 'material': 'm', 'mesh': { 'box': { 'size': [0.1, 0.1, 0.1], 'cells': [2, 2, 2] } },"
    "'place': { 'translate': [0, 0.07, 0] }, 'velocity': { 'linear': [0.1, 0, 0] } } ],"
    "'integrator': { 'policy': 'search' }, 'contact': { 'friction': 0.2 },"
    "'obstacles': [ { 'plane': { 'point': [0, 0, 0], 'normal': [0, 1, 0] } } ] }";

static int set_up(void **state)
{
    (void)state;
    if (access(VV_BUILD_DIR "/visviva", X_OK) != 0)
        return 0;
    setenv("V", VV_BUILD_DIR "/visviva", 1);
    setenv("S", VV_SOURCE_DIR, 1);
    setenv("OMP_WAIT_POLICY", "passive", 0); /* tests run beside one another */
    if (system("rm -rf cli-test && mkdir cli-test") != 0)
        return -1;
    write_file("cli-test/small.json", small);
    return 0;
}

#define NEEDS_PROGRAM()                                                         \
    do {                                                                        \
        (void)state;                                                            \
        if (!getenv("V")) {                                                     \
            print_message("skipped: " VV_BUILD_DIR "/visviva was not built\n"); \
            skip();                                                             \
        }                                                                       \
    } while (0)

static void test_help(void **state)
{
    NEEDS_PROGRAM();
    expect("$V", 0, "usage: visviva COMMAND");
    expect("$V --help", 0, "usage: visviva COMMAND");
    expect("$V --version", 0, "visviva ");
    expect("$V nonsense", 2, "\"nonsense\" is not a command");
    expect("for c in $($V | sed -n 's/^  \\([a-z]*\\)  .*/\\1/p'); do echo \"== $c\"; $V $c --help | grep -q 'visviva "
           "'\"$c\" ||"
           " { echo \"no example: $c\"; exit 1; }; done",
           0, "== run");
    expect("$V list schemes", 0, "backward-euler");
    expect("$V list joints", 0, "hinge                an axis of each body together");
    expect("$V list joints --json", 0, "\"slider\"");
    expect("$V list nonsense", 2, "there is no list \"nonsense\"");
    expect("$V list --markdown", 0, "| `backward-euler` |");
    expect("$V list policies", 0,
           "; default groups; groups, world\n        groups         energy returns only to the group of touching "
           "bodies that lost it");
    expect("$V list scene-keys", 0, "groups: energy returns only to the group of touching bodies that lost it");
    expect("$V list scene-keys --markdown", 0, "| `integrator.scope` | word |  | groups | ");
}

static void test_wrong_options(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run", 2, "an argument is missing");
    expect("$V run small.json other.json", 2, "one argument too many");
    expect("$V run small.json --nonsense", 2, "unknown option \"--nonsense\"");
    expect("$V run small.json --until", 2, "--until needs a value");
    expect("$V run small.json --until soon", 2, "needs a number");
    expect("$V run small.json --until nan", 2, "needs a number");
    expect("$V run small.json --until -1", 2, "out of range");
    expect("$V run small.json --threads 1.5", 2, "whole number");
    expect("$V run small.json --threads -2", 2, "out of range");
    expect("$V run small.json --quiet=yes", 2, "takes no value");
    expect("$V run small.json --from 3", 2, "--from needs --resume");
    expect("$V run small.json --set nonsense", 2, "write PATH=VALUE");
    expect("$V run small.json --set integrator.policy=serch", 2, "did you mean \"search\"?");
    expect("$V run small.json --set integrator.scope=worlds", 2,
           "integrator.scope: found the text \"worlds\"; allowed: groups, world; did you mean \"world\"?");
    expect("$V check small.json --set integrator.policy=filtered-search", 0, ", scope groups)");
    expect("$V check small.json --set integrator.policy=filtered-search --set integrator.scope=world", 0,
           ", scope world)");
    expect("$V run small.json --resume -o absent.vtkhdf", 2, "there is no run file absent.vtkhdf");
    expect("test ! -e out && test ! -e absent.vtkhdf && ls", 0, "small.json"); /* nothing was written */
}

static void test_wrong_scenes(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run absent.json", 2, "cannot open the scene file absent.json");
    expect("$V run .", 2, "not a regular file");
    expect("printf '{ \"visviva\": 1,\\n  \"name\": }' > bad.json; $V check bad.json", 2, "bad.json:2:");
    expect("printf '\\211HDF\\r\\n\\032\\nrubbish' > bad.vtkhdf; $V info bad.vtkhdf", 2, "bad.vtkhdf");
    expect("printf '$MeshFormat\\n9.9 0 8\\n' > bad.msh; $V info bad.msh", 2, "bad.msh");
    expect("$V check small.json --set bodies[0].mesh.file=bad.msh", 2, "bad.msh");
    expect("$V check small.json --set bodies[0].mesh.file=absent.msh", 2, "bodies[0].mesh.file: cannot read ");
    expect("$V check small.json --set bodies[0].place.translate=[0,0.01,0] -o deep.ply", 2, "small.json: body \"");
    expect("$V check small.json --set materials.m.poisson=0.5", 2, "materials.m.poisson");
    expect("$V run small.json --set bodies[0].attach[0].where.vertices=[99]", 2, "bodies[0].attach[0]");
    expect("$V run small.json -o small.json", 2, "not a run file"); /* the scene survives */
    expect("$V settle small.json -o small.json", 2, "not a run file");
    expect("$V run small.json -q -o kept.vtkhdf --summary small.json", 2, "would overwrite the scene");
    expect("$V check small.json", 0, "the start is free of penetration");
    expect("test ! -e out && ls", 0, "small.json");
}

static void test_run(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run small.json --summary out/small.json.summary", 0, "numerical error");
    expect("test -e out/small.vtkhdf && cat out/small.json.summary", 0, "\"status\": \"done\"");
    static const char *const keys[] = { "status",
                                        "scene",
                                        "steps",
                                        "time_end",
                                        "threads",
                                        "wall",
                                        "total",
                                        "phases",
                                        "newton_iterations",
                                        "linear_solves",
                                        "pcg_iterations",
                                        "failed_steps",
                                        "fallback_steps",
                                        "peak_memory_bytes",
                                        "energy",
                                        "start",
                                        "end",
                                        "kinetic",
                                        "elastic",
                                        "gravity",
                                        "contact",
                                        "target_end",
                                        "scale",
                                        "max_target_error",
                                        "mean_target_error",
                                        "numerical_error",
                                        "work",
                                        "friction",
                                        "damping",
                                        "decay",
                                        "springs",
                                        "momentum",
                                        "linear_start",
                                        "linear_end",
                                        "angular_start",
                                        "angular_end",
                                        "min_gap",
                                        "depth",
                                        "min_J",
                                        "intersections",
                                        "bounds_start",
                                        "bounds_end" };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[i]);
        if (!strstr(output, quoted))
            fail_msg("the summary lacks %s:\n%s", quoted, output);
    }
    assert_non_null(strstr(output, "\"steps\": 15,"));
    expect("$V info out/small.vtkhdf", 0, "run of \"small\": done");
    assert_non_null(strstr(output, "5 frames"));
    expect("$V info out/small.vtkhdf --scene > again.json && $V run again.json -q -o out/again.vtkhdf && echo fine", 0,
           "fine");
    expect("$V run out/small.vtkhdf", 2, "is a run file");
    expect("cp out/small.vtkhdf run.csv; $V export out/small.vtkhdf -f csv -o run.csv", 2,
           "is a run file; choose another name");
    expect("$V run small.json -q -o /proc/none/x.vtkhdf", 1, "cannot make the folder");
}

/* --substeps: as many frames, four times the rows; the same as by time.step; a resumed run goes on so. */
static void test_substeps(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run small.json -q -o once.vtkhdf && $V run small.json -q --substeps 4 -o four.vtkhdf && "
           "$V run small.json -q --set time.step=1/240 --set time.record_every=16 -o short.vtkhdf && for f in once "
           "four short; do "
           "$V info $f.vtkhdf --json > $f.info; $V export $f.vtkhdf -q --format csv -o $f.csv; done; cmp four.csv "
           "short.csv && echo same",
           0, "same");
    expect("python3 -c \"import json; a, b = (json.load(open(f + '.info')) for f in ('once', 'four')); "
           "print(a['frames'] == b['frames'] > 2, b['ledger_rows'] - 1 == 4 * (a['ledger_rows'] - 1))\"",
           0, "True True");
    expect("$V run small.json -q --substeps 4 --until 0.1 -o parts4.vtkhdf && $V run parts4.vtkhdf --resume -q --until "
           "0.25 && "
           "$V export parts4.vtkhdf -q --format csv -o parts4.csv && cmp four.csv parts4.csv && echo same",
           0, "same");
    expect("$V run small.json --substeps 0", 2, "out of range");
    expect("$V run small.json --substeps 1.5", 2, "whole number");
}

/* The program says in how many steps the fallback was asked. */
static void test_fallback(void **state)
{
    NEEDS_PROGRAM();
#define LBFGS "$V run small.json --set integrator.policy=none --set solver.method=lbfgs --set solver.budget=1 "
    expect(LBFGS "--set solver.fallback=newton -o fell.vtkhdf --summary fell.summary | tail -4", 0,
           "; fallback newton in 1");
    /* nothing else acts in the first three */
    expect("cat fell.summary", 0, "\"fallback_steps\": 1");
    expect(LBFGS "-o stays.vtkhdf --summary stays.summary | tail -4", 0, "iteration budget used up in 12");
    expect("cat stays.summary", 0, "\"fallback_steps\": 0");
}

/* A run in two parts has the ledger of a run in one, to the bit; a run from its own scene too. */
static void test_resume(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run small.json -q -o whole.vtkhdf && $V run small.json -q --until 0.1 -o parts.vtkhdf", 0, NULL);
    expect("$V run parts.vtkhdf --resume -q --until 0.25", 0, NULL);
    expect("for f in whole parts; do $V export $f.vtkhdf -q --format csv -o $f.csv; done; cmp whole.csv parts.csv && "
           "echo same",
           0, "same");
    expect(
        "$V run small.json -q --set integrator.policy=filtered-search --set integrator.scope=world -o named.vtkhdf && "
        "$V info named.vtkhdf --scene > named.json && grep scope named.json && $V run named.json -q -o "
        "named-again.vtkhdf && "
        "for f in named named-again; do $V export $f.vtkhdf -q --format csv -o $f.csv; done; cmp named.csv "
        "named-again.csv && echo same",
        0, "\"scope\": \"world\"");
    assert_non_null(strstr(output, "same"));
    expect("$V run named.vtkhdf --resume -q --from 2 --set integrator.scope=groups && $V info named.vtkhdf --scene", 0,
           "\"scope\": \"groups\"");
    expect("$V run whole.vtkhdf --resume -q --from 2 --until 0.3 --set integrator.policy=none && $V info "
           "whole.vtkhdf",
           0, "policy none");
    assert_non_null(strstr(output, "0.3 s"));
}

static void test_interrupt(void **state)
{
    NEEDS_PROGRAM();
    expect("$V run small.json -q --until 1e6 -o long.vtkhdf & pid=$!; i=0;"
           "while [ ! -e long.vtkhdf ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; sleep 0.5; kill -INT $pid; "
           "wait $pid",
           130, "to continue: visviva run long.vtkhdf --resume");
    expect("$V info long.vtkhdf", 0, "run of \"small\": interrupted");
}

/* A scripted motion that would crush the body: the step fails, what was computed stays, the reason is said. */
static void test_failure(void **state)
{
    NEEDS_PROGRAM();
    write_file(
        "cli-test/crush.json",
        "{ 'visviva': 1, 'time': { 'step': '1/30', 'end': 1 }, 'materials': { 'm': { 'model': 'neo-hookean' } },"
        "'bodies': [ { 'material': 'm', 'mesh': { 'box': { 'size': [1, 1, 1], 'cells': [2, 2, 2] } }, 'attach': ["
        "{ 'where': { 'percent': [[0, 0, 0], [1, 100, 100]] } }, { 'where': { 'percent': [[99, 0, 0], [100, 100, 100]] "
        "},"
        "'motion': { 'waypoints': [ { 'time': 0.2 }, { 'time': 0.21, 'offset': [-3, 0, 0] } ] } } ] } ] }");
    expect("$V run crush.json -q --summary crush.summary", 1, "failed at step 7");
    expect("cat crush.summary", 0, "\"failed_steps\": 1");
    expect("$V info out/crush.vtkhdf", 0, "7 frames");
}

/* Every scene that ships is valid. */
static void test_scenes(void **state)
{
    NEEDS_PROGRAM();
    expect("n=0; for s in $S/scenes/*.json; do $V info $s > /dev/null || exit 1; n=$((n+1)); done; echo $n scenes", 0,
           " scenes");
    assert_true(atoi(output) >= 8);
}

/* The tables of docs/scene-file.md are the program's own. */
static void test_page(void **state)
{
    NEEDS_PROGRAM();
    expect(
        "$V list scene-keys --markdown > keys.md && sed -n '/<!-- begin: visviva list/,/<!-- end/p' "
        "$S/docs/scene-file.md |"
        " sed '1d;$d' | cmp - keys.md || { echo 'docs/scene-file.md is old: run scripts/update-scene-page'; exit 1; }",
        0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),     cmocka_unit_test(test_wrong_options), cmocka_unit_test(test_wrong_scenes),
        cmocka_unit_test(test_run),      cmocka_unit_test(test_resume),        cmocka_unit_test(test_substeps),
        cmocka_unit_test(test_fallback), cmocka_unit_test(test_interrupt),     cmocka_unit_test(test_failure),
        cmocka_unit_test(test_scenes),   cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
