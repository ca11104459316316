"""What the REPL says on a terminal only: keys, the line that is typed, leaving."""

from pm_orchestrator.domain.text import Sentence

TERMINAL_TEXTS: dict[str, Sentence] = {
    "choose_keys": Sentence(
        "Use arrow keys to move, Enter to select.", "矢印キーで移動、Enter で選択。"
    ),
    "choose_number": Sentence("Number (Enter leaves it): ", "番号 (Enter のみで中止): "),
    "browse_list": Sentence(
        "[↑/↓] Select  [Enter] View  [1-9] Jump  [t] Tree  [q] Exit",
        "[↑/↓] 選択  [Enter] 表示  [1-9] 番号  [t] ツリー  [q] 終了",
    ),
    "browse_detail": Sentence(
        "[↑/↓] Scroll  [b] Back  [f] Full view  [t] Tree  [q] Exit",
        "[↑/↓] 移動  [b] 戻る  [f] 全文  [t] ツリー  [q] 終了",
    ),
    "browse_tree": Sentence(
        "[↑/↓] Navigate  [t] List view  [q] Exit", "[↑/↓] 移動  [t] 一覧  [q] 終了"
    ),
    "fold_key": Sentence("Esc stops, Ctrl-O folds", "Esc 停止、Ctrl-O 折りたたみ"),
    "live_tokens": Sentence("{count} tokens", "{count} トークン"),
    "stopping": Sentence(
        "Stopping the task and all it has started ... Ctrl-C again leaves.",
        "タスクと関連プロセスを停止しています… もう一度 Ctrl-C で終了します。",
    ),
    "accept_key": Sentence(
        "Alt-A accepts the task as it is.", "Alt-A でこのタスクをそのまま承認します。"
    ),
    "again_leaves": Sentence(
        "Ctrl-C again leaves, as do /exit and Ctrl-D.",
        "もう一度 Ctrl-C で終了します (/exit、Ctrl-D でも終了)。",
    ),
    "question_waits": Sentence(
        "{task} waits; /reply <answer> goes on with it.",
        "{task} は回答待ちです。/reply <回答> で続行できます。",
    ),
    "permit_wish": Sentence(
        "The executor wants to use {tool}:", "Executor が {tool} を使おうとしています:"
    ),
    "permit_rules": Sentence(
        "always would allow: {rules}", "「常に許可」で許可される操作: {rules}"
    ),
    "permit_question": Sentence("May it?", "許可しますか？"),
    "permit_once": Sentence("once", "今回だけ"),
    "permit_always": Sentence("always in this project", "このプロジェクトでは常に許可"),
    "permit_no": Sentence("no, because …", "いいえ（理由を伝える）"),
    "permit_why_not": Sentence(
        "Why not, or what instead? (Enter says nothing)",
        "理由や代わりの指示を入力してください（Enter のみで省略）",
    ),
    "permit_kept": Sentence(
        "Added to executor.allowed_tools in .claude/settings.json: {rules}",
        ".claude/settings.json の executor.allowed_tools に追加しました: {rules}",
    ),
    "pick_other": Sentence("something else …", "その他（入力する）"),
    "pick_several": Sentence("(several, with commas between)", "（複数可、カンマ区切り）"),
    "exit_running": Sentence("A task is still running:", "タスクが実行中です:"),
    "exit_wait": Sentence("leave when it has ended", "終わったら終了する"),
    "exit_cancel": Sentence("stop it and leave", "停止して終了する"),
    "exit_stay": Sentence("go on here", "ここに留まる"),
    "exit_waits": Sentence(
        "Leaving when the task has ended; Ctrl-C stops it.",
        "タスクの終了後に終了します (Ctrl-C で停止)。",
    ),
    "why_stopped": Sentence(
        "stopped with all it had started; the files stay as they are",
        "関連プロセスとともに停止しました。ファイルはそのままです",
    ),
    "hint_stopped": Sentence(
        "/undo {task} takes it back; /continue goes on with it",
        "/undo {task} で元に戻す。/continue で続行",
    ),
}
