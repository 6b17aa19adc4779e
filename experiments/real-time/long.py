#!/usr/bin/env python3
"""10,000 steps of every scene that has a fixed budget: is it stable, and how deep does anything go?

    experiments/real-time/long.py                       every such scene in scenes/, as it is shipped
    experiments/real-time/long.py jelly hills           these
    experiments/real-time/long.py --steps 200           fewer steps: does it work at all
    experiments/real-time/long.py --set solver.budget=5 with other settings

Whatever is in scenes/ and names a solver with a budget is run, so that new scenes come in by themselves. It needs Python 3 and the program
build/bench_long_run (`cmake --build build --target bench_long_run`), takes one thread and prints the table of README.md; --json FILE keeps the
numbers. It ends with 1 where a scene fails, is no longer finite, or goes deeper than its bound.
"""
import argparse
import json
import math
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUDGETED = {"local-global", "lbfgs", "block-descent", "xpbd", "xpbd-exact"}


def scenes():
    """Names of the ready scenes whose solver does a fixed number of iterations."""
    found = []
    for entry in sorted(os.listdir(os.path.join(ROOT, "scenes"))):
        if entry.endswith(".json"):
            with open(os.path.join(ROOT, "scenes", entry)) as file:
                solver = json.load(file).get("solver", {})
            if solver.get("method") in BUDGETED or solver.get("budget", 0) > 0:
                found.append(entry[:-5])
    return found


def run(program, scene, steps, settings):
    done = subprocess.run([program, os.path.join(ROOT, "scenes", scene + ".json"), str(steps), *settings], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit("%s: %s" % (scene, done.stderr.strip()))
    result = json.loads(done.stdout)
    result["scene"] = scene
    result["why"] = done.stderr.strip()
    return result


def good(r):
    inside = r["bound"] is None or r["depth"] <= r["bound"] if r["springs"] else r["depth"] == 0
    return r["finite"] and r["failed"] is None and r["steps"] == r["wanted"] and inside


def size(x):
    return "%.2g" % x if x is not None else "inf"


def metres(x):
    return "%.3g" % x if x else "0"


def depths(r):
    if r["springs"]:
        return "%s, %s" % (metres(r["depth"]), metres(r["bound"]))
    return "gap %s" % metres(r["nearest"]) if r["nearest"] is not None else "-"


def report(results):
    print("| scene | steps | finite | most that a step is off, of S | steps beyond 0.01 | deepest, and its bound, m | fastest node, m/s | residual: most, in the second half, m/s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in results:
        print("| `%s` | %d%s | %s | %.5f | %d | %s | %.3g | %s, %s |" % (
            r["scene"], r["steps"], "" if r["failed"] is None else " (failed)", "yes" if r["finite"] else "**no**", r["off"] if r["off"] is not None else math.inf,
            r["above_epsilon"], depths(r), r["speed"] if r["speed"] is not None else math.inf, size(r["residual"]), size(r["later_residual"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SCENE")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bench_long_run"))
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--list", action="store_true", help="prints the scenes and runs none")
    args = parser.parse_args()
    known = scenes()
    for name in args.names:
        if name not in known:
            sys.exit('"%s" is no scene with a fixed budget; there are: %s' % (name, ", ".join(known)))
    if args.list:
        print("\n".join(known))
        return
    if not os.path.exists(args.program):
        sys.exit("%s is missing: cmake --build build --target bench_long_run" % args.program)
    results = []
    for name in args.names or known:
        print(name, file=sys.stderr, flush=True)
        results.append(run(args.program, name, args.steps, args.set))
        if results[-1]["why"]:
            print(results[-1]["why"], file=sys.stderr)
    report(results)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    sys.exit(0 if all(map(good, results)) else 1)


if __name__ == "__main__":
    main()
