"""What `--help` says: the English stands beside each option, and is the key here.

`tests/acceptance/test_help.py` walks all commands, so nothing is left in English by oversight.
"""

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
        " Every run does the same once a day.",
        "記録、ハッシュ、タスクログ、回答は残り、チェーンには消した生ログの印が残るので、"
        "`evidence verify` は残りを検証できます。使用中のセッションには触れません。"
        "実行のたびに、1 日 1 回同じことが行われます。",
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

OPTION_TEXTS = (
    Sentence("Show the version and exit.", "バージョンを表示して終わります。"),
    Sentence("Show this message and exit.", "このメッセージを表示して終わります。"),
    Sentence(
        "Accept only this: a gate's name, asked, parts, time, dilution, limits, secrets or tree.",
        "これだけを承認します: ゲート名、asked、parts、time、dilution、limits、secrets、tree。",
    ),
    Sentence("Print JSON.", "JSON で出力します。"),
    Sentence(
        "The project's directory; by default the current one, or the one it lies in.",
        "プロジェクトのディレクトリ。既定は現在のディレクトリか、それを含むプロジェクトです。",
    ),
    Sentence(
        "The project's directory; the current one by default.",
        "プロジェクトのディレクトリ。既定は現在のディレクトリです。",
    ),
    Sentence("Language of the texts.", "表示言語。"),
    Sentence(
        "Take this measurement alone; an unknown one lists them all.",
        "この測定だけを行います。知らない名前なら一覧が出ます。",
    ),
    Sentence(
        "The model API a company asks; that of the settings by default.",
        "company が使うモデル API。既定は設定の company.adapter です。",
    ),
    Sentence(
        "The model to work with; the selected one by default.",
        "使うモデル。既定は選択中のモデルです。",
    ),
    Sentence(
        "Let the task change this many files, whatever the settings say.",
        "設定にかかわらず、変更してよいファイル数をこの数にします。",
    ),
    Sentence(
        "Let the executor work this long, whatever the settings say.",
        "設定にかかわらず、実行エージェントの作業時間 (分) をこの長さにします。",
    ),
    Sentence(
        "Leave the sample project for a closer look.",
        "見本プロジェクトを後で見られるように残します。",
    ),
    Sentence(
        "Replay other recorded answers than the ones that ship with the program.",
        "付属のものではない、別の記録済み回答を再生します。",
    ),
    Sentence("Print all of it, masked, to send on.", "送付用に、秘密を伏せてすべて出力します。"),
    Sentence(
        "Remove what dead processes of ours left behind.",
        "終了した自プロセスの残したものを取り除きます。",
    ),
    Sentence("Print its raw log instead.", "代わりに生ログを出力します。"),
    Sentence(
        "Add only what is missing to an existing .claude.",
        "既存の .claude に、足りないものだけを加えます。",
    ),
    Sentence(
        "The session to look at; the latest by default, or the one that has TASK.",
        "対象のセッション。既定は最新、または TASK のあるものです。",
    ),
    Sentence(
        "Show the executor's inner workings too.", "実行エージェントの内部の動きも表示します。"
    ),
    Sentence(
        "Show threads, runs and tasks as a tree.", "スレッド、実行、タスクを木構造で表示します。"
    ),
    Sentence(
        "How old they must be; evidence_settings.retention_days of the settings by default.",
        "対象とする古さ (日数)。既定は設定の evidence_settings.retention_days です。",
    ),
    Sentence("Only say what would go.", "何が消えるかを示すだけにします。"),
    Sentence(
        "Work here, in a new temporary directory, or in --project-root.",
        "作業場所: ここ、新しい一時ディレクトリ、または --project-root。",
    ),
    Sentence(
        "The directory of fixed mode; it must exist.",
        "fixed モードのディレクトリ。既に存在している必要があります。",
    ),
    Sentence(
        "Print PROJECT_PATH=... before anything else.", "最初に PROJECT_PATH=... を出力します。"
    ),
    Sentence(
        "Read commands from stdin, even on a terminal.",
        "端末上でも、標準入力からコマンドを読みます。",
    ),
    Sentence(
        "Leave at the end of a script, or wait for more of it.",
        "スクリプトの終わりで終了するか、続きを待つか。",
    ),
    Sentence(
        "Finish each instruction of a script before the next line is read.",
        "スクリプトの指示を 1 つ終えてから次の行を読むかどうか。",
    ),
    Sentence(
        "How long the executor may work on one instruction, in milliseconds; "
        "in a script 60000 by default.",
        "1 つの指示にかけてよい時間 (ミリ秒)。スクリプトでの既定は 60000 です。",
    ),
    Sentence(
        "How long it may show no sign of life, in milliseconds; in a script 30000 by default.",
        "無反応でいてよい時間 (ミリ秒)。スクリプトでの既定は 30000 です。",
    ),
    Sentence(
        "How the end of a task is summed up; the project's setting by default.",
        "タスク終了時のまとめの形式。既定はプロジェクトの設定です。",
    ),
    Sentence(
        "Answer from a cassette instead of a provider.",
        "プロバイダーの代わりに、記録済みのカセットから答えます。",
    ),
    Sentence(
        "Read the instruction from a file; - is stdin.",
        "指示をファイルから読みます (- は標準入力)。",
    ),
    Sentence(
        "One executor works in the project directory.",
        "1 つの実行エージェントがプロジェクトのディレクトリで作業します。",
    ),
    Sentence("Workers at the same time.", "同時に働くワーカーの数。"),
    Sentence("The commit to start from.", "起点とするコミット。"),
    Sentence(
        "Solo: go on in the executor's last conversation.",
        "solo: 実行エージェントの前回の会話を続けます。",
    ),
)

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
