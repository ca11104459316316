"""Sentences that are not errors: progress, results, hints."""

from pm_orchestrator.domain.text import Lang, Sentence

MESSAGES: dict[str, Sentence] = {
    "created": Sentence("created {path}", "作成しました: {path}"),
    "settings_valid": Sentence("{path} is valid", "{path} は正常です"),
    "interrupted": Sentence("interrupted", "中断しました"),
    "task_interrupted": Sentence(
        "interrupted: {task} and all it had started were stopped; the files stay as they are",
        "中断しました: {task} と関連プロセスをすべて停止しました。ファイルはそのままです",
    ),
    "run_interrupted": Sentence(
        "interrupted: {task} and all it had started were stopped; your files were not touched",
        "中断しました: {task} と関連プロセスをすべて停止しました。ファイルには触れていません",
    ),
    "run_proved": Sentence("proved so far: {tickets}", "ここまでに検証済み: {tickets}"),
    "run_kept": Sentence("kept: {refs}", "保存済み: {refs}"),
    "resume_later": Sentence(
        "`pm-orchestrator resume {run}` goes on; what was made is kept.",
        "`pm-orchestrator resume {run}` で再開できます。作業内容は保存されています。",
    ),
    "cut_off": Sentence(
        "cut off: {task} (“{text}”); its process ended first, and nothing of it was verified",
        "中断されていました: {task} (「{text}」)。プロセスが先に終了し、検証されていません",
    ),
    "cut_off_go_on": Sentence(
        "`pm-orchestrator approve {session}`, then `pm-orchestrator continue {session}` go on; "
        "`pm-orchestrator undo {task}` takes it back",
        "`pm-orchestrator approve {session}` の後、`pm-orchestrator continue {session}` で続行、"
        "`pm-orchestrator undo {task}` で取り消し",
    ),
    "cut_off_converse": Sentence(
        "`pm-orchestrator continue {session}` goes on; `pm-orchestrator undo {task}` takes it back",
        "`pm-orchestrator continue {session}` で続行、`pm-orchestrator undo {task}` で取り消し",
    ),
    "selection_altered": Sentence(
        ".claude/repl.json was altered since then, and not by a command: what was selected "
        "before is in force ({provider}, model {model}); `/provider` and `/model` select anew",
        "その後 .claude/repl.json がコマンドによらず変更されていたため、変更前の選択に戻しました "
        "({provider}、モデル {model})。選び直すには `/provider` と `/model` を使います",
    ),
    "settings_altered": Sentence(
        ".claude/settings.json was altered since then: as it was before, it is in force again; "
        "what was altered lies beside it, in .claude/settings.json.put-aside-*",
        "その後 .claude/settings.json が変更されていたため、変更前の設定に戻しました。"
        "変更後の内容は .claude/settings.json.put-aside-* にあります",
    ),
    "cancelled": Sentence("cancelled: {task}", "キャンセルしました: {task}"),
    "kept_refs": Sentence("Kept aside: {refs}", "退避した作業: {refs}"),
    "left_to_do": Sentence(
        "Left to do (`pm-orchestrator resume {run}` does it): {what}",
        "残りの作業 (`pm-orchestrator resume {run}` で実行): {what}",
    ),
    "note": Sentence("Note: {note}", "注意: {note}"),
    "branches_aside": Sentence(
        "{task} was undone: its branches are kept as {refs}; your files were not touched",
        "{task} を取り消しました。ブランチは {refs} に保存しました。ファイルには触れていません",
    ),
    "branches_back": Sentence(
        "{task} is back: {refs}",
        "{task} を元に戻しました: {refs}",
    ),
    "interrupted_undo": Sentence(
        "`pm-orchestrator undo {task}` puts the files back as they were before; they are in {ref}",
        "`pm-orchestrator undo {task}` で作業前の状態に戻せます (保存先: {ref})",
    ),
    "interrupted_go_on": Sentence(
        "`pm-orchestrator approve {session}`, then `pm-orchestrator continue {session}` go on",
        "`pm-orchestrator approve {session}` の後、`pm-orchestrator continue {session}` で続行",
    ),
    "approved": Sentence(
        "approved: session {session} may go on with {task}; "
        "`pm-orchestrator continue {session}` does it",
        "承認しました: セッション {session} はタスク {task} を継続できます "
        "(`pm-orchestrator continue {session}`)",
    ),
    "task_waits": Sentence(
        '{task} waits; `pm-orchestrator reply {task} "TEXT"` answers it.',
        '{task} は回答待ちです。`pm-orchestrator reply {task} "TEXT"` で回答できます。',
    ),
    "notice_not_saved": Sentence(
        "Not saved before the task, so undo will not bring it back: {paths}",
        "作業前の状態を保存していないため、undo で元に戻せません: {paths}",
    ),
    "notice_files_over": Sentence(
        "{count} files are changed by now, and a task may change {limit}: it goes on, and is "
        "yours to accept at the end.",
        "変更が {count} ファイルになり、タスクの上限 {limit} を超えました。作業は続き、"
        "最後に承認するか判断できます。",
    ),
    "notice_time_nearly_over": Sentence(
        "{left} of {limit} minutes are left; then it is stopped, and its work is kept.",
        "制限時間 {limit} のうち残り {left} です。時間になると停止し、作業内容は残ります。",
    ),
    "notice_tokens_nearly_over": Sentence(
        "{used} of {limit} tokens are used; then it is stopped, and its work is kept.",
        "トークン上限 {limit} のうち {used} を使用しました。上限で停止し、作業内容は残ります。",
    ),
    # phases
    "REQUIREMENT_ANALYSIS": Sentence("Requirement analysis", "要求分析"),
    "TASK_DECOMPOSITION": Sentence("Task decomposition", "タスク分解"),
    "PLANNING": Sentence("Planning", "計画"),
    "EXECUTION": Sentence("Execution", "実行"),
    "QA": Sentence("Quality assurance", "品質保証"),
    "COMPLETION_VALIDATION": Sentence("Completion validation", "完了検証"),
    "REPORT": Sentence("Report", "報告"),
    # what a worker is doing
    "worker_queued": Sentence("waits for a free worker", "ワーカー待ち"),
    "worker_working": Sentence(
        "attempt {attempt}, turn {turn}: {text}", "試行 {attempt}、ターン {turn}: {text}"
    ),
    "parked": Sentence(
        "{agent} waits {seconds} s for the provider: {reason}",
        "{agent} はプロバイダーを {seconds} 秒待機中: {reason}",
    ),
    "worker_failed": Sentence("broke down: {text}", "異常終了: {text}"),
    "unknown_event": Sentence(
        "{kind}: an event of another version", "{kind}: 別のバージョンのイベント"
    ),
    "worker_claims": Sentence('claims: "{text}"', "主張: 「{text}」"),
    "gates_running": Sentence(
        "the Runner runs lint and test on a clean checkout",
        "Runner がクリーンな環境で lint と test を実行中",
    ),
    "claim_accepted": Sentence("accepted: {reason}", "承認: {reason}"),
    "claim_refused": Sentence(
        'claimed "{claim}" · REFUSED: {reason}', "主張「{claim}」· 却下: {reason}"
    ),
    "merged": Sentence("merged; gates again: {gates}", "マージ後に再検証: {gates}"),
    "plan": Sentence("{count} sub-tasks", "サブタスク {count} 件"),
    # results
    "proved": Sentence("Proved by the Runner", "Runner が証明したこと"),
    "seen": Sentence("Seen by the Runner", "Runner が確認したこと"),
    "accepted_list": Sentence(
        "Accepted by a person, and not proved:", "承認済み（証明されていないこと）:"
    ),
    "not_proved_list": Sentence("Not proved:", "証明されていないこと:"),
    "proved_gates": Sentence(
        "{kind}: {verdict} on the delivered commit {commit}",
        "納品コミット {commit} で {kind}: {verdict}",
    ),
    "proved_files": Sentence(
        "{count} {count|file|files} seen in that commit: {files}",
        "そのコミットで確認したファイル {count} 件: {files}",
    ),
    "proved_work": Sentence("{ticket} {title}: {status}", "{ticket} {title}: {status}"),
    "proved_evidence": Sentence(
        "{count} evidence {count|record|records}, chain intact", "証跡 {count} 件、チェーンは無傷"
    ),
    "evidence_broken": Sentence(
        "the evidence is NOT intact: {count} problems", "証跡に不整合が {count} 件あります"
    ),
    "refused_claim": Sentence(
        'attempt {attempt} claimed "{claim}"; refused: {reason}',
        "試行 {attempt} の主張「{claim}」を却下: {reason}",
    ),
    "not_done": Sentence("Not done", "未完了"),
    "unenforced": Sentence(
        "Limits this sandbox does not enforce: {names}",
        "このサンドボックスが強制しない制限: {names}",
    ),
    "where_to_look": Sentence("Where to look", "確認方法"),
    "demo_title": Sentence(
        "A sample project, three scripted workers, one of whom lies. No key, no network.",
        "サンプルプロジェクトと台本どおりの 3 人のワーカー(1 人は嘘つき)。鍵も通信も不要です。",
    ),
    "demo_instruction": Sentence("Instruction: {instruction}", "指示: {instruction}"),
    "demo_removed": Sentence(
        "The sample project was removed; `pm-orchestrator demo --keep` leaves it, to look around:",
        "サンプルプロジェクトは削除しました。`pm-orchestrator demo --keep` で残して確認できます:",
    ),
    "kept_at": Sentence("The sample project is in {path}", "サンプルプロジェクト: {path}"),
    "evidence_ok": Sentence(
        "intact: {count} {count|record|records}, chain unbroken",
        "正常: {count} 件、チェーンは連続しています",
    ),
    "evidence_pruned": Sentence(
        "{count} raw {count|log|logs} {count|was|were} pruned by retention; "
        "their records and tombstones are in the chain",
        "保存期間を過ぎた生ログ {count} 件は削除済みです。記録と墓標はチェーンに残っています",
    ),
    "prune_done": Sentence(
        "Pruned {count} raw {count|log|logs} ({size}) from before {date}; their records remain.",
        "{date} より前の生ログ {count} 件（{size}）を削除しました。記録は残っています。",
    ),
    "prune_dry": Sentence(
        "Would prune {count} raw {count|log|logs} ({size}) from before {date}; "
        "their records would remain.",
        "{date} より前の生ログ {count} 件（{size}）が削除の対象です。記録は残ります。",
    ),
    "prune_none": Sentence(
        "Nothing to prune from before {date}.", "{date} より前に削除するものはありません。"
    ),
    "prune_left": Sentence(
        "Raw logs kept: {count} ({size}).", "残っている生ログ: {count} 件（{size}）。"
    ),
    # worth a look after a task
    "worth_a_look": Sentence(
        "Worth a look (the verdict stands):", "確認をお勧めします（判定は変わりません）:"
    ),
    "odd_test_edited": Sentence(
        "an existing test file was edited: {path}", "既存のテストファイルが編集されました: {path}"
    ),
    "odd_toolchain_changed": Sentence(
        "installed for the project, and changed by the task: {path}",
        "プロジェクトにインストールされたファイルがタスクで変更されました: {path}",
    ),
    "odd_conversation_lost": Sentence(
        "the executor no longer knew its conversation {path}, and began a new one",
        "実行エージェントは以前の会話 {path} を覚えておらず、新しい会話で始めました",
    ),
    "odd_unreadable": Sentence("could not be read: {path}", "読み取れませんでした: {path}"),
    "odd_special": Sentence("is no ordinary file: {path}", "通常のファイルではありません: {path}"),
    "odd_large": Sentence(
        "is too large to be read, and is known by its outside alone: {path}",
        "大きすぎるため内容を読まず、外見だけで判別しています: {path}",
    ),
    "odd_link_outside": Sentence(
        "a link leads out of the project: {path}", "リンク先がプロジェクトの外です: {path}"
    ),
    "odd_history_rewritten": Sentence(
        "git history was rewritten: {path}", "git の履歴が書き換えられました: {path}"
    ),
    "odd_head_moved": Sentence(
        "commits were made that the instruction does not ask for: {path}",
        "指示にないコミットが作成されました: {path}",
    ),
    "odd_branch_switched": Sentence(
        "something else is checked out now, unasked: {path}",
        "指示にないのにチェックアウト先が変わりました: {path}",
    ),
    "odd_written_while_checked": Sentence(
        "was written while the Runner checked: {path}", "Runner の検証中に書き込まれました: {path}"
    ),
    "odd_claimed_outside": Sentence(
        "a claimed file lies outside the project: {path}",
        "申告されたファイルはプロジェクトの外にあります: {path}",
    ),
    "odd_changed_outside": Sentence(
        "was changed outside the project directory, unasked: {path}",
        "指示にないのに、プロジェクトの外のファイルが変更されました: {path}",
    ),
    "odd_not_saved": Sentence(
        "was not saved, so undo cannot bring it back: {path}",
        "保存されていないため undo で元に戻せません: {path}",
    ),
    "odd_locked": Sentence(
        "could not be used any more, and was made usable again: {path}",
        "使用できなくなっていたため、使えるように戻しました: {path}",
    ),
    "odd_put_back": Sentence(
        "a file of the Runner was taken away, and was put back: {path}",
        "Runner のファイルが取り除かれていたため、元に戻しました: {path}",
    ),
    "odd_record_gone": Sentence(
        "a record of the Runner was taken away: {path}",
        "Runner の記録が取り除かれました: {path}",
    ),
    "odd_record_rewritten": Sentence(
        "an old record of the Runner was written again, which may have altered it: {path}",
        "Runner の古い記録が書き直されました。内容が変わっている可能性があります: {path}",
    ),
    "odd_more": Sentence("… and {count} more in the log", "…ほか {count} 件はログを参照"),
    "answer_at": Sentence("The answer is in {path}", "回答の保存先: {path}"),
    "answer_cut": Sentence(
        "… ({count} more {count|line|lines} in the file)", "…（残り {count} 行はファイルを参照）"
    ),
    "answer_changed": Sentence(
        "Only an answer was asked for, but {count} {count|file|files} changed: {files}",
        "回答だけを求めましたが、{count} 件のファイルが変更されました: {files}",
    ),
    "no_tasks": Sentence(
        "No tasks logged for this project.", "このプロジェクトのタスクログはありません。"
    ),
    "no_reviews": Sentence("Nothing waits for approval.", "承認待ちはありません。"),
    "sandbox_ready": Sentence("ready", "使用できます"),
    "sandbox_sees": Sentence("{source} is seen, read-only", "{source} が見えます (読み取り専用)"),
    "sandbox_sees_writable": Sentence(
        "{source} is seen; what is written there is thrown away",
        "{source} が見えます (書き込んだ内容は破棄されます)",
    ),
    "sandbox_copies": Sentence(
        "copies of {count} built files of the checkout: {names}",
        "チェックアウト内のビルド済みファイル {count} 件のコピー: {names}",
    ),
    "sandbox_hides": Sentence("without {names}", "{names} は見えません"),
    "sandbox_held": Sentence("limits are held: {limits}", "制限の実施方法: {limits}"),
    "sandbox_unenforced": Sentence("not limited: {limits}", "制限されないもの: {limits}"),
    "sandbox_gate_runs": Sentence("`{check}` has its program", "`{check}` のプログラムがあります"),
    "sandbox_gate_lacks": Sentence(
        "`{check}` cannot run: its program is not there",
        "`{check}` は実行できません: プログラムがありません",
    ),
    "layer_there": Sentence(
        "layer {name} is built ({size}): {names}",
        "レイヤー {name} は作成済みです ({size}): {names}",
    ),
    "layer_missing": Sentence(
        "what the lock files ask for is not installed for sandboxes; `pm-orchestrator sandbox "
        "build` runs {commands}",
        "ロックファイルの内容はサンドボックス用にまだインストールされていません。"
        "`pm-orchestrator sandbox build` は次を実行します: {commands}",
    ),
    "layer_asks": Sentence(
        "These commands run in a sandbox with this machine's network on: {commands}",
        "このマシンのネットワークに接続できるサンドボックスで、次のコマンドを実行します: "
        "{commands}",
    ),
    "layer_yes": Sentence("Install now? (y/n) ", "インストールしますか? (y/n) "),
    "prune_layers": Sentence(
        "Layers of sandboxes: {count} removed ({size}), {left} left ({left_size}).",
        "サンドボックスのレイヤー: {count} 件削除 ({size})、残り {left} 件 ({left_size})。",
    ),
    "prune_layers_dry": Sentence(
        "Layers of sandboxes: {count} would go ({size}), {left} would stay ({left_size}).",
        "サンドボックスのレイヤー: {count} 件が削除対象 ({size})、"
        "{left} 件は残ります ({left_size})。",
    ),
    "sandbox_no_gates": Sentence("the project has no checks", "プロジェクトに検査がありません"),
    "seconds": Sentence("{seconds} s", "{seconds} 秒"),
    # bench
    "bench_measuring": Sentence("measuring {name} …", "{name} を計測中…"),
    "bench_history": Sentence("{done} of {of} tasks of history", "履歴タスク {of} 件中 {done} 件"),
    "bench_ratio": Sentence(
        "{mark} {name}: {ratio} × {yardstick} (at most {allowed} ×; {ours} ms against {plain} ms)",
        "{mark} {name}: {yardstick} の {ratio} 倍 (上限 {allowed} 倍、{ours} ms 対 {plain} ms)",
    ),
    # undo
    "undo_undone": Sentence(
        "The files are as they were before {task}.", "ファイルを {task} の前の状態に戻しました。"
    ),
    "undo_redone": Sentence(
        "The undo of {task} is undone; its work is back.",
        "{task} の取り消しを取り消し、作業結果を復元しました。",
    ),
    "undo_written": Sentence("{count} put back: {files}", "復元 {count} 件: {files}"),
    "undo_removed": Sentence("{count} taken away: {files}", "削除 {count} 件: {files}"),
    "undo_head": Sentence(
        "Commits and branches are left alone. HEAD was {was} and is {now}; to move it back:",
        "コミットとブランチは変更していません。HEAD は {was} でしたが現在は {now} です。戻すには:",
    ),
    "undo_left": Sentence(
        "{count} beside the project left as they are, because they have changed since: {files}",
        "プロジェクトの外で、その後変更されたため戻さなかったもの {count} 件: {files}",
    ),
    "undo_branch": Sentence(
        "Commits and branches are left alone. {was} was checked out, and now {now} is; to go back:",
        "コミットとブランチは変更していません。{was} から {now} に切り替わっています。戻すには:",
    ),
    "undo_again": Sentence(
        "`pm-orchestrator undo {task}` goes the other way; the state before is in {ref}.",
        "`pm-orchestrator undo {task}` で逆方向に戻せます。直前の状態: {ref}",
    ),
}


def say(key: str, lang: Lang, **params: object) -> str:
    """The sentence under `key` with its places filled."""
    return MESSAGES[key].say(lang, **params)
