"""Every scene with every method and time step: no intersections, no inversions, finite numbers."""
from common import faults, simulate, table

# those of the A-search paper and what it compares itself with
METHODS = ("backward-euler", "bdf2", "a1", "search")

# scene: (end of the runs at 1/30 and 1/120 s, at 1/1000 s), s; at 1/1000 s until shortly after the first contacts. A-search at
# 1/120 s, the scenes' own step, runs to the scene's own end.
SCENES = {
    "tunnel": (0.2, 0.05),
    "bouncing-ball-mesh": (3, 0.7),
    "cards": (1, 0.2),
    "press": (2, 1.1),
    "dice-roll": (2, 0.28),
    "pile": (1, 0.2),
    "bunny-stairs": (1, 0.3),
    "splash": (0.6, 0.24),
}
STEPS = {"1/30": 0, "1/120": 0, "1/1000": 1}


def one(scene, method, step, quick, threads):
    end = 0.1 if quick else None if (step, method) == ("1/120", "search") else SCENES[scene][STEPS[step]]
    run = simulate(scene, method, ["time.step=" + step], end, threads=threads)
    row = {"scene": scene, "method": method, "step": step, "faults": faults(run), "cpu_seconds": run.cpu}
    if run.summary:
        s = run.summary
        row.update(
            end=s["time_end"], steps=s["steps"], phases=s["wall"]["phases"], newton=s["newton_iterations"],
            solves=s["linear_solves"], failed_steps=s["failed_steps"], min_gap=s["min_gap"], min_J=s["min_J"],
            energy_scale=s["energy"]["scale"], mean_target_error=s["energy"]["mean_target_error"],
            numerical_error=s["energy"]["numerical_error"], peak_memory_bytes=s["peak_memory_bytes"])
    return row


def all_rows(only, quick, threads, done):
    """`done` is called with each row as it comes."""
    for scene in SCENES:
        if only and scene not in only:
            continue
        for step in STEPS:
            for method in METHODS:
                done(one(scene, method, step, quick, threads))


def ordered(rows):
    """As the tables above have them."""
    places = [list(SCENES), list(STEPS), list(METHODS)]
    return sorted(rows, key=lambda row: [place.index(row[k]) for place, k in zip(places, ("scene", "step", "method"))])


def markdown(rows):
    def cells(row):
        if "end" not in row:
            return [row["scene"], row["step"], row["method"], "", "", "", "", "", "; ".join(row["faults"]), row["date"]]
        return [row["scene"], row["step"], row["method"], "%.3g" % row["end"], row["newton"], "%.1f" % row["cpu_seconds"],
                "%.2g" % (1e3 * row["min_gap"]) if row["min_gap"] is not None else "",
                "%.2g" % row["min_J"] if row["min_J"] is not None else "", "; ".join(row["faults"]) or "none",
                row["date"]]
    return table(["scene", "h", "method", "end (s)", "Newton iterations", "processor time (s)", "smallest gap (mm)", "smallest J", "faults", "on"],
                 [cells(row) for row in ordered(rows)])
