/* Mutated scene texts and overrides, from a fixed seed: every one is either a world or one clear error, and nothing
 * leaks, crashes or hangs. VV_FUZZ_ITERATIONS in the environment makes it longer, VV_FUZZ_SEED another one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_scene_world.h"

static const char *const seeds[] = {
    "{ \"visviva\": 1, \"name\": \"a\", \"time\": { \"step\": \"1/30\", \"end\": 10, \"record_every\": 1 }, "
    "\"gravity\": [0, -9.8, 0],"
    "\"integrator\": { \"scheme\": \"backward-euler\", \"policy\": \"search\", \"alpha\": [0, 1.1], \"decay_time\": "
    "[[0, null], [1, 2]],"
    "\"ground_energy\": \"auto\" }, \"solver\": { \"method\": \"newton\", \"tolerance\": 0.01, \"hessian\": "
    "\"projected\" },"
    "\"bodies\": [ { \"mesh\": { \"box\": { \"size\": [1, 1, 1], \"cells\": [1, 2, 3] } } } ] }",
    "{ \"visviva\": 1, \"materials\": { \"m\": { \"like\": \"n\", \"young\": 1e5, \"damping\": { \"drag\": 1 } }, "
    "\"n\": { \"mu\": 1, \"lambda\": 2 } },"
    "\"bodies\": [ { \"name\": \"b\", \"material\": \"m\", \"mesh\": { \"ball\": {} }, \"velocity\": { \"angular\": "
    "[0, 0, 1], \"about\": [0, 0, 0] },"
    "\"start\": [ { \"stretch\": { \"factor\": [1, 2, 3] } } ], \"attach\": [ { \"where\": { \"vertices\": [1, 2] }, "
    "\"kind\": \"spring\","
    "\"stiffness\": 5, \"motion\": { \"waypoints\": [ { \"time\": 0, \"offset\": [0, 1, 2] }, { \"time\": 1 } ] } } ] "
    "} ],"
    "\"obstacles\": [ { \"plane\": { \"point\": [0, 0, 0] }, \"friction\": 0.2 } ] }",
};
static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-1",
    "1e308",
    "1e999",
    "-0.0",
    "\"1/0\"",
    "\"1/3\"",
    "{}",
    "[]",
    "\"\"",
    "99999999999999999999",
    "\\u0000",
    "\\ud800",
    "\xff\xfe",
    "\xEF\xBB\xBF",
    "\n",
    "//",
    "\"bodies\":",
    "\"visviva\":1,",
    "\"like\":\"m\",",
    "\"extends\":\"/dev/null\",",
    "\"extends\":\".\",",
    "\"file\":\"/dev/zero\",",
    "[[[[[[[[[[[[[[",
    "%s%n%d",
};
static const char *const assignments[] = {
    "integrator.policy=search",
    "integrator.scope=world",
    "bodies[0].material.young=1e6",
    "bodies[1]={\"mesh\":{\"ball\":{}}}",
    "time.step=1/60",
    "obstacles[0].plane.normal=[0,1,0]",
    "bodies[0].attach[0].where.percent=[[0,0,0],[1,1,1]]",
};

/* xorshift64* */
static uint64_t random_state;
static unsigned pick(unsigned below)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (unsigned)((random_state * 0x2545F4914F6CDD1Dull) >> 33) % below;
}
#define PICK(array) (array)[pick(sizeof(array) / sizeof(array)[0])]

enum { ROOM = 8192 };

static void insert(char *text, size_t at, const char *piece)
{
    size_t n = strlen(text), m = strlen(piece);
    if (n + m + 1 >= ROOM || at > n)
        return;
    memmove(text + at + m, text + at, n - at + 1);
    memcpy(text + at, piece, m);
}

static void mutate(char *text)
{
    size_t n = strlen(text);
    unsigned at = pick((unsigned)n + 1), length = pick(12);
    switch (pick(6)) {
    case 0: /* a byte changes */
        if (at < n)
            text[at] = (char)(1 + pick(255));
        break;
    case 1: /* some bytes go */
        if (at + length <= n)
            memmove(text + at, text + at + length, n - at - length + 1);
        break;
    case 2: insert(text, at, PICK(pieces)); break;
    case 3: /* cut off */
        if (pick(4) == 0)
            text[at] = 0;
        break;
    case 4: { /* a stretch comes twice */
        char copy[64];
        length = pick(63);
        if (at + length <= n) {
            memcpy(copy, text + at, length);
            copy[length] = 0;
            insert(text, pick((unsigned)n + 1), copy);
        }
        break;
    }
    default: { /* a value is replaced: from a colon to the next comma or bracket */
        char *colon = strchr(text + at, ':');
        size_t run = colon ? strcspn(colon + 1, ",]}") : 0;
        if (colon && colon[1 + run]) {
            memmove(colon + 1, colon + 1 + run, strlen(colon + 1 + run) + 1);
            insert(text, (size_t)(colon + 1 - text), PICK(pieces));
        }
    }
    }
}

static void try_scene(const char *text, const char *override)
{
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    vvError error = { 0 };
    fake_log[0] = 0;
    vvStatus status = vvSceneParse(text, "fuzz", ".", &override, override ? 1 : 0, &scene, &error);
    if (status) {
        assert_null(scene);
        assert_true(error.message[0] != 0 && strlen(error.message) < sizeof error.message);
        return;
    }
    vvScene *again = NULL;
    if (vvSceneParse(vvSceneText(scene), "fuzz", ".", NULL, 0, &again, &error))
        fail_msg("the text of a good scene is refused: %s\n%s", error.message, vvSceneText(scene));
    assert_string_equal(vvSceneText(scene), vvSceneText(again));
    vvSceneDestroy(again);
    vvSceneTime time = vvSceneGetTime(scene);
    assert_true(time.step > 0 && time.end >= 0 && time.recordEvery > 0);
    status = vvSceneCreateWorld(scene, 1, &world, &error);
    assert_true(status == VV_OK);
    assert_null(strstr(fake_log, "nan"));
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    assert_int_equal(fake_worlds, 0);
}

static void test_mutations(void **state)
{
    (void)state;
    const char *wanted = getenv("VV_FUZZ_ITERATIONS"), *seed = getenv("VV_FUZZ_SEED");
    long iterations = wanted ? atol(wanted) : 20000;
    random_state = seed ? strtoull(seed, NULL, 0) | 1 : 20260101;
    char *text = malloc(ROOM), *override = malloc(ROOM);
    int worlds = 0;
    for (long i = 0; i < iterations; i++) {
        strcpy(text, PICK(seeds));
        strcpy(override, PICK(assignments));
        unsigned text_changes = pick(4), override_changes = pick(3);
        for (unsigned k = 0; k < text_changes; k++)
            mutate(text);
        for (unsigned k = 0; k < override_changes; k++)
            mutate(override);
        try_scene(text, pick(2) ? override : NULL);
        worlds += strstr(fake_log, "body ") != NULL;
    }
    free(text);
    free(override);
    print_message("%ld texts, %d worlds\n", iterations, worlds);
    assert_true(iterations < 1000 || worlds > iterations / 20); /* the fuzz reaches behind the parser */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_mutations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
