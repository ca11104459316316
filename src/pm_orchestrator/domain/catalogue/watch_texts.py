"""What is said to whoever watches a task or looks at runs."""

from pm_orchestrator.domain.text import Lang, Sentence

WATCH_TEXTS: dict[str, Sentence] = {
    "watching": Sentence(
        "watching {run} ({task}); Ctrl-C ends only the watching",
        "{run} ({task}) を追跡しています。Ctrl-C は追跡だけを終了します",
    ),
    "watching_past": Sentence(
        "nothing more happens in {run} ({task}); this is how it went",
        "{run} ({task}) は終了しています。経過は次のとおりです",
    ),
    "watch_left": Sentence(
        "stopped watching; the task goes on", "追跡を終了しました。タスクは継続中です"
    ),
    "watch_end": Sentence("{run} ended: {status}", "{run} は終了しました: {status}"),
    "no_runs": Sentence("There are no runs yet.", "まだ実行はありません。"),
    "more_runs": Sentence(
        "… and {count} earlier ones (`pm-orchestrator runs --json` has all)",
        "…ほか {count} 件 (すべて見るには `pm-orchestrator runs --json`)",
    ),
}


def watch_say(key: str, lang: Lang, **params: object) -> str:
    """The sentence under `key` with its places filled."""
    return WATCH_TEXTS[key].say(lang, **params)
