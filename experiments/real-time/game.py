#!/usr/bin/env python3
"""Whether budgets hold in a game: the worst step of each real-time solver, and how good its motion is.

    experiments/real-time/game.py                     every solver with 5 iterations: an hour of processor time
    experiments/real-time/game.py --steps 1000        fewer steps
    experiments/real-time/game.py lbfgs:5 lbfgs:10    these solvers and budgets
    experiments/real-time/game.py --threads 2

Four soft bodies and a curtain on a height field (2,227 nodes) go through a seeded script of drags, throws, spawns and removals at 1/60 s (bench/game_steps.c,
built with `cmake --build build --target bench_game_steps`); a box and a joint come and go far away. A frame is what the script asks of the world, and the step. Each
is run three times; a frame's time is the median of its three, in processor time. Then a ball is thrown up at 4 m/s, by newton too, to compare how high it comes. The
tables are those of docs/real-time.md; --json FILE keeps the numbers. It ends with 1 where a step failed or bodies intersect.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("GAME_STEPS", os.path.join(ROOT, "build", "bench_game_steps"))
SOLVERS = ["local-global:5", "lbfgs:5", "lbfgs:10", "block-descent:5", "xpbd:5", "newton:0"]


def run(solver, args):
    """What the program prints, with the steps' times and what the script did."""
    method, budget = solver.split(":")
    with tempfile.NamedTemporaryFile("r") as dump:
        settings = ["method=" + method, "budget=" + budget, "steps=%d" % args.steps, "seed=%d" % args.seed, "threads=%d" % args.threads, "far=1", "dump=" + dump.name]
        done = subprocess.run([PROGRAM, *settings], capture_output=True, text=True)
        if not done.stdout.startswith("{"):
            sys.exit("%s: %s" % (solver, done.stderr.strip() or "there is no %s; build it" % PROGRAM))
        result = json.loads(done.stdout)
        rows = [line.split() for line in dump]
    result["ms"] = [float(row[0]) for row in rows]
    result["script"] = "".join(row[1] for row in rows)
    return result


def measured(solver, args):
    runs = [run(solver, args) for _ in range(args.runs)]
    out = dict(runs[0])
    ms = [statistics.median(step) for step in zip(*(r["ms"] for r in runs))]
    script = out.pop("script")
    out.pop("ms")
    out["solver"] = solver
    out["apex_m"] = apex(solver)
    out["median_ms"] = statistics.median(ms)
    out["p99_ms"] = sorted(ms)[int(0.99 * (len(ms) - 1))]
    out["worst_ms"], out["worst_step"] = max(ms), ms.index(max(ms))
    for name, mark in (("body_ms", "b"), ("far_body_ms", "f"), ("sphere_ms", "s"), ("joint_ms", "j"), ("drag_ms", "d")):
        some = [t for t, did in zip(ms, script) if did == mark]
        out[name] = statistics.median(some) if some else None
    return out


def apex(solver):
    """How high the ball comes that is thrown up at 4 m/s, m."""
    method, budget = solver.split(":")
    done = subprocess.run([PROGRAM, "method=" + method, "budget=" + budget, "throw=4", "steps=100"], capture_output=True, text=True)
    return json.loads(done.stdout)["apex_m"]


def table(results):
    print("| solver | median frame, ms | 99 of 100 below | worst | times the median | a body comes or goes | a body far away | a sphere far away | a joint far away "
          "| least det F | hand off by, cm | crossings | apex, m |")
    print("| --- " * 13 + "|")
    for r in results:
        name = "`%s`, %d" % (r["method"], r["budget"]) if r["budget"] else "`%s`" % r["method"]
        print("| %s | %.1f | %.1f | %.1f | %.1f | %s | %s | %s | %s | %.2f | %.1f | %d | %.3f |" % (
            name, r["median_ms"], r["p99_ms"], r["worst_ms"], r["worst_ms"] / r["median_ms"],
            *("%.1f" % r[k] if r[k] is not None else "-" for k in ("body_ms", "far_body_ms", "sphere_ms", "joint_ms")),
            r["least_det_F"], 100 * r["off_hand_m"], r["crossings"], r["apex_m"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("solvers", nargs="*", default=SOLVERS, help="METHOD:BUDGET; 0: as many iterations as it takes")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    results = [measured(solver, args) for solver in args.solvers or SOLVERS]
    table(results)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(results, file, indent=1)
    return 1 if any(r["failed"] or r["crossings"] or r["below_ground"] for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
