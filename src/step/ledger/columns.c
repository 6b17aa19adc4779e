/* The ledger's columns, for tables and files. */
#include "step/ledger/columns.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define COLUMN(name, field, unit, type) { { #name, unit }, offsetof(vvLedgerRow, field), type },
/* clang-format on */
static const struct {
    vvLedgerColumn about;
    size_t offset;
    char type;
} columns[] = { VV_LEDGER_COLUMNS(COLUMN, COLUMN) };
enum { COUNT = sizeof columns / sizeof *columns };

const vvLedgerColumn *vvLedgerColumnInfo(int index)
{
    return index >= 0 && index < COUNT ? &columns[index].about : NULL;
}

double vvLedgerValue(const vvLedgerRow *row, int index)
{
    if (!row || index < 0 || index >= COUNT)
        return NAN;
    const char *at = (const char *)row + columns[index].offset;
    double number;
    int64_t count;
    int few;
    switch (columns[index].type) {
    case 'd': memcpy(&number, at, sizeof number); return number;
    case 'l': memcpy(&count, at, sizeof count); return (double)count;
    default: memcpy(&few, at, sizeof few); return few;
    }
}
