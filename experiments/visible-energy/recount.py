#!/usr/bin/env python3
"""Two counts of the criteria side by side: what another truth has overturned.

    experiments/visible-energy/recount.py BEFORE.json AFTER.json                   e.g. of `run.py --old-truth` and of `run.py`
    experiments/visible-energy/recount.py results/criteria.json /tmp/a/criteria.json --names "h / 20" "with errors" > RECOUNT.md

Prints Markdown: how many criteria of each kind are met, not met and open in each, and every one whose verdict differs, with what was
measured. Exit code 1: the files have no criterion in common.
"""
import argparse
import json
import sys

sys.dont_write_bytecode = True
from common import table

WORDS = {True: "met", False: "not met", None: "open"}


def read(path):
    """By kind and scene; a kind that a scene has twice keeps its order."""
    found, seen = {}, {}
    with open(path) as file:
        for x in json.load(file):
            key = (x["criterion"], x["scene"])
            seen[key] = seen.get(key, 0) + 1
            found[key + (seen[key],)] = x
    return found


def count(lines):
    verdicts = [x["ok"] for x in lines]
    return "%d of %d" % (sum(v is True for v in verdicts), sum(v is not None for v in verdicts))


def kinds(before, after, names):
    order = list(dict.fromkeys(key[0] for key in list(before) + list(after)))
    rows = [[kind] + [count([x for key, x in lines.items() if key[0] == kind]) for lines in (before, after)] for kind in order]
    return table(["met", *names], rows + [["all", count(before.values()), count(after.values())]])


def changes(before, after, names):
    rows = []
    for key in before:
        if key in after and before[key]["ok"] != after[key]["ok"]:
            rows.append([key[0], key[1]] + ["%s: %s (wanted: %s)" % (WORDS[x["ok"]], x["measured"], x["wanted"]) for x in (before[key], after[key])])
    return table(["criterion", "scene", *names], rows) if rows else "No verdict differs.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE.json")
    parser.add_argument("after", metavar="AFTER.json")
    parser.add_argument("--names", nargs=2, default=["before", "after"], metavar="NAME", help="what to call them")
    options = parser.parse_args()
    before, after = read(options.before), read(options.after)
    if not set(before) & set(after):
        print("recount: %s and %s have no criterion in common" % (options.before, options.after), file=sys.stderr)
        return 1
    print("# Criteria recounted\n\n" + kinds(before, after, options.names) + "\n## What is judged otherwise\n\n" + changes(before, after, options.names), end="")
    gone, new = [k for k in before if k not in after], [k for k in after if k not in before]
    for text, keys in (("Only in the first", gone), ("Only in the second", new)):
        if keys:
            print("\n%s: %s." % (text, "; ".join("%s, %s" % key[:2] for key in keys)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
