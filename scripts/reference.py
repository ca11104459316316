"""Write docs/reference from the code, so that the pages cannot say anything else.

`python scripts/reference.py` writes; `--check` only compares and exits 1 on a difference.
"""

import argparse
import sys
from pathlib import Path

from json_reference import json_page, schemas_file

from pm_orchestrator.domain.catalogue.error_texts import ERRORS

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def errors_page() -> str:
    """One table: code, what happened, what to do; in English and Japanese."""
    lines = [
        "# Error codes",
        "",
        "Errors go to standard error as `ERROR <code>: what happened` and `HINT: what to do`; "
        "the exit code is 1.",
        "Words in braces are filled in. Written by `make docs`.",
        "",
        "| code | name | what happened | what to do |",
        "| --- | --- | --- | --- |",
    ]
    for slug, text in sorted(ERRORS.items(), key=lambda entry: (entry[1].code, entry[0])):
        what = f"{text.what_en}<br>{text.what_ja}"
        hint = f"{text.hint_en}<br>{text.hint_ja}"
        lines.append(f"| {text.code} | `{slug}` | {what} | {hint} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--into", type=Path, default=REFERENCE, help="another directory")
    options = parser.parse_args()
    check: bool = options.check
    into: Path = options.into
    stale: list[str] = []
    pages = {
        "errors.md": errors_page(),
        "json.md": json_page(),
        "json-schemas.json": schemas_file(),
    }
    for name, page in pages.items():
        path = into / name
        if path.is_file() and path.read_text("utf-8") == page:
            continue
        stale.append(name)
        if not check:
            path.write_text(page, "utf-8")
    if check and stale:
        print(f"out of date, run `make docs`: {', '.join(stale)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
