"""The scenes and the methods. Scenes of experiments/visible-energy are taken from there, with their truths."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VISIBLE = os.path.join(ROOT, "experiments", "visible-energy")
sys.path.insert(0, VISIBLE)
import cases as visible  # noqa: E402

STEPS = ["1/30", "1/60", "1/120", "1/240", "1/480", "1/960"]
SHORT_STEPS = STEPS[:4]

# label, as --with has it, what it is called on the page
METHODS = [
    ("backward Euler", "backward-euler"),
    ("BDF2", "bdf2"),
    ("SDIRK2", "sdirk2"),
    ("TR-BDF2", "tr-bdf2"),
    ("trapezoidal", "trapezoidal"),
    ("implicit midpoint with blend", "implicit-midpoint+blend"),
    ("A-search", "backward-euler+search"),
    ("filtered search", "backward-euler+filtered-search"),
    ("BDF2 with project", "bdf2+project"),
    ("XPBD", "backward-euler;solver.method=xpbd"),
    ("local/global", "backward-euler;solver.method=local-global"),
]


class Scene:
    """`starts`: of each point, 8 where motion is chaotic. `until`: s. `truth`: its file."""

    def __init__(self, name, path, until, sets=(), starts=1, truth=None):
        self.name, self.path, self.until, self.starts = name, os.path.relpath(path, ROOT), until, starts
        self.sets = list(sets) + visible.PLAIN
        self.truth = os.path.relpath(truth or os.path.join(HERE, "truths", name + ".json"), ROOT)


def from_visible(name, starts=1, until=None):
    case = visible.BY_NAME[name]
    own = os.path.join(VISIBLE, "scenes", case.scene + ".json")
    path = own if os.path.exists(own) else os.path.join(ROOT, "scenes", case.scene + ".json")
    return Scene(name, path, until or case.until, case.sets, starts, os.path.join(VISIBLE, "truths", name + ".json"))


SCENES = [
    from_visible("coarse-critter"),
    from_visible("ball-soft"),
    from_visible("ball-medium"),
    from_visible("ball-stiff"),
    from_visible("tower", starts=8),
    from_visible("bunny-stairs", until=None, starts=1),
    from_visible("twisted-bar"),
    Scene("cloth-on-ball", os.path.join(ROOT, "scenes", "cloth-on-ball.json"), 1),
    Scene("wrecking-ball", os.path.join(ROOT, "scenes", "wrecking-ball.json"), 1.5, starts=8),
]
BY_NAME = {scene.name: scene for scene in SCENES}
