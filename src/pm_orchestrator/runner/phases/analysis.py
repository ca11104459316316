"""REQUIREMENT_ANALYSIS: a verifiable task on solid ground, or one question.

Deterministic: no model is asked. Before a token is spent the base commit is
taken in and the project's own gates are run on it once, because a gate that
cannot run on the untouched base could never prove anything.
"""

import re
from pathlib import Path

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.task import TaskType
from pm_orchestrator.gates.detection import detect
from pm_orchestrator.runner.clean_checkout import CleanCheckout
from pm_orchestrator.runner.run_parts import RunParts
from pm_orchestrator.runner.steps import Analysis, RunOrder

EXTENSIONS = (
    "c cc cfg conf cpp cs css csv go h hpp html ini java js json jsx kt lock lua md mjs php proto "
    "ps1 py pyi rb rs rst sass scss sh sql svelte svg swift toml ts tsx txt vue xml yaml yml"
)
FILE_NAME = re.compile(
    r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:" + "|".join(EXTENSIONS.split()) + r"))"
    r"(?![\w/]|\.\w)",
    re.ASCII,
)
# Products that look like files.
PRODUCT = re.compile(
    r"(node|vue|next|nuxt|express|three|d3|react|angular|ember|backbone|chart|p5)\.js",
    re.IGNORECASE,
)
DANGEROUS = re.compile(
    r"\brm\s+-[a-z]*[rf]|\bforce[- ]push|\bpush\s+(--force|-f)\b|\bdrop\s+(table|database)\b"
    r"|\b(wipe|erase|destroy)\b.*\b(disk|database|repository|everything|all)\b"
    r"|\breset\s+--hard\b|\bdelete\s+(all|everything|the\s+(database|repository))\b"
    r"|(全て|すべて|全部|データベース|リポジトリ).{0,6}(削除|消去|破棄)",
    re.IGNORECASE,
)
# Neither a target nor an outcome: the verb alone, or the verb and a pronoun.
VAGUE = re.compile(
    r"^\W*(please\s+)?(fix|change|modify|improve|update|do|make|create|add)"
    r"(\s+(it|this|that|something|stuff|things?))?\W*$"
    r"|^(それ|これ|あれ)?を?(直|修正|変更|改善|作成|追加|更新)(して|する|してください|お願いします)?[。!！]?$",
    re.IGNORECASE,
)
WANTS_TARGET = re.compile(r"\b(create|add|update|make)\b|作成|追加|更新", re.IGNORECASE)


def task_type(instruction: str) -> TaskType:
    """What kind of work is asked for; the dangerous kind is looked for first."""
    return TaskType.DANGEROUS_OP if DANGEROUS.search(instruction) else TaskType.IMPLEMENTATION


def question_for(instruction: str) -> str | None:
    """The slug of the one question to ask, or None when the task can be verified."""
    text = instruction.strip()
    if text and VAGUE.search(text) is None:
        return None
    return "ask_target" if WANTS_TARGET.search(text) else "ask_place"


def files_named(instruction: str) -> tuple[str, ...]:
    """Files the instruction names itself."""
    found: list[str] = FILE_NAME.findall(instruction)
    return tuple(dict.fromkeys(f for f in found if PRODUCT.fullmatch(f) is None))


def refuse_unclear(instruction: str, task: str) -> TaskType:
    """The task type of an instruction that may go on.

    Raises:
        NeedsPersonError: it is vague (E210, with the question) or dangerous.
    """
    kind = task_type(instruction)
    if kind is TaskType.DANGEROUS_OP:
        raise NeedsPersonError("dangerous_instruction", task=task)
    question = question_for(instruction)
    if question is not None:
        raise NeedsPersonError(question)
    return kind


class RequirementAnalysis:
    """The body of the first phase in a company run."""

    def __init__(self, parts: RunParts, checkout: CleanCheckout) -> None:
        self._parts = parts
        self._checkout = checkout

    async def analyse(self, order: RunOrder) -> Analysis:
        """Settle what is asked and what it starts from."""
        kind = refuse_unclear(order.instruction, order.task_id)
        base = await self._parts.repository.import_base(Path(order.project), order.base_ref)

        async def read(path: str) -> bytes | None:
            return await self._parts.repository.read(base, path)

        gates = await detect(read, self._parts.settings.gates)
        return Analysis(
            task_type=kind,
            question=None,
            expected_files=files_named(order.instruction),
            base=base,
            gates=gates,
            preflight=await self._checkout.check(base, gates, label="preflight"),
        )
