#!/usr/bin/env python3
"""Contact scenes with every method: nothing intersects, nothing is inverted, all is finite; friction holds and slides as it should.
A short version of experiments/contact."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "experiments", "contact"))
import claims  # noqa: E402
from common import AIMING, METHODS, faults, simulate  # noqa: E402

SIZE = os.environ.get("VV_TEST_SIZE")
MORE = METHODS if SIZE == "full" else AIMING
# scene, time step, end, methods: each until something is in contact
RUNS = [
    ("tunnel", "1/120", 0.05, METHODS),
    ("tunnel", "1/30", 0.1, MORE),
    ("bouncing-ball-mesh", "1/120", 0.6, MORE),
    ("cards", "1/120", 0.1, MORE),
    ("dice-roll", "1/30", 0.3, AIMING),
    ("press", "1/30", 1.1, ["bdf2"]),
    ("pile", "1/30", 0.1, ["backward-euler"]),
    ("splash", "1/30", 0.04, ["backward-euler"]),
]


def main():
    if not os.path.exists(os.environ.get("VISVIVA", "build/visviva")):
        print("test_contact_scenes: skipped: the program is not built")
        return 77
    wrong = []
    quick = SIZE == "quick"
    for scene, step, end, methods in [(scene, step, end, AIMING) for scene, step, end, _ in RUNS[:3]] if quick else RUNS:
        for method in methods:
            run = simulate(scene, method, ["time.step=" + step], end)
            found = faults(run)
            if run.summary and run.summary["min_gap"] is None:
                found.append("nothing came near anything")
            print("%-20s %-6s %-15s %s" % (scene, step, method, "; ".join(found) or "%.1f s" % run.summary["wall"]["total"]), flush=True)
            wrong += ["%s %s %s: %s" % (scene, step, method, f) for f in found]
    for group in ("incline",) if quick else ("incline", "sliding"):
        for row in claims.GROUPS[group](True):
            print("%s, %s: %s (wanted: %s)" % (row["claim"], row["case"], row["measured"], row["wanted"]), flush=True)
            if not row["ok"]:
                wrong.append("%s, %s: %s" % (row["claim"], row["case"], row["measured"]))
    for line in wrong:
        print("test_contact_scenes: " + line)
    print("test_contact_scenes: %d faults" % len(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
