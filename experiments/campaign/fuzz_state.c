/* Saved states: the first byte says of which world (a row of `scenes`), the rest is what vvWorldLoadState is given,
 * with its checksum made right, as whoever forges a state would do. The world takes it or is as it was; in either case
 * it steps or says why not, and takes a good state again.
 *
 * $VV_FUZZ_SEEDS names a folder for real states to begin with: they change with the form of states, so none are kept.
 */
#include "fuzz.h"

#include "world/saved/saved.h"

#define BOX "\"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1] } }"
#define HEAD "{ \"visviva\": 1, \"time\": { \"step\": \"1/60\" }, "
#define QUICK "\"solver\": { \"max_iterations\": 4 }, "
static const char *const scenes[] = {
    /* contact with friction, two bodies, an attachment */
    HEAD QUICK "\"integrator\": { \"policy\": \"filtered-search\", \"ground_energy\": \"none\" }, "
               "\"contact\": { \"friction\": 0.3 }, \"obstacles\": [ { \"plane\": {} } ], \"bodies\": [ { " BOX ", "
               "\"place\": { \"translate\": [0, 0.0505, 0] } }, { " BOX
               ", \"place\": { \"translate\": [0, 0.153, 0] }, "
               "\"attach\": [ { \"where\": { \"vertices\": [0] }, \"kind\": \"spring\", \"stiffness\": 10 } ] } ] }",
    /* joints, one with a motor */
    HEAD QUICK
    "\"integrator\": { \"policy\": \"project\", \"ground_energy\": \"none\" }, \"obstacles\": [ { \"plane\": "
    "{} } ], \"materials\": { \"stone\": { \"model\": \"affine\" } }, \"bodies\": [ { \"name\": \"a\", "
    "\"material\": \"stone\", " BOX ", \"place\": { \"translate\": [0, 0.3, 0] } }, { \"name\": \"b\", "
    "\"material\": \"stone\", " BOX ", \"place\": { \"translate\": [0, 0.18, 0] } } ], \"joints\": [ { "
    "\"kind\": \"hinge\", \"between\": [\"a\", \"b\"], \"at\": [0, 0.24, 0], \"axis\": [1, 0, 0], "
    "\"motor\": { \"speed\": 90, \"force\": 5 }, \"break_force\": 1e4 } ] }",
    /* a policy with a memory */
    HEAD QUICK "\"integrator\": { \"policy\": \"search\", \"sparse\": true, \"ground_energy\": \"none\" }, "
               "\"obstacles\": [ { \"sphere\": { \"center\": [0, -0.5, 0], \"radius\": 0.5 } } ], \"bodies\": [ { " BOX
               ", \"place\": { \"translate\": [0, 0.06, 0] } } ] }",
    /* a scheme with one, without bodies that touch */
    HEAD QUICK "\"integrator\": { \"scheme\": \"bdf2\", \"ground_energy\": \"none\" }, \"contact\": { \"model\": "
               "\"none\" }, \"bodies\": [ { " BOX " } ] }",
    /* thin bodies */
    HEAD QUICK
    "\"integrator\": { \"scheme\": \"implicit-midpoint\", \"policy\": \"blend\", \"ground_energy\": \"none\" }, "
    "\"materials\": { \"card\": { "
    "\"model\": \"stvk-membrane\", \"young\": 1e6, \"thickness\": 1e-3 }, \"bending\": { \"like\": \"card\", "
    "\"model\": \"midedge\" } }, \"obstacles\": [ { \"plane\": {} } ], \"bodies\": [ { \"material\": "
    "[\"card\", \"bending\"], \"mesh\": { \"sheet\": { \"size\": [0.1, 0.1], \"edge\": 0.05 } }, \"place\": { "
    "\"translate\": [0, 0.003, 0] } } ] }",
    /* contact by springs and a solver that learns */
    HEAD
    "\"integrator\": { \"ground_energy\": \"none\" }, \"solver\": { \"method\": \"local-global\", \"budget\": 5 }, "
    "\"contact\": { \"model\": \"springs\", \"self\": false }, \"materials\": { \"jelly\": { \"model\": \"arap\" } }, "
    "\"obstacles\": [ { \"plane\": {} } ], \"bodies\": [ { \"material\": \"jelly\", " BOX
    ", \"place\": { \"translate\": [0, 0.055, 0] } } ] }",
};
enum { WORLDS = sizeof scenes / sizeof *scenes };

static struct {
    vvWorld *world;
    char *good;
    size_t size;
} worlds[WORLDS];

static void step(vvWorld *world, int count)
{
    vvError error = { 0 };
    vvStepReport report;
    for (int i = 0; i < count; i++)
        if (vvWorldStep(world, &report, &error) != VV_OK)
            holds_message(&error);
}

static void make(int i)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    holds(vvSceneParse(scenes[i], "fuzz", empty_folder(), NULL, 0, &scene, &error) == VV_OK, "scene", error.message);
    holds(vvSceneCreateWorld(scene, 1, &worlds[i].world, &error) == VV_OK, "world", error.message);
    vvSceneDestroy(scene);
    step(worlds[i].world, 4);
    /* settings that have changed are part of the state */
    holds(i > 0 || vvWorldSetGravity(worlds[i].world, (double[3]){ 0, -5, 0 }, &error) == VV_OK, "gravity",
          error.message);
    step(worlds[i].world, 1);
    worlds[i].size = vvWorldStateSize(worlds[i].world);
    worlds[i].good = malloc(worlds[i].size);
    holds(vvWorldSaveState(worlds[i].world, worlds[i].good, worlds[i].size, &error) == VV_OK, "save", error.message);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *folder = getenv("VV_FUZZ_SEEDS");
    for (int i = 0; i < WORLDS; i++) {
        char path[500];
        make(i);
        snprintf(path, sizeof path, "%s/state-%d", folder ? folder : "", i);
        FILE *file = folder ? fopen(path, "wb") : NULL;
        holds(!folder || (file && fputc(i, file) == i && fwrite(worlds[i].good, worlds[i].size, 1, file) == 1),
              "cannot write", path);
        if (file)
            fclose(file);
    }
    return 0;
}

static void make_checksum(char *state, size_t size)
{
    vv_saved head;
    if (size < sizeof head)
        return;
    memcpy(&head, state, sizeof head);
    if (head.state_bytes < 0 || (size_t)head.state_bytes > size - sizeof head)
        return;
    head.checksum = vv_saved_checksum(&head, state + sizeof head);
    memcpy(state, &head, sizeof head);
}

/* In memory of its own. */
static char *save(vvWorld *world, size_t *size)
{
    vvError error = { 0 };
    /* settings that were taken back may be yet to take effect */
    holds(vvWorldBake(world, &error) == VV_OK, "not baked", error.message);
    *size = vvWorldStateSize(world);
    char *state = malloc(*size);
    holds(vvWorldSaveState(world, state, *size, &error) == VV_OK, "not saved", error.message);
    return state;
}

static void holds_unchanged(vvWorld *world, const char *before, size_t size, const char *why)
{
    char found[400];
    size_t length;
    char *now = save(world, &length);
    snprintf(found, sizeof found, "%zu bytes, before %zu; %.300s", length, size, why);
    holds(length == size, "a state was refused, and the world is another", found);
    for (size_t at = sizeof(vv_saved); at < size; at++) {
        snprintf(found, sizeof found, "byte %zu of %zu; %.300s", at - sizeof(vv_saved), size - sizeof(vv_saved), why);
        holds(now[at] == before[at], "a state was refused, and the world is another", found);
    }
    free(now);
}

/* A word of the state becomes one that is likely to hurt; bytes that come or go would be refused as another length. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const double reals[] = { 0, -1, 1e300, -1e300, 1e-300, 1e10, 0x1p53, 3 };
    static const int64_t wholes[] = { 0, -1, 1, 2, 7, 1 << 20, INT32_MAX, INT64_MAX, INT32_MIN, INT64_MIN };
    uint64_t chance = seed * 6364136223846793005u + 1442695040888963407u;
    if (size < sizeof(vv_saved) + 16 || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned count = 1 + seed % 3; count > 0; count--) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        const uint64_t kind = (chance >> 33) % 4, which = chance >> 40;
        /* words of the state lie where they do in memory, but for those after odd bytes */
        const size_t width = kind == 0 ? 1 : kind == 1 ? 4 : 8, from = 1 + (count > 2 ? 0 : sizeof(vv_saved));
        const size_t at =
            from + (size_t)((chance >> 17) % (size - from - 8)) / (seed & 64 ? 1 : 4) * (seed & 64 ? 1 : 4);
        const double real = which % 9 == 8 ? __builtin_nan("") : reals[which % 8];
        memcpy(data + at, kind == 2 ? (const void *)&real : &wholes[which % 10], width);
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return -1;
    vvError error = { 0 };
    const int i = data[0] % WORLDS;
    vvWorld *world = worlds[i].world;
    char *state = malloc(size);
    memcpy(state, data + 1, size - 1);
    make_checksum(state, size - 1);
    size_t length;
    char *before = save(world, &length);
    if (vvWorldLoadState(world, state, size - 1, &error) == VV_OK) {
        step(world, 1);
    } else {
        holds_message(&error);
        holds_unchanged(world, before, length, error.message);
    }
    holds(vvWorldLoadState(world, worlds[i].good, worlds[i].size, &error) == VV_OK, "a good state is refused",
          error.message);
    free(state);
    free(before);
    return 0;
}
