"""Could anything be asked, or is a question one of a few that have names?

Status codes, countries and kinds are few, and whoever maps them writes a table. Texts, amounts
and lists are without number, and who has a table of these has only what the tests ask.
"""

from collections.abc import Collection, Iterable

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.answers.source import YES_OR_NO

A_NAME = LatePattern(r"(?!\d)[\w./:+#-]{2,30}")
A_TITLE = LatePattern(r"[A-Z][\w'-]*(?: (?:of |the |and )*[A-Z][\w'-]*){1,4}")
ANY_NUMBER = frozenset({"n", "num", "number", "numbers", "nums", "x", "a", "b", "year", "amount"})
"""What a parameter is called that may be any number."""
CODE_LENGTH = 3


def is_open(asked: Iterable[str], answer: str) -> bool:
    """Whether a question has the looks of one among endlessly many."""
    values = list(asked)
    numbers = [value for value in values if value.startswith("n:")]
    if len(numbers) > 1 or (numbers and len(values) > 1):
        return True
    return any(_is_any(value, answer) for value in values)


def _is_any(value: str, answer: str) -> bool:
    text = value[2:]
    if value.startswith("n:"):
        return "." in text or (answer.startswith("s:") and text in answer[2:])
    if not value.startswith("s:") or A_NAME.fullmatch(text):
        return value.startswith("g:") or _is_turned(text, answer)
    same = _letters(text) == _letters(answer[2:])
    return same or A_TITLE.fullmatch(text) is None


def _is_turned(text: str, answer: str) -> bool:
    """`abc` and `cba`: the same letters, in another order."""
    letters, given = _letters(text), _letters(answer[2:])
    return letters != given and sorted(letters) == sorted(given) and len(letters) > 2


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def is_scattered(values: Collection[str]) -> bool:
    """Whether numbers are neither counted through nor all codes of one length."""
    numbers = sorted({value[2:] for value in values if value.startswith("n:")}, key=_size)
    if not numbers or len(numbers) < len(values):
        return False
    lengths = {len(number) for number in numbers}
    if len(lengths) == 1 and min(lengths) >= CODE_LENGTH and len(numbers) > 1:
        return False
    first, last = _size(numbers[0]), _size(numbers[-1])
    return not (len(numbers) > 1 and last - first == len(numbers) - 1)


def are_computed(answers: Collection[str]) -> bool:
    """Whether all answers are numbers, or a yes or no."""
    return all(answer.startswith("n:") or answer in YES_OR_NO for answer in answers)


def is_a_name(value: str) -> bool:
    """Whether a value may be a word of somebody's own."""
    return value.startswith("s:") and A_NAME.fullmatch(value[2:]) is not None


def follows(answer: str, given: Collection[str]) -> bool:
    """Whether an answer can be had from what a test put in: by looking, adding or multiplying."""
    if answer.startswith(("s:", "g:")):
        words = [value[2:] for value in given if value.startswith("s:") and len(value) > 3]
        return any(word in answer for word in words)
    if not answer.startswith("n:"):
        return False
    wanted = _size(answer[2:])
    numbers = sorted({_size(value[2:]) for value in given if value.startswith("n:")})[:24]
    products = [one * other for one in numbers for other in numbers]
    sums = [one + other for one in (*numbers, *products) for other in (*numbers, *products)]
    return any(abs(wanted - one) < 1e-9 for one in (*numbers, *products, *sums, sum(numbers)))


def _size(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
