"""What `--help` says of each option; the English stands beside it, and is the key."""

from pm_orchestrator.domain.text import Sentence

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
        "The model API to ask for this task, such as openai, anthropic, gemini or ollama; "
        "the selected provider, or that of the settings, by default.",
        "このタスクで使うモデル API (openai、anthropic、gemini、ollama など)。"
        "既定は選択中のプロバイダー、company では設定の company.adapter です。",
    ),
    Sentence(
        "What a company's workers are: tool-loop, or a coding CLI.",
        "company のワーカーの種類: tool-loop またはコーディング CLI。",
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
        "Let models answer this often, all agents together.",
        "モデルの回答回数の上限を、全エージェント合計でこの数にします。",
    ),
    Sentence(
        "Let the run use this many tokens, all agents together.",
        "使用トークン数の上限を、全エージェント合計でこの数にします。",
    ),
    Sentence(
        "Let the run cost this many US dollars, all agents together.",
        "費用 (米ドル) の上限を、全エージェント合計でこの額にします。",
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
        "Put what the models answer into a cassette, secrets masked.",
        "モデルの応答を、秘密をマスクしてカセットに記録します。",
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
