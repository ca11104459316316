"""Why a verdict is what it is: sentences looked up by key.

Records carry the key and its parameters, never the sentence, so that a verdict
can be read in either language however long ago it was given.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from pm_orchestrator.domain.text import Lang, Sentence

if TYPE_CHECKING:
    from pm_orchestrator.domain.catalogue.objection import Objected

OTHER_REASONS: dict[str, Sentence] = {
    # COMPLETE
    "all_proved": Sentence(
        "Verified: the Runner saw {count} changed {count|file|files}, and no gate objects.",
        "検証済み: Runner が {count} 件の変更を確認し、ゲートの問題もありません。",
    ),
    "all_settled": Sentence(
        "Verified: the Runner saw {count} changed {count|file|files}. Settled: {settled}.",
        "検証済み: Runner が {count} 件の変更を確認しました。裁定済み: {settled}。",
    ),
    "accepted": Sentence(
        "Accepted by a person, not proved by the Runner: {names}.",
        "承認済み: 人が承認したもので、Runner は証明していません ({names})。",
    ),
    "answer_stored": Sentence(
        "Verified: the answer is stored ({bytes} bytes).",
        "検証済み: 回答が保存されています（{bytes} バイト）。",
    ),
    "asked_gates_passed": Sentence(
        "Verified: the Runner itself ran {runs}, and it passed.",
        "検証済み: Runner 自身が {runs} を実行し、成功しました。",
    ),
    "effects_proved": Sentence(
        "Verified: the Runner saw {effects} and {count} changed {count|file|files}, "
        "and no gate objects.",
        "検証済み: Runner が {effects} と {count} 件の変更を確認し、ゲートの問題もありません。",
    ),
    # beside any verdict
    "no_test_gate": Sentence(
        "No test gate was found: this rests on the files alone.",
        "テストゲートが見つからないため、ファイルの確認だけに基づく結果です。",
    ),
    "gate_not_installed": Sentence(
        "{tool} is set up for this project and not installed here: there was no {gate} gate.",
        "{tool} の設定がありますがインストールされていないため、{gate} ゲートは実行していません。",
    ),
    # what a person should know besides
    "uncommitted_left_out": Sentence(
        "This run starts from a commit; your uncommitted files ({count}) are not part of it: "
        "{files}.",
        "未コミットのファイル（{count} 件）はこの実行に含まれません。コミットから開始します: "
        "{files}。",
    ),
    "fewer_workers": Sentence(
        "{count} workers instead of {asked}: parallel_limits.executors of the settings allows "
        "no more.",
        "作業者は {asked} ではなく {count} です。設定の parallel_limits.executors が上限です。",
    ),
    "older_evidence_damaged": Sentence(
        "Older evidence is damaged ({count} problems, the first in {first}); "
        "`pm-orchestrator evidence verify` lists it.",
        "以前の証跡に破損があります（{count} 件、最初は {first}）。"
        "`pm-orchestrator evidence verify` で確認できます。",
    ),
    "changed_since": Sentence(
        "Not as it was when it was judged: {files}.",
        "判定後に変わったファイルがあります: {files}。",
    ),
    # what is left to do
    "export_left": Sentence(
        "the branches did not get into your repository: {why}.",
        "ブランチをリポジトリに取り込めませんでした: {why}。",
    ),
    "push_left": Sentence(
        "git push {remote} {branch} did not work: {why}.",
        "git push {remote} {branch} に失敗しました: {why}。",
    ),
    "merge_left": Sentence(
        "it was not merged into {branch}: {why}.",
        "{branch} にマージしていません: {why}。",
    ),
    # Claims
    "claim_taken_down": Sentence(
        "The claim was taken down; it decides nothing.",
        "主張を記録しました。判定には使用しません。",
    ),
    "claim_speculative": Sentence(
        "The claim only supposes that the work is done: “{words}”.",
        "完了を推測しているだけの主張です:「{words}」。",
    ),
}


def known_reason(key: str | None) -> None:
    """Refuse a record with a reason nobody can read out.

    Raises:
        ValueError: which a strict reader turns into a malformed record.
    """
    if key is not None and key not in OTHER_REASONS and key not in objections():
        message = f"unknown reason {key!r}"
        raise ValueError(message)


def known_objection(key: str) -> None:
    """Refuse a reason against COMPLETE that nobody could do anything about.

    Raises:
        LookupError: it is not among those that have a cure.
    """
    if key not in objections():
        message = f"{key!r} is no reason against COMPLETE: it has no cure"
        raise LookupError(message)


def reason_text(key: str, params: Mapping[str, str], lang: Lang) -> str:
    """The sentence for `key`."""
    return (OTHER_REASONS.get(key) or all_reasons()[key]).say(lang, **params)


@cache
def objections() -> "dict[str, Objected]":
    """All that can keep work from being COMPLETE; each has its cure, and most work needs none."""
    from pm_orchestrator.domain.catalogue.gate_objections import GATE_OBJECTIONS
    from pm_orchestrator.domain.catalogue.work_objections import WORK_OBJECTIONS

    return {**WORK_OBJECTIONS, **GATE_OBJECTIONS}


@cache
def all_reasons() -> dict[str, Sentence]:
    """Every sentence there is about a verdict."""
    return {**{key: one.why for key, one in objections().items()}, **OTHER_REASONS}
