/* Addresses in a run file that lead nowhere, or elsewhere: HDF5 1.10 crashes on some of them, so each is refused before
 * HDF5 follows it, or changes nothing that is read. Without the check of src/record/addresses.c this program ends by a
 * signal. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "fake_run_world.h"

static const char *good_path = VV_BUILD_DIR "/test_record_addresses.vtkhdf",
                  *bad_path = VV_BUILD_DIR "/test_record_addresses_bad.vtkhdf";
static unsigned char *good;
static size_t size;

static int make(void **state)
{
    (void)state;
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(3);
    assert_int_equal(vvRunCreate(good_path, w, "fake", "{}", &writer, &error), VV_OK);
    for (int i = 0; i < 8; i++) {
        vvStepReport report;
        fake_step(w, &report);
        vvRunAddStep(writer, w, &report, &error);
        assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    }
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    fake_free(w);
    FILE *f = fopen(good_path, "rb");
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    good = malloc(size);
    assert_int_equal(fread(good, 1, size, f), size);
    fclose(f);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    free(good);
    unlink(good_path), unlink(bad_path);
    return 0;
}

/* Writes the file with `value` at `at`, opens it and reads the first frame; whether it was opened. */
static bool opens_with(size_t at, uint64_t value, vvError *error)
{
    FILE *f = fopen(bad_path, "wb");
    assert_int_equal(fwrite(good, 1, size, f), size);
    fseek(f, (long)at, SEEK_SET);
    assert_int_equal(fwrite(&value, 1, 8, f), 8);
    fclose(f);
    vvRun *run = NULL;
    memset(error, 0, sizeof *error);
    if (vvRunOpen(bad_path, &run, error) != VV_OK) {
        assert_non_null(strstr(error->message, "test_record_addresses_bad"));
        return false;
    }
    double *x = malloc((size_t)vvRunNodeCount(run) * 24), *v = malloc((size_t)vvRunNodeCount(run) * 24);
    vvRunReadFrame(run, 0, x, v, error);
    free(x), free(v);
    vvRunFree(run);
    return true;
}

/* Each 8 bytes of the first 600 behind each signature of a tree, a node or a heap: addresses, lengths, names. */
static void test_addresses_that_lead_nowhere(void **state)
{
    (void)state;
    const uint64_t values[] = { UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 62, size - 4, 0 };
    int tried = 0, refused = 0;
    for (size_t at = 0; at + 8 < size; at++) {
        if (memcmp(good + at, "TREE", 4) != 0 && memcmp(good + at, "SNOD", 4) != 0 && memcmp(good + at, "HEAP", 4) != 0)
            continue;
        const size_t reach = good[at] == 'H' ? 32 : 360;
        for (size_t k = at + 8; k < at + reach && k + 8 <= size; k += 8, tried++) {
            vvError error;
            refused += !opens_with(k, values[tried % 5], &error);
        }
    }
    print_message("%d addresses changed, %d files refused\n", tried, refused);
    assert_in_range(tried, 200, 20000);
    assert_in_range(refused, tried / 8, tried / 2); /* most of the rest is room that nothing uses */
}

static void test_says_what_is_wrong(void **state)
{
    (void)state;
    vvError error;
    size_t tree = 0, heap = 0;
    for (size_t at = size - 8; at > 0; at--) { /* the first of each, which are the root group's */
        tree = memcmp(good + at, "TREE", 4) == 0 ? at : tree;
        heap = memcmp(good + at, "HEAP", 4) == 0 ? at : heap;
    }
    assert_false(opens_with(tree + 32, UINT64_MAX, &error)); /* behind the head and the first key: the first child */
    assert_non_null(strstr(error.message, "the file places a node of symbols at byte 18446744073709551615"));
    assert_non_null(strstr(error.message, "the file is damaged, or was not written by visviva"));
    assert_false(opens_with(heap + 16, size, &error));
    assert_non_null(strstr(error.message, "the list of free blocks of a heap leads out of it"));
    assert_false(opens_with(tree + 32, tree, &error)); /* a circle, or what is there is something else */
    assert_non_null(strstr(error.message, "there is no node of symbols at byte"));
    assert_false(opens_with(8, 4, &error)); /* a version of the superblock that is still to come */
    assert_non_null(strstr(error.message, "h5repack"));
}

static void test_good_file_opens(void **state)
{
    (void)state;
    vvError error;
    assert_true(opens_with(0, 0x0a1a0a0d46444889, &error)); /* HDF5's signature, as it was */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_file_opens),
        cmocka_unit_test(test_addresses_that_lead_nowhere),
        cmocka_unit_test(test_says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
