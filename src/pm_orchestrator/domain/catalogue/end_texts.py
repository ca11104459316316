"""What is said below the verdict of a task, and of the change that it made."""

from pm_orchestrator.domain.text import Sentence

END_TEXTS: dict[str, Sentence] = {
    "end_words": Sentence(
        "What the agent said last (its claim):", "エージェントの最後の言葉（本人の主張）:"
    ),
    "end_words_more": Sentence(
        "… {count} more {count|line|lines}: {logs}", "…ほか {count} 行は {logs} で確認できます"
    ),
    "end_files": Sentence(
        "Changed: {count} {count|file|files} (+{added} -{removed})",
        "変更: {count} ファイル (+{added} -{removed})",
    ),
    "end_files_more": Sentence(
        "… {count} more: {diff}", "…ほか {count} 件は {diff} で確認できます"
    ),
    "more_setting": Sentence(
        "{name} {count} in .claude/settings.json", ".claude/settings.json の {name} {count}"
    ),
    "end_cure": Sentence("→ {cure}", "→ {cure}"),
    "end_gates": Sentence("Gates: {counts}", "ゲート: {counts}"),
    "gates_passed": Sentence("{count} passed", "成功 {count}"),
    "gates_failed": Sentence("{count} failed", "失敗 {count}"),
    "gates_not_run": Sentence("{count} could not run", "実行不可 {count}"),
    "tests_passed": Sentence("{count} {count|test|tests}", "テスト {count} 件"),
    "tests_failed": Sentence(
        "{failed} of {count} {count|test|tests} failed", "テスト {count} 件中 {failed} 件が失敗"
    ),
    "gate_printed": Sentence("What {gate} printed:", "{gate} の出力:"),
    "gate_printed_last": Sentence(
        "What {gate} printed last ({count} lines):", "{gate} の出力 (最後の {count} 行):"
    ),
    "end_spent": Sentence("Spent: {spent}", "使用量: {spent}"),
    "spent_seconds": Sentence("{count} s", "{count} 秒"),
    "spent_minutes": Sentence("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒"),
    "spent_unpriced": Sentence(
        "price of {count} of them not known",
        "うち {count} は料金不明",
    ),
    "spent_no_price": Sentence("price not known", "料金不明"),
    "spent_tokens": Sentence("{count} tokens", "{count} トークン"),
    # how one file differs
    "file_created": Sentence("new", "新規"),
    "file_modified": Sentence("changed", "変更"),
    "file_deleted": Sentence("deleted", "削除"),
    "file_renamed": Sentence("renamed", "改名"),
    "file_binary": Sentence("binary", "バイナリ"),
    "file_large": Sentence("too large to be compared", "大きすぎるため比較なし"),
    "file_not_kept": Sentence("not kept by git", "git の管理外"),
    "file_outside": Sentence("outside the project directory", "プロジェクトの外"),
    "file_nested": Sentence("in a repository of its own", "別のリポジトリ内"),
    "file_link": Sentence("link", "リンク"),
    "file_mode": Sentence("mode {before} -> {after}", "モード {before} -> {after}"),
    # diff
    "diff_nothing": Sentence("{task} changed no file.", "{task} はファイルを変更していません。"),
    "diff_of": Sentence("{task}:", "{task}:"),
    "diff_until_its_undo": Sentence(
        "It came to no verdict: this is the change as it was when it was undone.",
        "判定前に終了したタスクです。取り消し時点の変更を表示します。",
    ),
    "diff_until_next_task": Sentence(
        "It came to no verdict: this is the change as the next task found it.",
        "判定前に終了したタスクです。次のタスクの開始時点の変更を表示します。",
    ),
    "diff_until_now": Sentence(
        "It came to no verdict: this is the change as the files are now.",
        "判定前に終了したタスクです。現在のファイルとの差分を表示します。",
    ),
    "diff_left_out": Sentence(
        "The lines of {count} more {count|file|files} are left out; "
        "`git diff {before} {after}` shows all.",
        "ほか {count} ファイルの行は省略しました。`git diff {before} {after}` で確認できます。",
    ),
}
