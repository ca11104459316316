"""What the doctor found, for a person and for a bug report. Pure: findings in, text out."""

import sys
from pathlib import Path

from pm_orchestrator.bootstrap.doctor.cleaning import CleanReport
from pm_orchestrator.bootstrap.doctor.examination import DoctorReport
from pm_orchestrator.bootstrap.doctor.surroundings import Finding
from pm_orchestrator.domain.catalogue.doctor_texts import diagnosis
from pm_orchestrator.domain.record import to_file
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.text import Lang

MARKS = {"ok": "✓", "note": "·", "problem": "✗"}


def doctor_page(report: DoctorReport, lang: Lang) -> str:
    """One line per finding, its cure below it, and the verdict."""
    lines = [line for finding in report.findings for line in finding_lines(finding)]
    problems = sum(finding.level == "problem" for finding in report.findings)
    end = "all_well" if report.well else "not_well"
    return "\n".join([*lines, "", diagnosis(end, lang, count=problems)])


def finding_lines(finding: Finding) -> list[str]:
    """Mark, what, finding; on the next line what to do."""
    line = f"{MARKS[finding.level]} {finding.check}: {finding.finding}"
    return [line] if finding.cure is None else [line, f"    → {finding.cure}"]


def report_page(report: DoctorReport, settings: Settings | None, home: Path, lang: Lang) -> str:
    """Everything somebody else needs to know, without who and where you are."""
    shown = "-" if settings is None else to_file(settings).decode().rstrip()
    page = [
        diagnosis("report_title", lang),
        "",
        f"pm-orchestrator {report.version}",
        f"python {sys.version.split()[0]}",
        report.system,
        "",
        doctor_page(report, lang),
        "",
        "settings:",
        shown,
    ]
    text = "\n".join(page)
    return text if str(home) == "/" else text.replace(str(home), "~")


def clean_page(report: CleanReport, lang: Lang) -> str:
    """What was put in order."""
    lines = [diagnosis("clean_closed", lang, task=task) for task in report.closed_tasks]
    lines += [diagnosis("clean_removed", lang, path=path) for path in report.removed]
    return "\n".join(lines or [diagnosis("clean_nothing", lang)])
