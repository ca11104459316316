"""An executor's wish or question, put to the person: what it is about, how an answer is read."""

from collections.abc import Awaitable, Callable

from pm_orchestrator.cli.terminal.paint import Paint
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.text_width import plain_line, wrapped
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.domain.text import Lang

Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]
"""Puts a question with the answers that may be picked; any other answer may be typed."""
INDENT = "  "
QUOTE = f"{INDENT}│ "
YES = ("y", "yes", "はい", "ok")
NO = ("n", "いいえ")


async def permit_by(ask: Ask, screen: Screen, wish: Wish) -> Permit:
    """The person's word about it; whoever types something else says by that why not."""
    lang = screen.lang
    screen.page("\n".join(wish_lines(wish, lang, screen.width())), _paint)
    once, always, no = (tell(f"permit_{key}", lang) for key in ("once", "always", "no"))
    options = (once, always, no) if wish.rules else (once, no)
    answer = (await ask(tell("permit_question", lang), options)).strip()
    said = answer.casefold()
    if said and (once.casefold().startswith(said) or said in YES):
        return Permit(decision="once")
    if said and wish.rules and always.casefold().startswith(said):
        return Permit(decision="always")
    if answer == no:
        answer = (await ask(tell("permit_why_not", lang), ())).strip()
    elif said in NO or no.casefold().startswith(said):
        answer = ""
    return Permit(decision="no", words=answer)


async def pick_by(ask: Ask, screen: Screen, choice: OpenChoice) -> str:
    """What they answer: by its number, in its own words, or in others."""
    labels = tuple(option.label for option in choice.options)
    other = tell("pick_other", screen.lang)
    described = [
        f"{INDENT}{option.label}: {option.description}"
        for option in choice.options
        if option.description
    ]
    if described:
        screen.page("\n".join(described), lambda _: Paint.DIM)
    question = choice.question
    if choice.several:
        question = f"{question} {tell('pick_several', screen.lang)} [{', '.join(labels)}]"
    picked_from = () if choice.several or not labels else (*labels, other)
    answer = (await ask(question, picked_from)).strip()
    if answer == other:
        return (await ask(question, ())).strip()
    if answer.isdecimal() and 0 < int(answer) <= len(labels):
        return labels[int(answer) - 1]
    return answer


def say_allowed(screen: Screen, rules: tuple[str, ...]) -> None:
    """What the settings allow now."""
    screen.aside(tell("permit_kept", screen.lang, rules=", ".join(rules)))


def wish_lines(wish: Wish, lang: Lang, width: int | None) -> list[str]:
    """What it wants to do, with what it would write; and what would allow it for good."""
    page = [INDENT + tell("permit_wish", lang, tool=wish.tool)]
    page += _quoted(wish.preview or (wish.subject,), width)
    if wish.preview and wish.preview[0] != wish.subject:
        page[1:1] = _quoted((wish.subject,), width)
    if wish.why:
        page.append(INDENT + plain_line(wish.why))
    if wish.rules:
        page.append(INDENT + tell("permit_rules", lang, rules=plain_line(", ".join(wish.rules))))
    return page


def _quoted(lines: tuple[str, ...], width: int | None) -> list[str]:
    room = None if width is None else max(20, width - len(QUOTE))
    pieces = [
        piece
        for line in lines
        for piece in ([plain_line(line)] if room is None else wrapped(line, room))
    ]
    return [f"{QUOTE}{piece}".rstrip() for piece in pieces if piece]


def _paint(line: str) -> Paint | None:
    body = line.removeprefix(QUOTE)
    if body == line:
        return None
    return {"+": Paint.GOOD, "-": Paint.BAD}.get(body[:1], Paint.PLACE)
