"""Trusted launcher of pytest: the runner is imported before the repository can be."""

import os
import random

import record

record.forget_script_directory()

import importlib.util  # noqa: E402

import pytest  # noqa: E402

# What would hide or repeat results is switched off where the plugin that knows the word is there.
NEUTRAL = {
    "xdist": ["-n0"],
    "pytest_rerunfailures": ["--reruns=0"],
    "pytest_cov": ["--no-cov"],
    "pytest_randomly": ["-p", "no:randomly"],
    "pytest_random_order": ["-p", "no:random_order"],
    "flaky": ["-p", "no:flaky"],
}


class Recorder:
    """Notes each test's result and leaves its id in the JUnit report for comparison."""

    def __init__(self, out, tests, seed):
        self._out, self._seed = out, seed
        self._wanted = None if tests is None else frozenset(tests)
        self._open = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self):
        record.show_repository()

    def pytest_collectreport(self, report):
        if report.failed:
            self._out.collection_error(report.nodeid, str(report.longrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        if self._wanted is not None:
            items[:] = [item for item in items if item.nodeid in self._wanted]
        for item in items:
            item.user_properties.append(("patchwright_id", record.plain(item.nodeid)))
        if self._seed is not None:
            self._shuffle(items)

    def _shuffle(self, items):
        """Files in random order and tests in random order within a file."""
        chance, files = random.Random(self._seed), {}
        for item in items:
            files.setdefault(item.nodeid.partition("::")[0], []).append(item)
        names = sorted(files)
        chance.shuffle(names)
        for name in names:
            chance.shuffle(files[name])
        items[:] = [item for name in names for item in files[name]]

    def pytest_runtest_logreport(self, report):
        known = self._open.setdefault(report.nodeid, {"result": "", "seconds": 0.0, "message": ""})
        known["seconds"] += report.duration
        result = outcome(report)
        if rank(result) > rank(known["result"]):
            known["result"] = result
            known["message"] = str(report.longrepr or "") if result != "passed" else ""
        if report.when == "teardown" and not hasattr(report, "context"):
            self._close(report.nodeid)

    def _close(self, nodeid):
        known = self._open.pop(nodeid)
        file = nodeid.partition("::")[0]
        self._out.case(nodeid, known["result"], known["seconds"], known["message"], file)

    def pytest_sessionfinish(self):
        for nodeid in list(self._open):
            self._close(nodeid)


ORDER = ["", "passed", "skipped", "xfailed", "xpassed", "failed", "error"]


def rank(result):
    return ORDER.index(result)


def outcome(report):
    """One phase of one test; a passed set-up or tear-down says nothing yet."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else ("xpassed" if report.when == "call" else "")
    if report.skipped:
        return "skipped"
    return "passed" if report.when == "call" else ""


def arguments(report, tests):
    """The repository's own options stay; what would hide results is overridden."""
    given = [
        "--rootdir=" + record.REPO,
        "--junitxml=" + os.path.join(report, "junit.xml"),
        "-o",
        "junit_family=xunit1",
        "-o",
        "junit_logging=no",
        "-o",
        "cache_dir=/tmp/pytest-cache",
        "--maxfail=0",
        "--tb=short",
        "--color=no",
        "--no-header",
    ]
    for module, options in NEUTRAL.items():
        if importlib.util.find_spec(module) is not None:
            given += options
    return given + sorted({test.partition("::")[0] for test in tests or ()})


def main():
    asked = record.asked()
    out = record.Record(asked.report)
    os.chdir(record.REPO)
    recorder = Recorder(out, asked.tests, asked.seed)
    returned = pytest.main(arguments(asked.report, asked.tests), plugins=[recorder])
    out.end(int(returned))


main()
