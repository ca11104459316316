"""Why a verdict is what it is: sentences looked up by key.

Records carry the key and its parameters, never the sentence, so that a verdict
can be read in either language however long ago it was given.
"""

from collections.abc import Mapping

from pm_orchestrator.domain.text import Lang, Sentence

REASONS: dict[str, Sentence] = {
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
    # NO_EVIDENCE
    "evidence_missing": Sentence(
        "There is no intact evidence for: {operations}.",
        "次の操作の有効な証跡がありません: {operations}。",
    ),
    # INCOMPLETE: the delivery
    "nothing_delivered": Sentence(
        "Nothing was delivered: no new commit builds on the base.",
        "成果物がありません: 起点に続く新しいコミットがありません。",
    ),
    "nothing_changed": Sentence(
        "Nothing was changed: the delivered tree is the same as before.",
        "変更がありません: 納品されたツリーは作業前と同じです。",
    ),
    "files_missing": Sentence(
        "Not in the delivered tree: {files}.",
        "納品されたツリーに存在しません: {files}。",
    ),
    "files_left_alone": Sentence(
        "To be deleted or moved, but still there: {files}.",
        "削除または移動の対象ですが、まだ残っています: {files}。",
    ),
    "files_unchanged": Sentence(
        "What the task is about was not changed: {files}.",
        "タスクの対象が変更されていません: {files}。",
    ),
    "secrets_delivered": Sentence(
        "The work puts what looks like a key into a file, and nothing was pushed: {places}. "
        "Take it out and renew the key, or accept it.",
        "鍵と思われる値がファイルに書き込まれました（プッシュはしていません）: {places}。"
        "取り除いて鍵を更新するか、承認してください。",
    ),
    "files_empty": Sentence(
        "Empty, although content was asked for: {files}.",
        "内容が求められていますが空です: {files}。",
    ),
    "only_words_changed": Sentence(
        "Only comments or layout changed in {files}, although something else was asked for.",
        "{files} はコメントや書式しか変わっていませんが、求められたのは別の変更です。",
    ),
    "values_not_set": Sentence(
        "Values that were asked for do not stand where they should: {values}.",
        "指定された値が、あるべき場所に設定されていません: {values}。",
    ),
    "only_documents": Sentence(
        "Code was asked for, and only documents were written: {files}.",
        "コードが求められていますが、文書しか書かれていません: {files}。",
    ),
    "tests_missing": Sentence(
        "Tests were asked for, and none came with the change.",
        "テストが求められていますが、追加されていません。",
    ),
    "only_tests_changed": Sentence(
        "More than tests was asked for, and nothing else was changed: {files}.",
        "テスト以外の変更も求められていますが、変わったのはテストだけです: {files}。",
    ),
    "names_missing": Sentence(
        "Asked for by name, and not in what was changed: {names}.",
        "名前を指定して求められていますが、変更した内容にありません: {names}。",
    ),
    "names_hollow": Sentence(
        "Asked for by name, and there by name alone, doing nothing with what they are given:"
        " {names}.",
        "名前だけがあり、受け取ったものを何も処理していません: {names}。",
    ),
    "files_not_read": Sentence(
        "Too large to be read, which text never is: {files}.",
        "読み取れないほど大きく、文章とは考えられません: {files}。",
    ),
    "not_translated": Sentence(
        "A translation was asked for, and most of this text is as it was: {files}.",
        "翻訳が求められていますが、大部分が元のままです: {files}。",
    ),
    "changed_unasked": Sentence(
        "Nothing was to be changed, and these files were: {files}.",
        "何も変更しない指示でしたが、変更されています: {files}。",
    ),
    "conflict_markers": Sentence(
        "Markers of a conflict were left in the text: {files}.",
        "コンフリクトの印が残っています: {files}。",
    ),
    "work_lost": Sentence(
        "Commits were dropped, and nothing asked for that; their work is gone from: {files}.",
        "指示にないのにコミットが捨てられ、その変更が失われています: {files}。",
    ),
    "records_reached_for": Sentence(
        "What was delivered would remove or overwrite the Runner's records: {files}.",
        "納品物が Runner の記録を消すか上書きします: {files}。",
    ),
    "effects_missing": Sentence(
        "Asked for, and not so: {effects}.",
        "求められていますが、そうなっていません: {effects}。",
    ),
    "answer_unsettled": Sentence(
        "Nothing was changed, and the words leave open whether the answer ({bytes} bytes) was all "
        "that was wanted: accept it, or say what is to be changed.",
        "変更はなく、回答（{bytes} バイト）だけで十分かどうかは指示から判断できません。"
        "承認するか、変更内容を指示してください。",
    ),
    "answer_empty": Sentence(
        "The stored answer is empty.",
        "保存された回答が空です。",
    ),
    "budget_ran_out": Sentence(
        "Stopped after {seconds} seconds, which was its whole time; the work so far is kept.",
        "制限時間 {seconds} 秒に達したため停止しました。ここまでの作業は残っています。",
    ),
    # INCOMPLETE: the gates
    "gates_not_judged": Sentence(
        "The gates were not run on what was delivered.",
        "納品物に対してゲートが実行されていません。",
    ),
    "gates_on_other_commit": Sentence(
        "The gates judged {judged}, but {delivered} was delivered.",
        "ゲートの対象は {judged} ですが、納品されたのは {delivered} です。",
    ),
    "gates_altered": Sentence(
        "The work changed what judges it, and the task does not ask for that: {files}.",
        "判定に使うファイルが変更されましたが、タスクの指示にはありません: {files}。",
    ),
    "gate_failed": Sentence(
        "The {gate} gate failed.",
        "{gate} ゲートが失敗しました。",
    ),
    "gate_new_failures": Sentence(
        "The {gate} gate fails where it did not before the task: {failures}.",
        "{gate} ゲートにタスク前にはなかった失敗があります: {failures}。",
    ),
    "named_failures_left": Sentence(
        "The {gate} gate still has the failures that the task is about: {failures}.",
        "{gate} ゲートに、タスクが対象とする失敗が残っています: {failures}。",
    ),
    "failures_indistinct": Sentence(
        "The {gate} gate is red and cannot be told apart from before the task; "
        "a person can look and accept it.",
        "{gate} ゲートが失敗していますが、タスク前の失敗と区別できません。確認のうえ承認できます。",
    ),
    "checks_diluted": Sentence(
        "The checks are weaker than before, and the task does not ask for that: {findings}.",
        "タスクの指示にない検査の弱体化があります: {findings}。",
    ),
    "product_made_for_tests": Sentence(
        "The product seems to be made for its tests (it sees them, holds the answers they ask "
        "for, or equals everything); a person can look and accept it: {findings}.",
        "製品コードがテストに合わせて作られているようです"
        "（テストの検知、答えの埋め込み、常に等しい値）。確認のうえ承認できます: {findings}。",
    ),
    "gates_changed_tree": Sentence(
        "A gate changed files that could not be put back, so another tree was judged: {files}.",
        "ゲートがファイルを変更し、元に戻せないため、判定対象と納品物が異なります: {files}。",
    ),
    "limits_overrun": Sentence(
        "The work is larger than one task is allowed to be: {limits}.",
        "作業量がタスクの上限を超えています: {limits}。",
    ),
    "asked_gate_failed": Sentence(
        "The Runner itself ran {run}, and it failed; failures: {failures}.",
        "Runner 自身が {run} を実行し、失敗しました。失敗した項目: {failures}。",
    ),
    "asked_gate_absent": Sentence(
        "This project has no {gate} command that the Runner knows of; "
        "`gates.{gate}` in .claude/settings.json can name it.",
        "Runner が実行できる {gate} コマンドがありません。"
        ".claude/settings.json の `gates.{gate}` で指定できます。",
    ),
    "gate_could_not_run": Sentence(
        "The {gate} gate could not run, so it proves nothing.",
        "{gate} ゲートを実行できなかったため、何も証明されていません。",
    ),
    "gate_not_started": Sentence(
        "The {gate} gate could not be started: its sandbox or its program is not there.",
        "{gate} ゲートを開始できません: サンドボックスまたはプログラムがありません。",
    ),
    "gate_program_missing": Sentence(
        "The {gate} gate could not run: a program it needs is missing.",
        "{gate} ゲートを実行できません: 必要なプログラムがありません。",
    ),
    "gate_target_missing": Sentence(
        "The {gate} gate could not run: its target is not defined in the delivered tree.",
        "{gate} ゲートを実行できません: 納品されたツリーにターゲットが定義されていません。",
    ),
    "gate_timed_out": Sentence(
        "The {gate} gate did not finish in time, so it proves nothing.",
        "{gate} ゲートが時間内に終わらなかったため、何も証明されていません。",
    ),
    "gate_did_nothing": Sentence(
        "The {gate} gate ended well without doing anything, so it proves nothing.",
        "{gate} ゲートは何も実行せずに正常終了したため、何も証明されていません。",
    ),
    "gate_ran_no_test": Sentence(
        "The {gate} gate ran no test, so it proves nothing.",
        "{gate} ゲートで実行されたテストがないため、何も証明されていません。",
    ),
    "gate_ended_early": Sentence(
        "The {gate} gate ended before its test runner had said how the tests went, so it proves "
        "nothing.",
        "{gate} ゲートはテストの結果が報告される前に終了したため、何も証明されていません。",
    ),
    "gate_not_reached": Sentence(
        "The {gate} gate was not run, because lint did not pass.",
        "lint が通らなかったため、{gate} ゲートは実行していません。",
    ),
    # INCOMPLETE: parts of a run
    "part_incomplete": Sentence(
        "Sub-task {ticket} is not done: {why}",
        "サブタスク {ticket} は未完了です: {why}",
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
    "part_stopped": Sentence(
        "It was stopped: {what}.",
        "停止しました: {what}。",
    ),
    "merge_conflicts": Sentence(
        "It was left out, because it conflicts in {files}.",
        "{files} で競合するため、取り込みませんでした。",
    ),
    "breaks_when_merged": Sentence(
        "It was left out, because the gates fail once it is merged.",
        "マージ後にゲートが失敗するため、取り込みませんでした。",
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
    if key is not None and key not in REASONS:
        message = f"unknown reason {key!r}"
        raise ValueError(message)


def reason_text(key: str, params: Mapping[str, str], lang: Lang) -> str:
    """The sentence for `key`."""
    return REASONS[key].say(lang, **params)
