#!/usr/bin/env python3
"""The short form of experiments/campaign/faults: what a system may do to a run at a few places of each kind.

$VISVIVA is the program, $VV_BUILD_DIR where campaign_faults lies. Exit code 77 (skipped, with a message) without them.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    library = pathlib.Path(os.environ.get("VV_BUILD_DIR", "")) / "libcampaign_faults.so"
    if not os.environ.get("VISVIVA") or not library.exists():
        print("test_faults: skipped: needs $VISVIVA and libcampaign_faults.so (none in a build with sanitizers)")
        sys.exit(77)
    most = "2" if os.environ.get("VV_TEST_SIZE") == "quick" else "4"
    sys.exit(subprocess.run([sys.executable, str(ROOT / "experiments/campaign/faults"), "--most", most],
                            env=dict(os.environ, CAMPAIGN_PRELOAD=str(library))).returncode)
