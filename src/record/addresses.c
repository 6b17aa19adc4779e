/* The addresses in a run file, checked before HDF5 follows them: HDF5 1.10 reads beyond its memory where one is 2^64 -
 * 1 or where the free blocks of a heap are damaged, and neither can be caught. A run file is laid out as HDF5's oldest
 * format has it (the file format specification): a superblock leads to the root group; a
 * group is a B-tree of nodes of symbols, whose names lie in a heap; a symbol leads to the header of a group or data
 * set; and that one's messages to its own B-tree and heap, to the data, or to a B-tree of chunks. The walk goes through
 * each part once, and compares what lies there with its signature, its size and its place. */
#include "record/addresses.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/text.h"

enum {
    MOST_OBJECTS = 1 << 14, /* groups and data sets; a run has some seventy */
    MOST_LEVELS = 16,       /* of a B-tree */
    MOST_NODE = 1 << 16,    /* bytes of a node; HDF5's own have 3 kB at most */
    MOST_HEAP = 1 << 22     /* bytes of names in a group */
};

#define NOWHERE UINT64_MAX /* HDF5's address for what is not there */

typedef struct group {
    uint64_t tree, heap;
} group;

typedef struct walk {
    int fd;
    uint64_t size;            /* of the file */
    uint64_t parts;           /* that may still be read: in a sound file each has its own place */
    int leaf, fan, chunk_fan; /* half the most entries of a node of symbols, of a group's B-tree, of one of chunks */
    uint64_t *headers;
    group *groups;
    size_t header_count, header_room, group_count, group_room;
    char *names; /* the heap of the group that is being walked */
    size_t names_room, names_size;
    char *reason;
    size_t room;
} walk;

static bool wrong(walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(walk *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vv_print_list(w->reason, w->room, format, list);
    va_end(list);
    vv_print(w->reason + strlen(w->reason), w->room - strlen(w->reason),
             "; the file is damaged, or was not written by visviva");
    return false;
}

static bool starved(walk *w)
{
    vv_print(w->reason, w->room, "out of memory");
    return false;
}

static bool newer(walk *w)
{
    vv_print(w->reason, w->room,
             "it has the layout of newer versions of HDF5, or refers to other files: refused; a run file holds all of "
             "its data itself (h5repack makes one in the older layout)");
    return false;
}

static uint64_t number(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static bool inside(const walk *w, uint64_t at, uint64_t bytes) { return at < w->size && bytes <= w->size - at; }

static bool take(walk *w, uint64_t at, void *bytes, size_t count, const char *what)
{
    if (!inside(w, at, count))
        return wrong(w, "the file places %s at byte %llu of %llu", what, (unsigned long long)at,
                     (unsigned long long)w->size);
    if (w->parts-- == 0)
        return wrong(w, "its parts refer to each other in circles");
    if (pread(w->fd, bytes, count, (off_t)at) != (ssize_t)count)
        return wrong(w, "%s cannot be read", what);
    return true;
}

static bool begins(walk *w, const unsigned char *bytes, const char *signature, uint64_t at, const char *what)
{
    return memcmp(bytes, signature, 4) == 0 || wrong(w, "there is no %s at byte %llu", what, (unsigned long long)at);
}

/* ---- what is still to be walked ---- */

static bool add_header(walk *w, uint64_t at)
{
    for (size_t i = 0; i < w->header_count; i++)
        if (w->headers[i] == at)
            return true;
    if (w->header_count == MOST_OBJECTS)
        return wrong(w, "it has more than %d groups and data sets", MOST_OBJECTS);
    if (!vv_grow((void **)&w->headers, &w->header_room, w->header_count + 1, sizeof *w->headers))
        return starved(w);
    w->headers[w->header_count++] = at;
    return true;
}

static bool add_group(walk *w, uint64_t tree, uint64_t heap)
{
    for (size_t i = 0; i < w->group_count; i++)
        if (w->groups[i].tree == tree && w->groups[i].heap == heap)
            return true;
    if (w->group_count == MOST_OBJECTS)
        return wrong(w, "it has more than %d groups", MOST_OBJECTS);
    if (!vv_grow((void **)&w->groups, &w->group_room, w->group_count + 1, sizeof *w->groups))
        return starved(w);
    w->groups[w->group_count++] = (group){ tree, heap };
    return true;
}

/* ---- heaps: the names of a group ---- */

/* Free blocks form a list: where the next one is (1: none), and how long this one is. */
static bool check_free_blocks(walk *w, uint64_t first)
{
    size_t left = w->names_size / 16;
    for (uint64_t at = first; at != 1; at = number((unsigned char *)w->names + at, 8)) {
        if (at > w->names_size || w->names_size - at < 16 || left-- == 0)
            return wrong(w, "the list of free blocks of a heap leads out of it");
        uint64_t bytes = number((unsigned char *)w->names + at + 8, 8);
        if (bytes < 16 || bytes > w->names_size - at)
            return wrong(w, "a free block of a heap is longer than the heap");
    }
    return true;
}

/* Reads the names into w->names, with a zero behind the last. */
static bool read_heap(walk *w, uint64_t at)
{
    unsigned char head[32];
    if (!take(w, at, head, sizeof head, "a heap") || !begins(w, head, "HEAP", at, "heap"))
        return false;
    uint64_t size = number(head + 8, 8), data = number(head + 24, 8);
    if (size > MOST_HEAP || !inside(w, data, size))
        return wrong(w, "a heap of %llu bytes at byte %llu does not fit in", (unsigned long long)size,
                     (unsigned long long)data);
    if (!vv_grow((void **)&w->names, &w->names_room, (size_t)size + 1, 1))
        return starved(w);
    w->names_size = (size_t)size;
    w->names[size] = 0;
    return (size == 0 || take(w, data, w->names, (size_t)size, "a heap's data")) &&
           check_free_blocks(w, number(head + 16, 8));
}

static bool check_name(walk *w, uint64_t offset)
{
    return (offset < w->names_size && memchr(w->names + offset, 0, w->names_size - (size_t)offset)) ||
           wrong(w, "the file places a name at byte %llu of a heap of %zu", (unsigned long long)offset, w->names_size);
}

/* ---- B-trees ---- */

/* A symbol: its name, its header, and (type 1) the group's tree and heap or (type 2) the name that a link leads to. */
static bool check_symbol(walk *w, const unsigned char *symbol, bool named)
{
    const uint64_t type = number(symbol + 16, 4);
    if (named && !check_name(w, number(symbol, 8)))
        return false;
    if (type == 2)
        return check_name(w, number(symbol + 24, 4));
    return add_header(w, number(symbol + 8, 8)) &&
           (type != 1 || add_group(w, number(symbol + 24, 8), number(symbol + 32, 8)));
}

static bool check_symbols(walk *w, uint64_t at)
{
    unsigned char node[8 + 40 * 512];
    if (!take(w, at, node, 8, "a node of symbols") || !begins(w, node, "SNOD", at, "node of symbols"))
        return false;
    const int count = (int)number(node + 6, 2);
    if (count > 2 * w->leaf || count > 512)
        return wrong(w, "a node has %d symbols, and room for %d", count, 2 * w->leaf);
    if (!take(w, at, node, 8 + 40 * (size_t)count, "a node of symbols"))
        return false;
    for (int i = 0; i < count; i++)
        if (!check_symbol(w, node + 8 + 40 * i, true))
            return false;
    return true;
}

/* Reads a node of a B-tree whose keys have `key` bytes: -1, or how many children it has. */
static int read_node(walk *w, uint64_t at, int type, size_t key, int fan, unsigned char *node)
{
    if (!take(w, at, node, 24, "a node of a B-tree") || !begins(w, node, "TREE", at, "node of a B-tree"))
        return -1;
    const int count = (int)number(node + 6, 2);
    const size_t bytes = 24 + (size_t)count * (8 + key) + key;
    if (node[4] != type || node[5] > MOST_LEVELS || count > 2 * fan || bytes > MOST_NODE) {
        wrong(w, "the node of a B-tree at byte %llu is not one of those that lead to it", (unsigned long long)at);
        return -1;
    }
    return take(w, at, node, bytes, "a node of a B-tree") ? count : -1;
}

/* The tree of a group (type 0, keys are names) or of chunks (type 1). `level`: of the node; -1 at the root. */
static bool check_tree(walk *w, uint64_t at, int type, size_t key, int level)
{
    unsigned char *node = vv_alloc(MOST_NODE, 1);
    if (!node)
        return starved(w);
    int count = read_node(w, at, type, key, type ? w->chunk_fan : w->fan, node);
    bool ok = count >= 0;
    if (ok && level >= 0 && node[5] != level)
        ok =
            wrong(w, "the node of a B-tree at byte %llu is at another level than it should be", (unsigned long long)at);
    for (int side = 8; ok && side <= 16; side += 8) {
        uint64_t sibling = number(node + side, 8);
        ok = sibling == NOWHERE || inside(w, sibling, 24) ||
             wrong(w, "a B-tree leads to byte %llu of %llu", (unsigned long long)sibling, (unsigned long long)w->size);
    }
    for (int i = 0; ok && i < count; i++) {
        const unsigned char *entry = node + 24 + (size_t)i * (8 + key);
        uint64_t child = number(entry + key, 8);
        if (type == 0 && !check_name(w, number(entry, 8)))
            ok = false;
        else if (node[5] > 0)
            ok = check_tree(w, child, type, key, node[5] - 1);
        else if (type == 0)
            ok = check_symbols(w, child);
        else
            ok = inside(w, child, number(entry, 4)) || wrong(w, "the file places a chunk at byte %llu of %llu",
                                                             (unsigned long long)child, (unsigned long long)w->size);
    }
    vv_free(node);
    return ok;
}

/* ---- headers of groups and data sets ---- */

/* Where the data are: in the header, in one piece, or in chunks that a B-tree finds. */
static bool check_layout(walk *w, const unsigned char *data, size_t size)
{
    const int version = data[0];
    const bool old = version < 3;
    const size_t rank_at = old ? 1 : 2, address_at = old ? 8 : data[1] == 2 ? 3 : 2;
    const int class = old ? data[2] : data[1];
    if (class == 0 || class > 2) /* views of other files are refused by name */
        return true;
    if (version > 3 && class == 2)
        return newer(w);
    if (size < address_at + 16)
        return wrong(w, "a data set does not say where its data are");
    const uint64_t at = number(data + address_at, 8);
    if (at == NOWHERE)
        return true;
    if (class == 2)
        return check_tree(w, at, 1, 8 + 8 * (size_t)data[rank_at], -1);
    return old || inside(w, at, number(data + address_at + 8, 8)) || number(data + address_at + 8, 8) == 0 ||
           wrong(w, "the file places data at byte %llu of %llu", (unsigned long long)at, (unsigned long long)w->size);
}

/* Links (what of type 2) and attributes (0x15) may lie in heaps of their own, which runs do not have. */
static bool check_dense(walk *w, int type, const unsigned char *data, size_t size)
{
    const size_t at = 2 + (data[1] & 1 ? (type == 2 ? 8 : 2) : 0);
    return (size >= at + 8 && number(data + at, 8) == NOWHERE) || newer(w);
}

/* A link as a message of its group. */
static bool check_link(walk *w, const unsigned char *data, size_t size)
{
    const int flags = data[1], width = 1 << (flags & 3);
    const bool hard = !(flags & 8) || data[2] == 0;
    size_t at = 2 + (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
    if (size < at + (size_t)width)
        return wrong(w, "a link is cut off");
    const uint64_t length = number(data + at, width);
    at += (size_t)width;
    if (length > size || at + length + (hard ? 8 : 0) > size)
        return wrong(w, "the name of a link is longer than the link");
    return !hard || add_header(w, number(data + at + length, 8));
}

typedef struct block {
    uint64_t at, bytes; /* of a header's messages */
} block;

enum { MOST_BLOCKS = 64 };

/* Message types: the file format specification, IV.A.2. */
static bool check_message(walk *w, int type, const unsigned char *data, size_t size, block *blocks, int *count)
{
    if (size < 4) /* shorter than any with an address */
        return true;
    switch (type) {
    case 0x02:
    case 0x15: return check_dense(w, type, data, size);
    case 0x06: return check_link(w, data, size);
    case 0x07: return size >= 16 ? read_heap(w, number(data + 8, 8)) : wrong(w, "a list of other files is cut off");
    case 0x08: return check_layout(w, data, size);
    case 0x10:
        if (size < 16 || *count == MOST_BLOCKS || !inside(w, number(data, 8), number(data + 8, 8)))
            return wrong(w, "a header continues beyond the end of the file");
        blocks[(*count)++] = (block){ number(data, 8), number(data + 8, 8) };
        return true;
    case 0x11: return size >= 16 ? add_group(w, number(data, 8), number(data + 8, 8)) : wrong(w, "a group is cut off");
    default: return true;
    }
}

/* How a header's messages are written: version 1 has 8 bytes before each, version 2 4, or 6 with `flags` 4. */
typedef struct form {
    int version, flags;
} form;

static bool check_block(walk *w, form f, block piece, bool first, block *blocks, int *count)
{
    if (piece.bytes > MOST_HEAP)
        return wrong(w, "a header has %llu bytes", (unsigned long long)piece.bytes);
    unsigned char *bytes = vv_alloc((size_t)piece.bytes + 1, 1);
    if (!bytes)
        return starved(w);
    bool ok = take(w, piece.at, bytes, (size_t)piece.bytes, "a header");
    const bool two = f.version == 2;
    const size_t head = two ? (f.flags & 4 ? 6 : 4) : 8;
    size_t end = (size_t)piece.bytes, at = 0;
    if (two && !first) { /* a signature, and a checksum at the end */
        at = 4, end = end >= 8 ? end - 4 : 0;
        ok = ok && (end ? begins(w, bytes, "OCHK", piece.at, "part of a header") : wrong(w, "a header is cut off"));
    }
    while (ok && at + head <= end) {
        const size_t size = (size_t)number(bytes + at + (two ? 1 : 2), 2);
        ok = size <= end - at - head || wrong(w, "a part of a header is longer than the header");
        ok = ok && check_message(w, (int)number(bytes + at, two ? 1 : 2), bytes + at + head, size, blocks, count);
        at += head + size;
    }
    vv_free(bytes);
    return ok;
}

/* Where the messages of a header of version 2 begin: behind times of access and limits that it may have. */
static bool find_messages(walk *w, uint64_t at, const unsigned char *head, block *first)
{
    const int flags = head[5], width = 1 << (flags & 3);
    const uint64_t behind = 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
    unsigned char size[8];
    if (!take(w, at + behind, size, (size_t)width, "a header"))
        return false;
    *first = (block){ at + behind + (uint64_t)width, number(size, width) };
    return true;
}

static bool check_header(walk *w, uint64_t at)
{
    unsigned char head[16];
    block blocks[MOST_BLOCKS];
    int count = 1;
    if (!take(w, at, head, sizeof head, "a header"))
        return false;
    const form f = { .version = memcmp(head, "OHDR", 4) == 0 ? 2 : head[0], .flags = head[5] };
    if (f.version == 1)
        blocks[0] = (block){ at + 16, number(head + 8, 4) };
    else if (f.version != 2)
        return wrong(w, "there is no header at byte %llu", (unsigned long long)at);
    else if (!find_messages(w, at, head, blocks))
        return false;
    for (int i = 0; i < count; i++)
        if (!check_block(w, f, blocks[i], i == 0, blocks, &count))
            return false;
    return true;
}

/* ---- the whole ---- */

/* The superblock: sizes of numbers, of nodes, and the symbol of the root. */
static bool check_superblock(walk *w, bool *other)
{
    static const unsigned char signature[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
    unsigned char head[100];
    *other =
        pread(w->fd, head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head, signature, sizeof signature) != 0;
    if (*other)
        return true;
    if (head[8] > 3)
        return newer(w);
    const bool old = head[8] < 2;
    const size_t more = head[8] == 1 ? 4 : 0, sizes = old ? 13 : 9, base = old ? 24 + more : 12;
    if (head[sizes] != 8 || head[sizes + 1] != 8 || number(head + base, 8) != 0)
        return wrong(w, "its numbers have another size than those of a run");
    *other = number(head + base + 16, 8) > w->size; /* truncated: HDF5 says so */
    if (*other)
        return true;
    if (!old) {
        const uint64_t more_of_it = number(head + 20, 8);
        return (more_of_it == NOWHERE || add_header(w, more_of_it)) && add_header(w, number(head + 36, 8));
    }
    w->leaf = (int)number(head + 16, 2), w->fan = (int)number(head + 18, 2);
    w->chunk_fan = more ? (int)number(head + 24, 2) : 32;
    return check_symbol(w, head + 56 + more, false);
}

static bool check_group(walk *w, group g) { return read_heap(w, g.heap) && check_tree(w, g.tree, 0, 8, -1); }

static bool check_all(walk *w)
{
    bool other = false;
    if (!check_superblock(w, &other))
        return false;
    size_t header = 0, tree = 0;
    while (header < w->header_count || tree < w->group_count)
        if (header < w->header_count ? !check_header(w, w->headers[header++]) : !check_group(w, w->groups[tree++]))
            return false;
    return true;
}

bool vv_addresses_sound(const char *path, char *reason, size_t room)
{
    walk w = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .reason = reason, .room = room };
    struct stat info;
    bool ok = true;
    if (w.fd < 0)
        return true;
    if (fstat(w.fd, &info) == 0 && S_ISREG(info.st_mode)) {
        w.size = (uint64_t)info.st_size;
        w.parts = w.size / 8 + 16;
        ok = check_all(&w);
    }
    close(w.fd);
    vv_free(w.headers);
    vv_free(w.groups);
    vv_free(w.names);
    return ok;
}
