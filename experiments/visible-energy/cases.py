"""The scenes: how each is run, and by which of the criteria it is judged.

`scene`: a file of `scenes/` here, else of the repository's. `until`: the end of its runs (s); None: half a second after the first contact.
"""

# what A-search can aim at besides conserving: off, so that truth and all methods do the same
PLAIN = ["integrator.decay_time=null", "integrator.start_fraction=1"]
METHODS = ["none", "search", "filtered-search"]
OURS = "filtered-search"


class Case:
    """`factor`: how far the visible energy may be from truth's. `turns`: of the first body, least and most. `apexes`: of a single ball,
    lowest and highest, m; "truth": truth's own. `tops`: bodies whose first apexes are compared, True: all. `touches`: when the first
    contact is known (s). `starts`: most starts of the truth, where eight would take too long. `long`: it takes 10,000 steps, too.
    `file_end`: what the scene's own end was when results were first kept (s), where it has changed since: they are found by it. No run goes
    there, all end at `until`."""

    def __init__(self, name, scene, step, until, sets=(), contact=True, factor=None, turns=None, apexes=None, tops=True, touches=None, starts=8,
                 long=True, file_end=None):
        self.name, self.scene, self.step, self.until, self.sets = name, scene, step, until, list(sets)
        self.contact, self.factor, self.turns, self.apexes, self.tops = contact, factor, turns, apexes, tops
        self.touches, self.starts, self.long, self.file_end = touches, starts, long, file_end


CASES = [
    # those that docs/integrators.md compares with the truth
    Case("coarse-critter", "critter-drop", 1 / 120, 2, ["bodies[0].mesh.critter.edge=0.0178"], factor=1.8),
    Case("twisted-bar", "twisted-bar", 1 / 30, 4, contact=False, factor=1.5),
    Case("ball-soft", "bouncing-ball", 1 / 120, 10, apexes=("truth", 1.034)),
    Case("ball-medium", "bouncing-ball-medium", 1 / 120, 10, apexes=(1.015, 1.034)),
    Case("ball-stiff", "bouncing-ball-stiff", 1 / 120, 10, apexes=(1.015, 1.034)),
    Case("cube-soft", "rotating-cube", 1 / 30, 10, contact=False, turns=(21, 26)),
    Case("cube-stiff", "rotating-cube-stiff", 1 / 30, 10, contact=False, turns=(22, 26)),
    Case("stretching-bar", "stretching-bar", 0.033, 13.2, contact=False),
    Case("free-spin", "free-spin", 1 / 60, 50, contact=False),
    Case("critter", "critter-drop", 1 / 120, 2, long=False),
    # of our own choice
    Case("free-pair", "free-pair", 1 / 120, 2),
    Case("free-pair-rough", "free-pair", 1 / 120, 2, ["contact.friction=0.3"], long=False),
    Case("two-balls", "two-balls", 1 / 120, 2, tops=[1]),
    Case("incline-stop", "incline-stop", 1 / 120, 2, tops=False),
    Case("incline-drop", "incline-drop", 1 / 120, 2),
    Case("folding-ring", "folding-ring", 1 / 120, 2),
    Case("hanging-pair", "hanging-pair", 1 / 120, 2, tops=False),
    Case("dragged", "dragged", 1 / 120, 2, tops=False),
    Case("pusher", "pusher", 1 / 120, 2, tops=False),
    Case("carried-ball", "carried-ball", 1 / 120, 2),
    Case("tower", "tower", 1 / 120, 1.5),
    # the long ones
    Case("dice-roll", "dice-roll", 1 / 120, None, long=False),
    Case("bunny-stairs", "bunny-stairs", 1 / 120, None, starts=4, long=False),
    Case("pile", "pile", 1 / 120, None, starts=2, long=False, file_end=3),
    # its cubes touch from the start: the critter above them falls 23 cm first
    Case("splash", "splash", 1 / 120, None, tops=[0], touches=0.219, starts=2, long=False),
]
BY_NAME = {case.name: case for case in CASES}
