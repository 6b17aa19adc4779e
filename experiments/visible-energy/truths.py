#!/usr/bin/env python3
"""Makes the truths of the scenes anew, each with its error: hours, in parts.

    experiments/visible-energy/truths.py                       those that are not there, and those that a larger --cap may make better
    experiments/visible-energy/truths.py --only ball-stiff     these scenes
    experiments/visible-energy/truths.py --minutes 60          stops after an hour; the same command goes on from there
    experiments/visible-energy/truths.py --list                what there is, and how good it is

A scene may take six hours of processors (--cap); after that the error that was reached stands beside each figure.
"""
import argparse
import os
import sys
import time

sys.dont_write_bytecode = True
import converged
from cases import BY_NAME, CASES, PLAIN
from common import ROOT, Store


def describe(name):
    truth = converged.load(name)
    if truth is None:
        return "%-18s not there" % name
    file = truth.file
    open_figures = [f for f in file["figures"] if not f["settled"]]
    return "%-18s h/%d, %d starts, %.0f s of processors, %d of %d figures settled" % (
        name, file["levels"][-1]["substeps"], file["runs"], file["processor"], len(file["figures"]) - len(open_figures), len(file["figures"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", choices=list(BY_NAME), help="these scenes")
    parser.add_argument("--starts", type=int, metavar="N", help="of each witness; default: 8, of the long scenes fewer")
    parser.add_argument("--substeps", type=int, default=2, metavar="N", help="where halving begins; default: 2")
    parser.add_argument("--cap", type=float, default=21600, metavar="SECONDS", help="of processors, for a scene; default: 21600")
    parser.add_argument("--minutes", type=float, metavar="M", help="stop after so long")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="runs at a time; default: as many as there are cores")
    parser.add_argument("--list", action="store_true", help="runs nothing")
    options = parser.parse_args()
    names = options.only or [case.name for case in CASES]
    if options.list:
        print("\n".join(describe(name) for name in names))
        return 0
    out, end = os.path.join(ROOT, "out", "visible-energy"), time.time() + 60 * (options.minutes or 1e9)
    store = Store(out, 1, options.jobs)
    for name in names:
        case = BY_NAME[name]
        if converged.is_enough(converged.load(name), options.cap, options.starts or case.starts):
            continue
        os.makedirs(converged.FOLDER, exist_ok=True)
        words = converged.command(case.scene, case.sets + PLAIN, store.end(case), converged.path_of(name), os.path.join(out, "converged", name),
                                  options.starts or case.starts, options.substeps, options.cap, options.jobs)
        print("%s: %s" % (name, " ".join(words)), flush=True)
        if not converged.make(words, (end - time.time()) / 60 if options.minutes else None):
            print("%s: not done; the same command goes on" % name)
            return 0
        print(describe(name), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
