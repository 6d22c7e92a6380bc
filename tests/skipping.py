"""A test program whose every test was skipped says so: exit status 77, which ctest counts as skipped."""
import sys
import unittest


def main():
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if result.testsRun > 0 and len(result.skipped) == result.testsRun else 0)
