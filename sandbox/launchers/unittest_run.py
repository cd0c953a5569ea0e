"""Trusted launcher of unittest: discovers as `python -m unittest` does, also in plain folders."""

import argparse
import os
import random
import sys
import time
import traceback

import record

record.forget_script_directory()

import unittest  # noqa: E402
from xml.etree import ElementTree  # noqa: E402

SKIP = {".git", ".tox", ".venv", "venv", "node_modules", "build", "dist", "__pycache__"}


class Results(unittest.TestResult):
    """Collects one result a test; a failing sub-test makes its test fail."""

    def __init__(self):
        super().__init__()
        self.found, self._began = {}, {}

    def startTest(self, test):
        super().startTest(test)
        self._began[test.id()] = time.perf_counter()

    def _note(self, test, result, message=""):
        known = self.found.get(test.id())
        if known is None or ORDER.index(result) > ORDER.index(known[0]):
            took = time.perf_counter() - self._began.get(test.id(), time.perf_counter())
            self.found[test.id()] = (result, took, message, file_of(test))

    def addSuccess(self, test):
        self._note(test, "passed")

    def addFailure(self, test, err):
        self._note(test, "failed", text(err))

    def addError(self, test, err):
        self._note(test, "error", text(err))

    def addSkip(self, test, reason):
        self._note(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self._note(test, "xfailed", text(err))

    def addUnexpectedSuccess(self, test):
        self._note(test, "failed", "unexpected success")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._note(test, "failed", text(err))


ORDER = ["passed", "skipped", "xfailed", "failed", "error"]


def text(err):
    return "".join(traceback.format_exception(*err))


def file_of(test):
    module = sys.modules.get(type(test).__module__)
    path = getattr(module, "__file__", None) or ""
    return os.path.relpath(path, record.REPO) if path.startswith(record.REPO + "/") else ""


def start_directories():
    """The repository itself, and each folder with test files that is not a package."""
    found = [record.REPO]
    for folder, folders, files in os.walk(record.REPO):
        folders[:] = sorted(set(folders) - SKIP)
        tests = any(name.startswith("test") and name.endswith(".py") for name in files)
        if folder != record.REPO and tests and "__init__.py" not in files:
            found.append(folder)
    return found


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def discover():
    seen, tests = set(), []
    for start in start_directories():
        loader = unittest.TestLoader()
        for test in each(loader.discover(start, top_level_dir=start)):
            if test.id() not in seen:
                seen.add(test.id())
                tests.append(test)
    return tests


def write_junit(path, found):
    suite = ElementTree.Element("testsuite", name="unittest", tests=str(len(found)))
    for test_id, (result, seconds, message, _) in found.items():
        case = ElementTree.SubElement(suite, "testcase", name=test_id, time="%.6f" % seconds)
        holder = ElementTree.SubElement(case, "properties")
        ElementTree.SubElement(holder, "property", name="patchwright_id", value=test_id)
        tag = {"failed": "failure", "error": "error", "skipped": "skipped"}.get(result)
        if tag:
            ElementTree.SubElement(case, tag, message=printable(message)[-200:])
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def printable(message):
    return "".join(sign if sign.isprintable() else " " for sign in message)


def broken(test):
    return type(test).__name__ in ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("tests", nargs="*")
    asked = parser.parse_args()
    out, dump = record.Record(asked.report), write_junit
    os.chdir(record.REPO)
    record.show_repository()
    tests = discover()
    if asked.tests:
        tests = [test for test in tests if test.id() in set(asked.tests)]
    if asked.seed is not None:
        random.Random(asked.seed).shuffle(tests)
    unloadable = [test for test in tests if broken(test)]
    results = Results()
    unittest.TestSuite(tests).run(results)
    for test in unloadable:
        out.collection_error(test.id(), results.found.pop(test.id(), ("", 0, "", ""))[2])
    for test_id, (result, seconds, message, file) in results.found.items():
        out.case(test_id, result, seconds, message, file)
    dump(os.path.join(asked.report, "junit.xml"), results.found)
    sys.stderr.write(tail(results))
    red = unloadable or any(found[0] in ("failed", "error") for found in results.found.values())
    out.end(2 if unloadable else 1 if red else 0 if results.found else 5)


def tail(results):
    shown = [m for _, (r, _, m, _) in results.found.items() if r in ("failed", "error")]
    return "\n".join(shown)[-8000:] + "\nRan %d tests\n" % results.testsRun


main()
