"""Results in JUnit's form, whoever wrote them, and files that only look like it."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.reporters.junit_files import junit_lines
from pm_orchestrator.gates.judge.runner_reports import read_report

RESULTS = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="CalcTest" tests="4" failures="1" errors="1" skipped="1">
  <testcase name="adds" classname="demo.CalcTest"><system-out>error</system-out></testcase>
  <testcase name="subtracts" classname="demo.CalcTest"><failure>no</failure></testcase>
  <testcase name="breaks"><error/></testcase>
  <testcase name="later" classname="demo.CalcTest"><skipped/></testcase>
</testsuite></testsuites>
"""
BOMB = (
    '<!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y "&x;&x;">]>'
    '<testsuite><testcase name="&y;"/></testsuite>'
)


def test_each_test_is_read(tmp_path: Path) -> None:
    (tmp_path / "build/reports").mkdir(parents=True)
    (tmp_path / "build/reports/TEST-demo.xml").write_text(RESULTS, encoding="utf-8")
    (tmp_path / "pom.xml").write_text("<project/>", encoding="utf-8")
    report = read_report(junit_lines(tmp_path))
    assert report is not None
    assert report.passed == {"demo.CalcTest > adds"}
    assert report.failed == ("demo.CalcTest > subtracts", "breaks")
    assert report.whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<coverage/>",
        "<project><testcase name='x'><failure/></testcase></project>",
        RESULTS[:300],
        BOMB,
        "<testsuite/>",
    ],
)
def test_what_is_no_such_file_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "some.xml").write_text(text, encoding="utf-8")
    assert junit_lines(tmp_path) == b""


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text(RESULTS, encoding="utf-8")
    (tmp_path / "written").mkdir()
    (tmp_path / "written/link.xml").symlink_to(outside)
    os.mkfifo(tmp_path / "written/pipe.xml")
    (tmp_path / "written/folder.xml").mkdir()
    assert junit_lines(tmp_path / "written") == b""
