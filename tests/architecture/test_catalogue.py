"""Every sentence for people is in the catalogue, in both languages, and nowhere else."""

import ast
import importlib
import pkgutil
import re
import string
from pathlib import Path
from typing import cast

import pytest

import pm_orchestrator.domain.catalogue as catalogue
from pm_orchestrator.domain.catalogue.doctor_texts import DoctorText
from pm_orchestrator.domain.text import Sentence
from pm_orchestrator.testing.data.reach import parsed

CLI = Path(__file__).parents[2] / "src" / "pm_orchestrator" / "cli"
PRINTERS = {"line", "aside", "raw"}
# A line to type is the same in every language.
TYPED = re.compile(r"^\s*(?:pm-orchestrator|git) ")
TWO_WORDS = re.compile(r"[A-Za-z]{2,},? +[A-Za-z]{2,}")
JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龠]")


def sentences() -> dict[str, Sentence]:
    """Every `Sentence` of every table in the catalogue, by module and key."""
    found: dict[str, Sentence] = {}
    for module in pkgutil.iter_modules(catalogue.__path__, f"{catalogue.__name__}."):
        for content in vars(importlib.import_module(module.name)).values():
            table = cast("dict[object, object]", content if isinstance(content, dict) else {})
            for key, value in table.items():
                name = f"{module.name.rpartition('.')[2]}:{key}"
                if isinstance(value, Sentence):
                    found[name] = value
                elif isinstance(value, DoctorText):
                    found[name] = value.finding
                    if value.cure is not None:
                        found[f"{name} (cure)"] = value.cure
    return found


SENTENCES = sentences()


def places(text: str) -> set[str]:
    # `{count|file|files}` is a place for `count` too.
    found = (name for _, name, _, _ in string.Formatter().parse(text) if name is not None)
    return {name.partition("|")[0] for name in found}


def differences(sentence: Sentence) -> list[str]:
    """What one language says and the other does not."""
    found = [f"no {lang}" for lang in ("en", "ja") if not getattr(sentence, lang).strip()]
    if places(sentence.en) != places(sentence.ja):
        found.append("other places")
    if JAPANESE.search(sentence.en):
        found.append("Japanese in the English")
    return found


def test_the_tables_are_found() -> None:
    modules = {name.partition(":")[0] for name in SENTENCES}
    assert {"messages", "repl_texts", "doctor_texts", "watch_texts"} <= modules


def test_both_languages_say_the_same() -> None:
    found = {name: differences(sentence) for name, sentence in SENTENCES.items()}
    assert {name: differs for name, differs in found.items() if differs} == {}


def test_a_difference_is_found() -> None:
    assert differences(Sentence("{a}", "{b}")) == ["other places"]
    assert differences(Sentence("x", " ")) == ["no ja"]
    assert differences(Sentence("作成", "作成")) == ["Japanese in the English"]


def literals(source: str) -> list[int]:
    """Lines that hand a sentence straight to the screen."""
    found: list[int] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in PRINTERS:
            texts = [
                part.value
                for argument in node.args
                for part in _constants(argument)
                if isinstance(part.value, str)
            ]
            found += [
                node.lineno for text in texts if TWO_WORDS.search(text) and not TYPED.match(text)
            ]
    return found


def _constants(argument: ast.expr) -> list[ast.Constant]:
    """Constants that are printed as they stand, and not the keys of a call inside."""
    if isinstance(argument, ast.Constant):
        return [argument]
    if isinstance(argument, ast.JoinedStr):
        return [value for value in argument.values if isinstance(value, ast.Constant)]
    if isinstance(argument, ast.BinOp):
        return [*_constants(argument.left), *_constants(argument.right)]
    if isinstance(argument, ast.IfExp):
        return [*_constants(argument.body), *_constants(argument.orelse)]
    return []


def test_no_sentence_is_written_where_it_is_printed() -> None:
    found = {
        f"{path.relative_to(CLI)}:{line}"
        for path in CLI.rglob("*.py")
        for line in literals(path.read_text("utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('screen.line("nothing was found")', [1]),
        ('screen.aside(f"there are {n} files")', [1]),
        ('call.screen.line("[]" if x else "no tasks here")', [1]),
        ('screen.line("  " + say("nothing was found", lang))', []),
        ('screen.line(f"session_id: {x}")', []),
        ('screen.line(f"  pm-orchestrator logs --project {p}")', []),
    ],
)
def test_a_literal_sentence_is_found(source: str, lines: list[int]) -> None:
    assert literals(source) == lines
