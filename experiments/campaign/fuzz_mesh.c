/* Mesh files of all formats. The first byte says which ending the file has; of TetGen's the second says with which part
 * of the bytes (of 255) a file of the other ending begins, which lies beside it. It is a sound mesh or refused. */
#include "fuzz.h"

#include "mesh/mesh.h"

#include <unistd.h>

enum { ENDINGS = 32 };
static char endings[ENDINGS][16];
static int ending_count;

/* Each once, in the order of the formats. */
static void list_endings(void)
{
    for (int f = 0; vv_mesh_format(f); f++)
        for (const char *e = vv_mesh_format(f)->endings; *e; e += strcspn(e, " "), e += *e == ' ') {
            char word[16];
            int known = 0;
            snprintf(word, sizeof word, "%.*s", (int)strcspn(e, " "), e);
            for (int i = 0; i < ending_count; i++)
                known |= strcmp(endings[i], word) == 0;
            if (!known && ending_count < ENDINGS)
                memcpy(endings[ending_count++], word, sizeof word);
        }
}

static const char *file_of(const char *ending)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/fuzz-mesh-%ld%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid(),
             ending);
    return path;
}

static void save(const char *ending, const uint8_t *data, size_t size)
{
    const char *path = file_of(ending);
    remove(path);
    FILE *file = fopen(path, "wb");
    holds(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "cannot write", path);
}

/* What is so of every finished mesh: to finish it again changes nothing. */
static void holds_mesh(const vvMesh *mesh)
{
    vvMesh copy;
    vvMeshNotes notes = { 0 };
    vvError error = { 0 };
    const int elements = mesh->tetCount + mesh->triangleCount + mesh->edgeCount + mesh->pointCount;
    holds(mesh->vertexCount > 0 && elements > 0, "an empty mesh", "");
    if (vvMeshCopy(mesh, &copy, &error) != VV_OK)
        return;
    if (vvMeshFinish(&copy, &notes, &error) == VV_OK)
        holds(notes.flippedTets == 0 && notes.duplicateVertices == 0 && notes.unusedVertices == 0 &&
                  copy.vertexCount == mesh->vertexCount && copy.tetCount == mesh->tetCount &&
                  copy.triangleCount == mesh->triangleCount,
              "a mesh that was not finished", "");
    else
        holds(strstr(error.message, "memory") != NULL, "a mesh that cannot be finished again", error.message);
    vvMeshDestroy(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vvMesh mesh = { 0 };
    vvMeshNotes notes;
    vvError error = { 0 };
    if (ending_count == 0)
        list_endings();
    if (size < 2)
        return -1;
    const char *ending = endings[data[0] % ending_count];
    const char *partner = strcmp(ending, ".ele") == 0 || strcmp(ending, ".face") == 0 ? ".node" : NULL;
    const size_t first = partner ? (size - 2) * data[1] / 255 : 0;
    data += 2, size -= 2;
    if (partner)
        save(partner, data, first);
    save(ending, data + first, size - first);
    vvSetThreadAllocator(&fuzz_memory, NULL);
    if (vvMeshRead(file_of(ending), &mesh, &notes, &error) == VV_OK) {
        holds_mesh(&mesh);
    } else {
        holds_message(&error);
        holds(!mesh.positions, "a mesh that was refused", error.message);
    }
    vvMeshDestroy(&mesh);
    vvSetThreadAllocator(NULL, NULL);
    holds(fuzz_bytes == 0, "memory was kept", "");
    remove(file_of(ending));
    if (partner)
        remove(file_of(partner));
    return 0;
}
