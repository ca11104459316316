"""Names of code that are to come, and others that are only spoken of."""

import pytest

from pm_orchestrator.runner.instructions.stated.named_code import is_named_in, named_code


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Add a method peek() to Queue in lib/queue.js, plus a test", "peek"),
        ("Add a method `clear` to Queue", "clear"),
        ("Add a method peek() which returns the first item (undefined if empty)", "peek"),
        ("Add textkit.title(text), capitalising each word. Test included.", "title"),
        ("Write dates/calendar.py with week_number(year, month, day) (ISO week)", "week_number"),
        ("Please implement `Stock.reserve(name, count)` and `Stock.release()`", "reserve release"),
        ("Add a `--json` flag to the report command", "--json"),
        ("Can you add an option --dry-run to scripts/deploy.sh?", "--dry-run"),
        ("The cart should get rounding. Add a function round_up() for it.", "round_up"),
        ("Create a class called `RateLimiter`", "RateLimiter"),
        ("Add geo/polygon.py with perimeter(points) for a polygon and a test", "perimeter"),
        ("Queueにpeek()メソッドを追加してください", "peek"),
        ("`--json` オプションを追加して", "--json"),
        ("関数 `total` を実装してください", "total"),
        ("textkit.pyに title(text) と initials(text) を追加してください", "title initials"),
    ],
)
def test_names_that_are_to_come(instruction: str, names: str) -> None:
    assert named_code(instruction) == tuple(names.split())


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a test for peek()",
        "Add tests for `slugify()` and `truncate()`",
        "Add a docstring to `slug()`",
        "Add a `peek()` example to the README",
        "Add caching to `load()`",
        "Add an optional argument to total()",
        "Fix peek() in lib/queue.js",
        "Add something like peek() or first()",
        "Add a method peek() or first(), whichever fits",
        "Add a way to look at the first item, e.g. a method peek()",
        "Don't add a method peek()",
        "Add logging wherever `save()` is called",
        "Remove the flag `--json`",
        "Create docs/api.md",
        "If nobody has it yet, add a method peek()",
        "Add a section on `--json` to the guide",
        "Write a CONTRIBUTING.md",
        "peek() のテストを追加してください",
        "peek() は追加しないでください",
        "`load()` にキャッシュを追加してください",
    ],
)
def test_names_that_are_only_spoken_of(instruction: str) -> None:
    assert named_code(instruction) == ()


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("peek", "  peek() {", True),
        ("peek", "  peekFirst() {", False),
        ("--dry-run", "dry_run=False", True),
        ("--dry-run", "dryRun: boolean", True),
        ("--dry-run", "run", False),
        ("total", "def subtotal():", False),
    ],
)
def test_where_a_name_stands(name: str, text: str, *, there: bool) -> None:
    assert is_named_in(name, text) is there
