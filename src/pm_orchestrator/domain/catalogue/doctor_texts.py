"""What `doctor` says: each finding in one sentence and, where something is wrong, its cure."""

from typing import NamedTuple

from pm_orchestrator.domain.text import Lang, Sentence


class DoctorText(NamedTuple):
    """A finding and the cure for it; None where there is nothing to cure."""

    finding: Sentence
    cure: Sentence | None = None


DOCTOR: dict[str, DoctorText] = {
    # the examination itself
    "check_timeout": DoctorText(
        Sentence("no answer within {seconds:g} s", "{seconds:g} 秒以内に応答がありません"),
        Sentence(
            "look whether the machine is busy or a disk or service hangs, then run doctor again",
            "マシンの負荷や応答しないディスク・サービスを確認し、再度 doctor を実行してください",
        ),
    ),
    "check_failed": DoctorText(
        Sentence("the check itself failed: {reason}", "チェック自体が失敗しました: {reason}"),
        Sentence(
            "please report it with the output of `pm-orchestrator doctor --report`",
            "`pm-orchestrator doctor --report` の出力を添えて報告してください",
        ),
    ),
    "checking": DoctorText(Sentence("still checking: {check} …", "確認中: {check} …")),
    # tools
    "python": DoctorText(Sentence("{version} ({path})", "{version} ({path})")),
    "python_old": DoctorText(
        Sentence("{version} is too old", "{version} は古すぎます"),
        Sentence(
            "install Python {least} or newer", "Python {least} 以降をインストールしてください"
        ),
    ),
    "git": DoctorText(Sentence("{version} ({path})", "{version} ({path})")),
    "git_missing": DoctorText(
        Sentence("not found in PATH", "PATH に見つかりません"),
        Sentence(
            "install it: `apt-get install git`", "インストールしてください: `apt-get install git`"
        ),
    ),
    "git_old": DoctorText(
        Sentence("{version} is too old ({path})", "{version} は古すぎます ({path})"),
        Sentence("install git {least} or newer", "git {least} 以降をインストールしてください"),
    ),
    "cli": DoctorText(Sentence("{version} ({path})", "{version} ({path})")),
    "cli_missing": DoctorText(
        Sentence("not found in PATH (optional)", "PATH に見つかりません (任意)")
    ),
    "cli_broken": DoctorText(
        Sentence(
            "{path} does not tell its version: {reason}",
            "{path} がバージョンを返しません: {reason}",
        ),
        Sentence(
            "run `{name} --version` yourself, and install it again if that fails",
            "`{name} --version` を手動で実行し、失敗する場合は再インストールしてください",
        ),
    ),
    "way_to_work": DoctorText(
        Sentence("an instruction can be given to: {ways}", "指示を実行できる手段: {ways}")
    ),
    "no_login": DoctorText(
        Sentence("{executor} says that it is not logged in", "{executor} が未ログインです"),
        Sentence(
            "`{login}` logs in; or set {variable}",
            "`{login}` でログインするか、{variable} を設定してください",
        ),
    ),
    "no_way_to_work": DoctorText(
        Sentence(
            "nothing here can carry out an instruction: no {executor} and no {variable}",
            "指示を実行できる手段がありません: {executor} も {variable} もありません",
        ),
        Sentence(
            "{cure}, or set {variable}",
            "{variable} を設定するか、次のようにしてください: {cure}",
        ),
    ),
    # sandboxes
    "sandbox": DoctorText(
        Sentence(
            "started one and ran a command in it",
            "サンドボックスを起動し、コマンドを実行できました",
        )
    ),
    "sandbox_command": DoctorText(
        Sentence(
            "a trivial command failed inside it (exit code {code})",
            "サンドボックス内で簡単なコマンドが失敗しました (終了コード {code})",
        ),
        Sentence(
            "see that /usr holds a working python3 and `true`",
            "/usr に動作する python3 と `true` があるか確認してください",
        ),
    ),
    "sandbox_error": DoctorText(Sentence("{what}", "{what}"), Sentence("{hint}", "{hint}")),
    "worker_ready": DoctorText(
        Sentence(
            "starts in a sandbox and can be a company's worker (company.executor): {version}",
            "サンドボックス内で起動でき、company のワーカーになれます "
            "(company.executor): {version}",
        )
    ),
    "worker_unready": DoctorText(
        Sentence("cannot be a company's worker: {what}", "company のワーカーになれません: {what}"),
        Sentence("{hint}", "{hint}"),
    ),
    "gate_in_sandbox": DoctorText(
        Sentence(
            "`{command}` can run in the sandbox", "`{command}` はサンドボックス内で実行できます"
        )
    ),
    "gate_lacks_program": DoctorText(
        Sentence(
            "`{command}` cannot run in the sandbox: its program is not there",
            "`{command}` はサンドボックス内で実行できません: プログラムがありません",
        ),
        Sentence(
            "install it in the project, ignored by git, or below /usr; "
            "`pm-orchestrator sandbox list` shows what is seen there",
            "git が無視する形でプロジェクト内か /usr 以下にインストールしてください。"
            "`pm-orchestrator sandbox list` で内部から見えるものを確認できます",
        ),
    ),
    "container": DoctorText(
        Sentence("reachable, server {version}", "接続できます (サーバー {version})")
    ),
    "container_missing": DoctorText(
        Sentence("not found in PATH (optional)", "PATH に見つかりません (任意)")
    ),
    "container_unreachable": DoctorText(
        Sentence("found, but not reachable: {reason}", "見つかりましたが接続できません: {reason}"),
        Sentence(
            "start its service, or see that you may use it; nothing needs it otherwise",
            "サービスを起動するか、利用権限を確認してください。使わない場合は不要です",
        ),
    ),
    # keys and services
    "key_set": DoctorText(Sentence("SET", "SET")),
    "need_set": DoctorText(
        Sentence("SET, as {setting} {name} needs it", "SET ({setting} の {name} に必要です)")
    ),
    "need_not_set": DoctorText(
        Sentence(
            "NOT SET, and {setting} {name} needs it",
            "NOT SET ({setting} の {name} に必要です)",
        ),
        Sentence(
            "set {variable}, or choose another {setting} in .claude/settings.json",
            "{variable} を設定するか、.claude/settings.json の {setting} を変更してください",
        ),
    ),
    "key_not_set": DoctorText(Sentence("NOT SET", "NOT SET")),
    "model_ends": DoctorText(
        Sentence("{name} ends on {until}", "{name} は {until} に提供終了です"),
        Sentence(
            "put {instead} in its place in .claude/settings.json",
            ".claude/settings.json で {instead} に変更してください",
        ),
    ),
    "vendor_listed": DoctorText(
        Sentence("{place} answers, and has {name}", "{place} が応答し、{name} があります")
    ),
    "model_unlisted": DoctorText(
        Sentence(
            "{name} is not among the models of this key: {some}",
            "{name} はこのキーのモデルにありません: {some}",
        ),
        Sentence(
            "name one of them as `company.model`, or with --model",
            "`company.model` か --model でいずれかを指定してください",
        ),
    ),
    "vendor_silent": DoctorText(
        Sentence("asked {place}: {reason}", "{place} に問い合わせました: {reason}"),
        Sentence(
            "check the address, the key and the network; Ollama is started with `ollama serve`",
            "アドレス、API キー、ネットワークを確認してください (Ollama は `ollama serve` で起動)",
        ),
    ),
    "redis": DoctorText(Sentence("answers at {place}", "{place} で応答しています")),
    "redis_down": DoctorText(
        Sentence("no answer at {place}: {reason}", "{place} から応答がありません: {reason}"),
        Sentence(
            "start Redis there, or correct or unset REDIS_URL",
            "Redis を起動するか、REDIS_URL を修正または解除してください",
        ),
    ),
    # places
    "place": DoctorText(
        Sentence("writable, {free} free: {path}", "書き込み可能、空き {free}: {path}")
    ),
    "place_low": DoctorText(
        Sentence("only {free} free: {path}", "空き容量が {free} しかありません: {path}"),
        Sentence("make room on that disk", "ディスクの空き容量を確保してください"),
    ),
    "place_read_only": DoctorText(
        Sentence("cannot be written to: {path} ({reason})", "書き込めません: {path} ({reason})"),
        Sentence(
            "see to its owner and permissions, or choose another place{variable}",
            "所有者と権限を確認するか、別の場所を指定してください{variable}",
        ),
    ),
    # the project
    "settings": DoctorText(Sentence("{path} is valid", "{path} は正常です")),
    "no_project": DoctorText(
        Sentence("{path} is no project yet", "{path} はまだプロジェクトではありません"),
        Sentence(
            "`pm-orchestrator init` makes it one", "`pm-orchestrator init` で初期化してください"
        ),
    ),
    "settings_wrong": DoctorText(
        Sentence("{code}: {what}", "{code}: {what}"), Sentence("{hint}", "{hint}")
    ),
    "evidence": DoctorText(
        Sentence(
            "{count} {count|record|records}, chain unbroken", "{count} 件、チェーンは連続しています"
        )
    ),
    "evidence_broken": DoctorText(
        Sentence(
            "{count} problems; the first: {path}: {problem}",
            "{count} 件の問題。最初の問題: {path}: {problem}",
        ),
        Sentence(
            "`pm-orchestrator evidence verify` lists them; bring the files back from a backup",
            "`pm-orchestrator evidence verify` で一覧し、バックアップから復元してください",
        ),
    ),
    "owners": DoctorText(
        Sentence("none is left of a dead process", "終了したプロセスの記録は残っていません")
    ),
    "owner_alive": DoctorText(
        Sentence("{what} belongs to process {pid}", "{what} はプロセス {pid} が使用中です")
    ),
    "owners_stale": DoctorText(
        Sentence(
            "{count} {count|record|records} of processes that are gone",
            "終了したプロセスの記録が {count} 件あります",
        ),
        Sentence(
            "harmless; `pm-orchestrator doctor --clean` removes them",
            "問題はありません。`pm-orchestrator doctor --clean` で削除できます",
        ),
    ),
    "unfinished_none": DoctorText(Sentence("none", "なし")),
    "unfinished_running": DoctorText(
        Sentence(
            "{task} is being worked on by process {pid}",
            "{task} をプロセス {pid} が実行中です",
        ),
        Sentence(
            "`pm-orchestrator watch {task}` follows it",
            "`pm-orchestrator watch {task}` で追跡できます",
        ),
    ),
    "unfinished_dead": DoctorText(
        Sentence(
            "the process that worked on {task} is gone",
            "{task} を実行していたプロセスは終了しました",
        ),
        Sentence(
            "the next start closes it, or `pm-orchestrator doctor --clean` does so now",
            "次回の開始時に閉じられます。今すぐ閉じるには `pm-orchestrator doctor --clean`",
        ),
    ),
    # the end
    "all_well": DoctorText(Sentence("Nothing essential is wrong.", "重大な問題はありません。")),
    "not_well": DoctorText(
        Sentence(
            "Problems: {count}. See the arrows above.", "問題: {count} 件。上の → をご覧ください。"
        )
    ),
    # cleaning
    "clean_nothing": DoctorText(
        Sentence("There is nothing to clean up.", "片付けるものはありません。")
    ),
    "clean_closed": DoctorText(
        Sentence("closed, its process is gone: {task}", "プロセスが終了したため閉じました: {task}")
    ),
    "clean_removed": DoctorText(Sentence("removed: {path}", "削除しました: {path}")),
    # the report
    "report_title": DoctorText(
        Sentence(
            "Keys are masked and your home directory is shown as ~. Read it before you send it.",
            "鍵はマスクし、ホームディレクトリは ~ と表示しています。送る前にご確認ください。",
        )
    ),
}


def diagnosis(key: str, lang: Lang, **params: object) -> str:
    """What was found."""
    return DOCTOR[key].finding.say(lang, **params)


def cure(key: str, lang: Lang, **params: object) -> str | None:
    """What to do about it."""
    found = DOCTOR[key].cure
    return None if found is None else found.say(lang, **params)
