"""What `--help` says: the English stands beside each option, and is the key here.

`tests/acceptance/test_help.py` walks all commands, so nothing is left in English by oversight.
"""

from pm_orchestrator.domain.catalogue.option_texts import OPTION_TEXTS
from pm_orchestrator.domain.text import Lang, Sentence

COMMAND_LINES = (
    Sentence("Carry out one instruction.", "指示を 1 つ実行します。"),
    Sentence(
        "Answer a task's question, or say what it still needs.",
        "タスクの質問に答えるか、未完了のタスクに追加で指示します。",
    ),
    Sentence(
        "Go on with an approved session's unfinished task.",
        "承認済みセッションの未完了タスクを続けます。",
    ),
    Sentence("Go on with a run that was cut off.", "途中で切れた実行を再開します。"),
    Sentence(
        "Stop a running task, here or in another process.",
        "実行中のタスクを止めます (別プロセスのものも可)。",
    ),
    Sentence(
        "Settle what keeps a finished task from being complete.",
        "終わったタスクの完了を妨げている点を承認します。",
    ),
    Sentence(
        "Put the files back as they were before a task.", "ファイルをタスク前の状態に戻します。"
    ),
    Sentence("Begin a session.", "セッションを開始します。"),
    Sentence("Allow an unfinished session to go on.", "未完了セッションの継続を承認します。"),
    Sentence("Show how a session or a run stands.", "セッションや実行の状態を表示します。"),
    Sentence(
        "Work in a conversation, or run a script of commands.",
        "対話形式で作業するか、コマンドのスクリプトを実行します。",
    ),
    Sentence(
        "Show the tasks of a project and their logs.",
        "プロジェクトのタスクとそのログを表示します。",
    ),
    Sentence("Show what a task changed.", "タスクが何を変更したかを表示します。"),
    Sentence(
        "List the runs of a project with their status.", "プロジェクトの実行を状態付きで並べます。"
    ),
    Sentence("Follow a task or a run until it ends.", "タスクや実行を終わるまで追跡します。"),
    Sentence("Verify or show what the Runner recorded.", "Runner の記録を検証・表示します。"),
    Sentence(
        "List or show runs that wait for a person's approval.",
        "人の承認を待つ実行を一覧・表示します。",
    ),
    Sentence("Make a directory a project.", "ディレクトリをプロジェクトにします。"),
    Sentence("Check the project's settings.", "プロジェクトの設定を検査します。"),
    Sentence(
        "Check whether everything is there that work needs.",
        "作業に必要なものがそろっているか調べます。",
    ),
    Sentence(
        "Look into the sandboxes that workers get.",
        "ワーカーが使うサンドボックスを確かめます。",
    ),
    Sentence(
        "Take away raw logs that are older than they are kept.",
        "保存期間を過ぎた生ログを片付けます。",
    ),
    Sentence(
        "Print the script for completion in your shell.", "シェル補完用のスクリプトを出力します。"
    ),
    Sentence(
        "See a whole run on a sample project: no key, no network.",
        "見本での実行を最後まで見ます (キーもネットワークも不要)。",
    ),
    Sentence(
        "Measure the product against its own limits, as ratios.",
        "製品の速さを自らの上限に対する比で測ります。",
    ),
)
"""One for each command in the list of all."""

DESCRIPTIONS = (
    Sentence(
        "A small company of coding agents, and a Runner that proves what they did.",
        "コーディングエージェントの小さな会社と、その仕事を証明する Runner です。",
    ),
    Sentence(
        "Exit codes: 0 complete, 1 error, 2 incomplete.",
        "終了コード: 0 完了、1 エラー、2 未完了。",
    ),
    Sentence(
        "Accept what keeps TASK from being complete, where that is for a person to decide.",
        "TASK の完了を妨げている点のうち、人が判断してよいものを承認します。",
    ),
    Sentence(
        "Approve the continuation of SESSION. It covers one `continue`.",
        "SESSION の継続を承認します。`continue` 1 回分に有効です。",
    ),
    Sentence(
        "Show what TASK changed: the files, and their lines before and after; by default the last.",
        "TASK による変更をファイルと前後の行で表示します。省略時は最後のタスクです。",
    ),
    Sentence(
        "Measure speed as ratios: each part of the product against a yardstick of this machine.",
        "速さを比で測ります。製品の各部を、このマシンでの基準と比べます。",
    ),
    Sentence(
        "Stop TASK with everything it has started, as Ctrl-C where it runs would.",
        "TASK と、それが起動したものをすべて止めます。実行元での Ctrl-C と同じです。",
    ),
    Sentence(
        "Its work is kept, and its log is closed when this returns.",
        "作業内容は残ります。このコマンドが終わった時点でログは閉じています。",
    ),
    Sentence("Print the completion script for SHELL.", "SHELL 用の補完スクリプトを出力します。"),
    Sentence(
        'bash, in ~/.bashrc: `eval "$(pm-orchestrator completion bash)"`',
        'bash (~/.bashrc の末尾に): `eval "$(pm-orchestrator completion bash)"`',
    ),
    Sentence(
        'zsh, in ~/.zshrc: `eval "$(pm-orchestrator completion zsh)"`',
        'zsh (~/.zshrc の末尾に): `eval "$(pm-orchestrator completion zsh)"`',
    ),
    Sentence(
        "fish, in config.fish: `pm-orchestrator completion fish | source`",
        "fish (config.fish の末尾に): `pm-orchestrator completion fish | source`",
    ),
    Sentence(
        "Go on with the unfinished task of SESSION, after `approve SESSION`.",
        "`approve SESSION` の後で、SESSION の未完了タスクを続けます。",
    ),
    Sentence(
        "Three scripted workers do a small job in sandboxes; one of them lies. Watch the Runner.",
        "台本どおりに動く 3 人のワーカーがサンドボックスで小さな仕事をします。1 人は嘘をつきます。"
        "Runner の働きをご覧ください。",
    ),
    Sentence(
        "No key and no network are needed. Everything but the models' answers is real.",
        "キーもネットワークも不要です。モデルの回答以外はすべて本物です。",
    ),
    Sentence(
        "Check tools, sandboxes, keys, disk and the project; a cure stands below each problem.",
        "ツール、サンドボックス、キー、ディスク、プロジェクトを調べます。"
        "問題の下には対処法を示します。",
    ),
    Sentence(
        "✓ is fine, · is worth knowing, ✗ is a problem. Nothing is changed without --clean.",
        "✓ は正常、· は参考情報、✗ は問題です。--clean がなければ何も変更しません。",
    ),
    Sentence(
        "Exit code 0 when nothing essential is wrong, 1 otherwise.",
        "重大な問題がなければ終了コードは 0、あれば 1 です。",
    ),
    Sentence("Verify or show the evidence of a project.", "プロジェクトの証拠を検証・表示します。"),
    Sentence(
        "Print one record; it is JSON with and without --json.",
        "記録を 1 件出力します。--json の有無にかかわらず JSON です。",
    ),
    Sentence(
        "Check every record, raw log and link of the chain again.",
        "すべての記録、生ログ、チェーンのつながりを検査し直します。",
    ),
    Sentence(
        "Exit code 0 when everything is intact, 1 otherwise.",
        "すべて無傷なら終了コードは 0、そうでなければ 1 です。",
    ),
    Sentence(
        "Create .claude/ with default settings. Nothing that exists is overwritten.",
        "既定の設定で .claude/ を作ります。既にあるものは上書きしません。",
    ),
    Sentence(
        "List the tasks of the latest session, or show the log of TASK of any session.",
        "最新セッションのタスクを並べるか、いずれかのセッションの TASK のログを表示します。",
    ),
    Sentence(
        "TASK is either id of it, or what its id begins with.",
        "TASK はどちらの ID でも、ID の先頭部分でも指定できます。",
    ),
    Sentence(
        "Take away the raw logs of tasks that ended long ago.",
        "ずっと前に終わったタスクの生ログを片付けます。",
    ),
    Sentence(
        "Records, hashes, task logs and answers stay, and a tombstone in the chain stands for each"
        " raw log, so `evidence verify` still proves the rest. Sessions in use are left alone."
        " Every run does the same once a day. What `sandbox build` has installed and nobody has"
        " used for as long goes as well.",
        "記録、ハッシュ、タスクログ、回答は残り、チェーンには消した生ログの印が残るので、"
        "`evidence verify` は残りを検証できます。使用中のセッションには触れません。"
        "実行のたびに、1 日 1 回同じことが行われます。`sandbox build` がインストールし、"
        "同じ期間使われなかったものも片付けます。",
    ),
    Sentence(
        "Read lines from stdin: slash commands, or instructions in plain words.",
        "標準入力から行を読みます。スラッシュコマンド、または普通の言葉での指示です。",
    ),
    Sentence(
        "In a script each line is finished, and its output written, before the next is read.",
        "スクリプトでは、1 行ずつ完了させ、出力してから次の行を読みます。",
    ),
    Sentence(
        "Answer TASK with TEXT; the task goes on under its id.",
        "TASK に TEXT で答えます。タスクは同じ ID のまま続きます。",
    ),
    Sentence(
        "Go on with RUN after a crash, an outage or Ctrl-C; no finished step is done again.",
        "クラッシュ、障害、Ctrl-C の後で RUN を再開します。終わった手順は繰り返しません。",
    ),
    Sentence(
        "A finished run that could not be pushed is pushed now.",
        "終わったのに push できなかった実行は、ここで push します。",
    ),
    Sentence(
        "Try a command in a worker's sandbox, see what is there, or install what it needs.",
        "ワーカーのサンドボックスでコマンドを試す、中身を見る、必要なものをインストールする。",
    ),
    Sentence(
        "Install what the project's lock files ask for, once, for all its sandboxes.",
        "プロジェクトのロックファイルが求めるものを、全サンドボックス用に一度だけ"
        "インストールします。",
    ),
    Sentence(
        "The commands of `sandbox.setup`, or those that the lock files ask for, run in a sandbox "
        "of their own on the files of the commit, with this machine's network on. What they leave "
        "is kept until the lock files change or `prune` finds it unused, and workers and checks "
        "see it offline.",
        "`sandbox.setup` のコマンド、またはロックファイルが求めるコマンドを、コミットのファイルに"
        "対して専用のサンドボックスで実行します。このときだけこのマシンのネットワークに接続"
        "できます。結果はロックファイルが変わるか、`prune` が未使用と判断するまで保持され、"
        "ワーカーと検査からはオフラインで見えます。",
    ),
    Sentence("The commit whose lock files count.", "ロックファイルを読み取るコミット。"),
    Sentence(
        "Let the commands reach the network without asking.",
        "確認せずにコマンドのネットワーク接続を許可する。",
    ),
    Sentence(
        "Run ARGV in a new sandbox with the project checked out, offline, and throw it away.",
        "プロジェクトをチェックアウトした新しいサンドボックスで ARGV をオフライン実行し、"
        "終わったら破棄します。",
    ),
    Sentence(
        "What is not committed is not in it, and what the command writes does not come back. The "
        "exit code is the command's own. Put `--` before a command that has options.",
        "コミットしていない変更は含まれず、コマンドが書いたものは残りません。終了コードは"
        "コマンド自身のものです。オプション付きのコマンドの前には `--` を置いてください。",
    ),
    Sentence("Another than the settings say.", "設定とは別のものを使います。"),
    Sentence(
        "The commit that is checked out in it.", "中にチェックアウトするコミットを指定します。"
    ),
    Sentence(
        "Show which runtimes work, what of this machine is seen inside, and which checks run "
        "there.",
        "動作するランタイム、内部から見えるこのマシンのもの、そこで動く検査を表示します。",
    ),
    Sentence("One line per review.", "レビューを 1 行ずつ並べます。"),
    Sentence("Everything about one review.", "レビュー 1 件の詳細をすべて表示します。"),
    Sentence(
        "Carry out INSTRUCTION and prove the result.",
        "INSTRUCTION を実行し、結果を証明します。",
    ),
    Sentence(
        "List the runs of all sessions, the latest last; with --json all of them.",
        "全セッションの実行を、新しいものを最後にして並べます。--json ではすべて出力します。",
    ),
    Sentence(
        "Begin a session in PATH, or in the project.",
        "PATH で、またはプロジェクトでセッションを開始します。",
    ),
    Sentence(
        "Show a session or a run; the latest session by default.",
        "セッションや実行を表示します。既定は最新のセッションです。",
    ),
    Sentence(
        "Put the project's files back as they were before TASK; again, to bring its work back.",
        "プロジェクトのファイルを TASK の前の状態に戻します。もう一度実行すると作業が戻ります。",
    ),
    Sentence(
        "Everything that changed since then goes, later tasks included; it is saved first. Ignored"
        " files, commits and branches stay as they are.",
        "以降のタスクも含め、その後の変更はすべて取り除かれます (先に保存されます)。"
        "無視対象のファイル、コミット、ブランチはそのままです。",
    ),
    Sentence(
        "Check .claude and its settings; with --json print the settings in force.",
        ".claude と設定を検査します。--json では有効な設定を出力します。",
    ),
    Sentence(
        "Follow TASK or RUN from its files until it ends; by default what runs now.",
        "TASK または RUN を、そのファイルから終わるまで追跡します。既定は実行中のものです。",
    ),
    Sentence(
        "Ctrl-C ends the watching, not the work. With --json each line is one JSON object; the"
        ' last one has "source": "end".',
        "Ctrl-C で終わるのは追跡だけで、作業は続きます。--json では 1 行が 1 つの JSON で、"
        '最後の行は "source": "end" を持ちます。',
    ),
    Sentence(
        "The exit code is that of what is watched: 0 complete, 1 error, 2 incomplete.",
        "終了コードは追跡対象のものです: 0 完了、1 エラー、2 未完了。",
    ),
)
"""The paragraphs above the options of a command."""

HEADINGS = (
    Sentence("Usage:", "使い方:"),
    Sentence("Options", "オプション"),
    Sentence("Commands", "コマンド"),
    Sentence("default", "既定"),
)

HELP_TEXTS: dict[str, Sentence] = {
    sentence.en: sentence for sentence in (*COMMAND_LINES, *DESCRIPTIONS, *OPTION_TEXTS, *HEADINGS)
}


def help_in(lang: Lang, english: str) -> str:
    """The text in `lang`; a word of a command line (`[x>=1]`) is the same in both."""
    found = HELP_TEXTS.get(english)
    return english if found is None else found.say(lang)
