"""What an instruction means for the checks."""

import pytest

from pm_orchestrator.gates.compare.purpose import Purpose, added_lines, moved_in

GREET = "def test_greet():\n    assert greet('you') == 'Hello, you!'"
ADD = "def test_add():\n    assert calc.add(1, 2) == 3"
KNOWN = f"tests/test_calc.py {GREET} {ADD}"


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a function mul to calc.py",
        "Please add a --version flag, and document it in the README",
        "Implement mul and add tests for it",
        "Create a module for parsing that returns numbers",
        "calc.py に mul を追加してください",
        "stamp.sh の日付を省略したら今日の日付を使うようにしてください",
    ],
)
def test_who_only_adds_changes_nothing(instruction: str) -> None:
    assert Purpose(instruction).only_adds


@pytest.mark.parametrize(
    "instruction",
    [
        "Change greet so that it says 'Hi'",
        "Add mul and rename add to plus",
        "Make div round half up",
        "greet should be polite",
        "Use decimal in calc.py instead of floats",
        "calc.py の挨拶を変更してください",
        "mul を追加し、add を plus に改名して",
        "名前を大文字で返すようにしてください",
        "日付を省略したら今日にして、区切りは下線に変更してください",
    ],
)
def test_who_changes_does_not_only_add(instruction: str) -> None:
    assert not Purpose(instruction).only_adds


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("Add a function mul to calc.py, with tests", True),
        ("Implement mul and write unit tests", True),
        ("Add mul and a regression test for it", True),
        ("mul を追加し、テストも書いてください", True),
        ("mul を追加して。テストも追加", True),
        ("Add mul", False),
        ("Fix div without tests", False),
        ("Make the tests pass", False),
        ("Put a licence line on top of every .js file in lib/ and test/", False),
        ("Add the header to src and tests/test_a.py", False),
        ("Add mul and make sure the tests pass", False),
        ("テストを実行して", False),
    ],
)
def test_tests_are_wanted_where_they_are_to_be_made(instruction: str, wanted: bool) -> None:
    assert Purpose(instruction).wants_tests is wanted


@pytest.mark.parametrize(
    ("instruction", "mends"),
    [
        ("The expectation of test_half is wrong", True),
        ("Update the snapshots", True),
        ("test_login is flaky, skip it", True),
        ("test_half の期待値が間違っているので直して", True),
        ("古いテストを直してください", True),
        ("Fix the failing test", False),
        ("Fix div", False),
        ("Make test_half pass", False),
    ],
)
def test_a_check_may_be_what_is_wrong(instruction: str, mends: bool) -> None:
    assert Purpose(instruction).mends_checks is mends


@pytest.mark.parametrize(
    ("instruction", "test", "text", "about"),
    [
        ("Change greet so that it says 'Hi'", "test_greet", GREET, True),
        ("Change greet in calc.py to be polite", "test_add", ADD, False),
        ("Let `add` return a string", "test_add", ADD, True),
        ("Rewrite calc.py to use decimals", "test_add", ADD, True),
        ("挨拶を丁寧にして", "test_greet", GREET, True),
        ("Make the parser faster", "test_add", ADD, False),
        ("In the folder calc/greet, let `add` return text", "test_greet", GREET, False),
    ],
)
def test_a_test_is_known_by_what_is_named(
    instruction: str, test: str, text: str, about: bool
) -> None:
    assert Purpose(instruction).is_about(test, text, KNOWN) is about


def test_a_value_may_be_given_by_the_instruction() -> None:
    added = added_lines(["a\nassert price(2.5) == 2"], ["a\nassert price(2.5) == 3", None])
    assert added == "assert price(2.5) == 3"
    assert Purpose("price(2.5) must be 3, not 2").gives_value(added)
    assert not Purpose("price must round up").gives_value(added)
    assert not Purpose("Raise the limit to 30").gives_value(added)


@pytest.mark.parametrize(
    ("instruction", "left_out"),
    [
        ("Let npm test run only the files in test/unit; the slow ones get test:slow", True),
        ("pytest should just collect test/unit/", True),
        ("npm testではtest/unitのテストだけ実行するようにして", True),
        ("Let npm test run only test/slow", False),
        # Once, nowhere in particular, or not at all.
        ("Run only the tests in test/unit", False),
        ("Let npm test run only the fast tests", False),
        ("Do not let npm test run only test/unit", False),
        ("Make npm test faster. Only change test/unit/a.test.js", False),
        # A folder, where there is one of that name.
        ("make test takes too long. Let it run the unit tests only", True),
        ("make testではunitのテストだけ走らせて", True),
        ("Let it run the unit tests only", False),
        ("make test takes too long. Let it run the quick tests only", False),
    ],
)
def test_a_gate_may_be_told_where_to_look(instruction: str, *, left_out: bool) -> None:
    known = "Makefile\ntest:\n\tnode --test test/unit test/slow\n"
    assert Purpose(instruction).leaves_out("test/slow/b.test.js", known) is left_out
    assert not Purpose(instruction).leaves_out("test/unit/a.test.js", known) or not left_out


@pytest.mark.parametrize(
    ("instruction", "elsewhere"),
    [
        ("Skip test_wrap on Windows for now", True),
        ("test_wrap is flaky on Windows. Skip it there for the time being.", True),
        ("test_wrapはWindowsではスキップしてください", True),
        ("Skip test_wrap for now", False),
        ("Skip the Windows tests", False),
        ("wrap breaks lines at the wrong place on Windows, fix it", False),
    ],
)
def test_what_is_left_out_elsewhere_is_run_here(instruction: str, *, elsewhere: bool) -> None:
    assert Purpose(instruction).leaves_out_elsewhere is elsewhere


@pytest.mark.parametrize(
    ("instruction", "alone"),
    [
        ("Add a test for slugify with underscores; run the build first", True),
        ("Please write more unit tests for wrap", True),
        ("slugifyのテストを追加してください", True),
        ("slugify should keep underscores, with a test", False),
        ("slugifyが下線を残すようにして、テストも追加して", False),
    ],
)
def test_tests_may_be_all_that_is_to_be_made(instruction: str, *, alone: bool) -> None:
    assert Purpose(instruction).makes_tests_alone is alone


@pytest.mark.parametrize(
    ("instruction", "repairs"),
    [
        ("Change the total to include tax, and fix the tests accordingly", False),
        ("合計を税込みに変更して、テストも直してください", False),
        ("在庫切れの扱いを変更し、既存のテストも修正して", False),
        ("Fix the tests", True),
        ("Fix div, and fix the tests", True),
        ("テストを直して", True),
        ("丸めの誤りを修正して、テストも直して", True),
        ("Upgrade the parser and fix the failing tests", True),
    ],
)
def test_tests_that_follow_a_change_make_it_no_repair(instruction: str, *, repairs: bool) -> None:
    assert Purpose(instruction).repairs is repairs


@pytest.mark.parametrize(
    ("instruction", "renamed"),
    [
        ("Rename count_words to word_count", True),
        ("Please rename the function `count_words()` to `word_count` and update all callers", True),
        ("count_wordsをword_countに改名してください。呼び出し側とテストも更新して", True),
        ("Rename count_words to word_count and let it skip numbers", False),
        ("count_wordsをword_countに改名し、数字は数えないようにして", False),
        ("Rename tests/a.py to tests/b.py", False),
        ("Rename other_name to another", False),
    ],
)
def test_only_a_new_name(instruction: str, *, renamed: bool) -> None:
    old = "def test_count_words():\n    assert count_words('a b') == 2\n"
    new = b"def test_count_words():\n    assert word_count('a b') == 2\n"
    assert Purpose(instruction).renamed_in({"t.py": old, "u.py": "x = 1\n"}) == (
        {"t.py": new} if renamed else {}
    )


@pytest.mark.parametrize(
    ("instruction", "mends"),
    [
        ("test_days is red. April has 30 days, so months.py is right. Correct the test.", True),
        ("The code is fine, please fix the test", True),
        ("コードは正しいので、テストを直してください", True),
        ("test_days is red, please correct the test", False),
        ("Make sure the code is correct, the test is red", False),
        ("The function is not right, the test shows it", False),
        ("コードが正しいか確認して、落ちるテストを直してください", False),
    ],
)
def test_who_says_that_the_code_is_right_means_the_check(instruction: str, *, mends: bool) -> None:
    assert Purpose(instruction).mends_checks is mends


def test_old_tests_follow_what_was_moved() -> None:
    texts = {"tests/case.sh": ". bin/a.sh\nls bin/\n", "tests/other.sh": "cabin/a.sh\n"}
    moved = {"bin/a.sh": "scripts/a.sh", "bin/b.sh": "scripts/b.sh"}
    assert moved_in(texts, moved) == {"tests/case.sh": b". scripts/a.sh\nls scripts/\n"}
    apart = {"bin/a.sh": "scripts/a.sh", "bin/b.sh": "tools/b.sh"}
    assert moved_in(texts, apart) == {"tests/case.sh": b". scripts/a.sh\nls bin/\n"}
    assert moved_in(texts, {}) == {}


@pytest.mark.parametrize(
    ("instruction", "moves"),
    [
        ("move bin/*.sh to scripts/ and fix all references", True),
        ("bin を scripts に移動してください", True),
        ("Add scripts/a.sh", False),
    ],
)
def test_a_move_is_known(instruction: str, *, moves: bool) -> None:
    assert Purpose(instruction).moves is moves
