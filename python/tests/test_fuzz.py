"""A few thousand random calls (fuzz_calls.py); scripts/fuzz-python makes a hundred thousand under the sanitizers."""
import pathlib

from conftest import in_process

FOLDER = pathlib.Path(__file__).parent


def test_random_calls():
    said = in_process(f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import fuzz_calls; fuzz_calls.main(3000, 5)",
                      PYTHONFAULTHANDLER="1")
    assert "3000 calls" in said
