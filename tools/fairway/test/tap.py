# SPDX-License-Identifier: GPL-2.0
"""Judges what run_kselftest.sh printed.

The kernel's runner ends with status 0 whatever failed, so the text decides.
Each test that it starts prints TAP of its own, which the runner passes on as
comments; those are the results that count.  A test that says nothing, less
than it planned or more, has failed, and so has one that never ran.
"""

import re
from dataclasses import dataclass, field

RESULT = re.compile(r"(not )?ok (\d+)(?:\s+(?:- )?(.*))?$")
PLAN = re.compile(r"1\.\.(\d+)\s*(?:# *(?:SKIP|skip)\s*(.*))?$")
DIRECTIVE = re.compile(r"(.*?)\s*# *(SKIP|TODO|TIMEOUT|exit=)(.*)$", re.IGNORECASE)
NAME = re.compile(r"selftests: (\S+): (\S+)$")

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Result:
    """One claim of one test: "collection: test: claim"."""

    name: str
    outcome: str
    reason: str = ""


@dataclass
class Lines:
    """The TAP lines of one level."""

    plans: list = field(default_factory=list)
    results: list = field(default_factory=list)     # (ok, number, name, directive, text)
    bailed: str = ""

    def feed(self, line):
        if match := PLAN.match(line):
            self.plans.append((int(match[1]), match[2] or ""))
        elif match := RESULT.match(line):
            name, directive, text = match[3] or "", "", ""
            if cut := DIRECTIVE.match(name):
                name, directive, text = cut[1], cut[2].upper(), cut[3].strip(" :")
            self.results.append((not match[1], int(match[2]), name, directive, text))
        elif line.startswith("Bail out!"):
            self.bailed = line

    def complaint(self):
        """Why the level's own count cannot be believed, or None."""
        if self.bailed:
            return self.bailed
        if len(self.plans) != 1:
            return f"{len(self.plans)} plans instead of one"
        numbers = [number for _, number, *_ in self.results]
        if numbers != list(range(1, self.plans[0][0] + 1)):
            return (f"{self.plans[0][0]} results planned, "
                    f"these came: {numbers or 'none'}")
        return None


def judge_test(name, lines, outer):
    """The results of one test from its own lines and the runner's verdict."""
    outer_ok, _, _, directive, text = outer
    skipped_whole = lines.plans and lines.plans[0][0] == 0
    if directive == "SKIP" or (outer_ok and skipped_whole):
        reason = lines.plans[0][1] if lines.plans else ""
        if lines.results or not (skipped_whole and reason):
            return [Result(name, FAILED, "skipped without a plan '1..0 # SKIP reason'")]
        return [Result(name, SKIPPED, reason)]

    results = []
    for ok, _, claim, inner, why in lines.results:
        # A result that is expected to fail (TODO) is not one that passes.
        outcome = PASSED if ok and not inner else FAILED
        if ok and inner == "SKIP":
            outcome, why = SKIPPED, why or claim
        results.append(Result(f"{name}: {claim}", outcome, why))
    if complaint := lines.complaint():
        results.append(Result(name, FAILED, complaint))
    failed = any(result.outcome == FAILED for result in results)
    if not outer_ok and (directive == "TIMEOUT" or not failed):
        results.append(Result(name, FAILED, f"{directive.lower()} {text}".strip()))
    return results


def judge_alone(name, text, ok):
    """Results of one test that ran without the runner; ok: it ended with status 0."""
    lines = Lines()
    for line in text.splitlines():
        lines.feed(line.rstrip("\r"))
    return judge_test(name, lines, (ok, 1, name, "", "ended with a bad status"))


def judge(text, expected):
    """Results of a whole run; expected: the "collection:test" that had to run."""
    outer, inner, results = Lines(), Lines(), []
    seen = []
    for line in text.splitlines():
        line = line.rstrip("\r")
        if line.startswith("# "):
            inner.feed(line[2:])
            continue
        before = len(outer.results)
        outer.feed(line)
        if len(outer.results) == before:
            continue
        verdict = outer.results[-1]
        match = NAME.match(verdict[2])
        name = f"{match[1]}:{match[2]}" if match else verdict[2]
        seen.append(name)
        results += judge_test(name, inner, verdict)
        inner = Lines()

    if inner.plans or inner.results:
        results.append(Result("the last test", FAILED, "it started but never ended"))
    if complaint := outer.complaint():
        results.append(Result("run_kselftest.sh", FAILED, complaint))
    for name in expected:
        if name not in seen:
            results.append(Result(name, FAILED, "it did not run"))
    for name in seen:
        if name not in expected or seen.count(name) > 1:
            results.append(Result(name, FAILED, "it was not asked for, or ran twice"))
    return results


def refuse_skips(results, allowed):
    """Skips outside allowed, a set of (test or claim, reason), become failures."""
    for result in results:
        if result.outcome == SKIPPED and (result.name, result.reason) not in allowed:
            result.outcome = FAILED
            result.reason = f"unexpected skip: {result.reason}"


def summary(results):
    count = {outcome: sum(result.outcome == outcome for result in results)
             for outcome in (PASSED, FAILED, SKIPPED)}
    return ", ".join(f"{number} {outcome}" for outcome, number in count.items())
