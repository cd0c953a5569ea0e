"""Trusted launcher of unittest: discovers as `python -m unittest` does, also in plain folders."""

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
    """Collects one result a test; a failing sub-test makes its test fail, and what goes wrong in
    the set-up or tear-down of a class or module is the result of each of its tests."""

    def __init__(self, tests):
        super().__init__()
        self.found, self._began = {}, {}
        self._held = {}
        for test in tests:
            for name in (unittest.util.strclass(type(test)), type(test).__module__):
                self._held.setdefault(name, []).append(test)

    def startTest(self, test):
        super().startTest(test)
        self._began[test.id()] = time.perf_counter()

    def _note(self, test, result, message=""):
        whole = test.id().partition(" (")[2].rstrip(")")
        held = self._held.get(whole) if isinstance(test, unittest.suite._ErrorHolder) else None
        for one in held or [test]:
            self._note_one(one, result, str(message))

    def _note_one(self, test, result, message):
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
    """The repository itself, and each folder that is no package and holds test files, be it in
    packages below it."""
    found = {record.REPO: None}
    for folder, folders, files in os.walk(record.REPO):
        folders[:] = sorted(set(folders) - SKIP)
        if any(name.startswith("test") and name.endswith(".py") for name in files):
            found[import_root(folder)] = None
    return list(found)


def import_root(folder):
    while folder != record.REPO and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def discover(out):
    seen, tests = set(), []
    for start in start_directories():
        loader = unittest.TestLoader()
        try:
            found = list(each(loader.discover(start, top_level_dir=start)))
        except ImportError as error:  # two test files of one name in folders that are no packages
            out.collection_error(os.path.relpath(start, record.REPO), str(error))
            continue
        for test in found:
            if test.id() not in seen:
                seen.add(test.id())
                tests.append(test)
    return tests


def shuffle(tests, seed):
    """Modules, classes and tests in random order, each whole: a set-up still runs once."""
    chance, places = random.Random(seed), {}

    def place(test):
        module, name = type(test).__module__, unittest.util.strclass(type(test))
        return [places.setdefault(key, chance.random()) for key in (module, name, test.id())]

    return sorted(tests, key=place)


def write_junit(path, found):
    suite = ElementTree.Element("testsuite", name="unittest", tests=str(len(found)))
    for test_id, (result, seconds, message, _) in found.items():
        plain = record.plain(test_id)
        case = ElementTree.SubElement(suite, "testcase", name=plain, time="%.6f" % seconds)
        holder = ElementTree.SubElement(case, "properties")
        ElementTree.SubElement(holder, "property", name="patchwright_id", value=plain)
        tag = {"failed": "failure", "error": "error", "skipped": "skipped"}.get(result)
        if tag:
            ElementTree.SubElement(case, tag, message=printable(message)[-200:])
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def printable(message):
    return "".join(sign if sign.isprintable() else " " for sign in message)


def broken(test):
    return type(test).__name__ in ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure")


def main():
    asked = record.asked()
    out, dump = record.Record(asked.report), write_junit
    os.chdir(record.REPO)
    record.show_repository()
    tests = discover(out)
    if asked.tests is not None:
        wanted = frozenset(asked.tests)
        tests = [test for test in tests if test.id() in wanted]
    if asked.seed is not None:
        tests = shuffle(tests, asked.seed)
    unloadable = [test for test in tests if broken(test)]
    results = Results(tests)
    unittest.TestSuite(tests).run(results)
    for test in unloadable:
        out.collection_error(test.id(), results.found.pop(test.id(), ("", 0, "", ""))[2])
    for test_id, (result, seconds, message, file) in results.found.items():
        out.case(test_id, result, seconds, message, file)
    dump(os.path.join(asked.report, "junit.xml"), results.found)
    os.write(2, tail(results).encode("utf-8", "backslashreplace"))
    red = unloadable or any(found[0] in ("failed", "error") for found in results.found.values())
    out.end(2 if unloadable else 1 if red else 0 if results.found else 5)


def tail(results):
    shown = [m for _, (r, _, m, _) in results.found.items() if r in ("failed", "error")]
    return "\n".join(shown)[-8000:] + "\nRan %d tests\n" % results.testsRun


main()
