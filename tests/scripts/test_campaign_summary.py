#!/usr/bin/env python3
"""experiments/campaign/summary: logs become rows, rows tables, and the page has the figures of these; what differs is noticed."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ_LOG = """#2\tINITED cov: 100 ft: 200 corp: 3/9b
#99\tNEW    cov: 2406 ft: 7000 corp: 41/2b lim: 4
Done 1234 runs in 61 second(s)
stat::number_of_executed_units: 1234
stat::slowest_unit_time_sec:    2
stat::peak_rss_mb:              300
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        here = root / "experiments/campaign"
        (here / "results").mkdir(parents=True)
        (root / "docs").mkdir()
        shutil.copy(ROOT / "experiments/campaign/summary", here)
        page = root / "docs/guarantees.md"
        page.write_text("a <!-- figures: forge -->x<!-- end --> b <!-- figures: fuzz -->y<!-- end --> c\n")
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(root)]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)

        def summary(*words):
            done = subprocess.run([sys.executable, str(here / "summary"), *words], capture_output=True, text=True)
            print(done.stderr, end="")
            return done

        log = root / "forge.log"
        results = [{"info": "done", "csv": "refused"}, {"info": "failed", "csv": "did not end"}, None, {"info": "signal 11 in HDF5"}]
        log.write_text("".join(json.dumps({"case": ["soft", "nan", f"/{i}", "-"], "seed": 7, "commit": "abc", "of": 1000, "result": r}) + "\n"
                               for i, r in enumerate(results)))
        (here / "results/fuzz.tsv").write_text("head\nscene\tabc\t1\t60\t1000\t1\t1\t1\t1\t1\t0\t\n")
        assert summary("--forge", str(log)).returncode == 0
        said = "3 forged files and 5 commands on them, of 1,000 files that there are; 1 of them wrong"
        assert said in page.read_text() and "csv: did not end" in (here / "results/forge.md").read_text(), page.read_text()
        assert "; 1 commands ended within the HDF5 library" in page.read_text()
        assert "| nan | 3 | 5 | 1 | 1 | 1 | 1 | 1 |" in (here / "results/forge.md").read_text()
        rows = here / "results/forge.tsv"
        rows.write_text(rows.read_text().replace("did not end", "did not end; mended"))
        assert summary("--forge", str(log)).returncode == 0 and f"{said}, and mended since" in page.read_text(), "the note is lost"

        (root / "fuzz.log").write_text(FUZZ_LOG)
        assert summary("--fuzz", "mesh", "1", str(root / "fuzz.log")).returncode == 0
        assert "2,234 inputs under libFuzzer in 2 minutes, nothing found" in page.read_text(), page.read_text()
        assert "| 61 | 1234 | 2406 | 7000 | 41 | 2 | 300 | 0 |" in (here / "results/fuzz.md").read_text()
        (root / "fuzz.log").write_text(FUZZ_LOG + "==9==ERROR: AddressSanitizer: heap-buffer-overflow\n")
        assert summary("--fuzz", "mesh", "2", str(root / "fuzz.log")).returncode == 0 and "1 of them wrong" in page.read_text()

        assert summary("--check").returncode == 0
        for file in (page, here / "results/forge.md", here / "results/fuzz.md"):
            kept = file.read_text()
            file.write_text(kept.replace("wrong", "right"))
            assert summary("--check").returncode == 1, f"other figures in {file.name} are not noticed"
            file.write_text(kept)


main()
