"""Errors of the world outside: models, sandboxes, git, disk; E6xx to E9xx."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

WORLD_ERRORS: dict[str, ErrorText] = {
    "model_unavailable": ErrorText(
        "E601",
        "the model did not answer: {reason}.",
        "check the network and the provider's status, then run again.",
        "モデルから応答がありません: {reason}。",
        "ネットワークとプロバイダーの状態を確認して再実行してください。",
    ),
    "model_busy": ErrorText(
        "E601",
        "the provider has too much to do: {reason}.",
        "wait a while and run again, or name a `company.fallback` in the settings.",
        "プロバイダーが混雑しています: {reason}。",
        "しばらく待って再実行するか、設定の `company.fallback` で代替モデルを指定してください。",
    ),
    "model_refused": ErrorText(
        "E602",
        "the provider refused the request: {reason}.",
        "check the key and the model's name.",
        "プロバイダーが要求を拒否しました: {reason}。",
        "API キーとモデル名を確認してください。",
    ),
    "model_untrusted": ErrorText(
        "E602",
        "the certificate of {host} is not trusted: {reason}.",
        "where it is your company's own, name its authority in SSL_CERT_FILE, or as "
        "`model_calls.ca_file` in the settings.",
        "{host} の証明書を信頼できません: {reason}。",
        "自社のものであれば、認証局を SSL_CERT_FILE か設定の `model_calls.ca_file` で"
        "指定してください。",
    ),
    "model_answer_unreadable": ErrorText(
        "E603",
        "the model's answer cannot be understood: {reason}.",
        "try again, or use another model.",
        "モデルの応答を解釈できません: {reason}。",
        "再試行するか、別のモデルを使用してください。",
    ),
    "cassette_unreadable": ErrorText(
        "E604",
        "cassette {path} cannot be used: {reason}.",
        "record it again, or give another file.",
        "カセット {path} を使用できません: {reason}。",
        "再記録するか、別のファイルを指定してください。",
    ),
    "cassette_mismatch": ErrorText(
        "E605",
        "the cassette has no answer for {agent}, turn {turn}: {reason}.",
        "the prompts or the project changed since it was recorded; record it again.",
        "カセットに {agent} のターン {turn} の応答がありません: {reason}。",
        "記録後にプロンプトかプロジェクトが変わっています。再記録してください。",
    ),
    "both_models_failed": ErrorText(
        "E606",
        "the model failed ({primary}), and so did its fallback ({fallback}).",
        "check the network, the keys and the providers' status, then run again.",
        "モデル ({primary}) も代替モデル ({fallback}) も失敗しました。",
        "ネットワーク、API キー、プロバイダーの状態を確認して再実行してください。",
    ),
    "sandbox_not_started": ErrorText(
        "E701",
        "the {runtime} sandbox did not start: {reason}.",
        "{cure}.",
        "サンドボックス {runtime} を起動できません: {reason}。",
        "{cure}。",
    ),
    "sandbox_gone": ErrorText(
        "E702",
        "the sandbox ended unexpectedly: {reason}.",
        "its work is kept as far as it was committed; run again.",
        "サンドボックスが予期せず終了しました: {reason}。",
        "コミット済みの作業は保持されています。再実行してください。",
    ),
    "sandbox_path_refused": ErrorText(
        "E703",
        "{path} is refused: {reason}.",
        "use a path of an existing file inside the workspace.",
        "{path} は拒否されました: {reason}。",
        "ワークスペース内の既存ファイルのパスを使用してください。",
    ),
    "repository_too_large": ErrorText(
        "E704",
        "the project's files and work on them need {needed} MB in a sandbox, and there are "
        "{room} MB.",
        "raise sandbox.disk_mb in .claude/settings.json, or use "
        "`pm-orchestrator run INSTRUCTION --solo`.",
        "プロジェクトのファイルとその作業にはサンドボックス内で {needed} MB が必要ですが、"
        "{room} MB しかありません。",
        ".claude/settings.json の sandbox.disk_mb を増やすか、"
        "`pm-orchestrator run INSTRUCTION --solo` を使ってください。",
    ),
    "setup_failed": ErrorText(
        "E705",
        "`{command}` ended with exit code {code} in the sandbox: {output}",
        "mend what it says, or name other commands under `sandbox.setup` in "
        ".claude/settings.json; then run `pm-orchestrator sandbox build` again.",
        "サンドボックス内の `{command}` が終了コード {code} で終わりました: {output}",
        "表示された問題を直すか、.claude/settings.json の `sandbox.setup` に別のコマンドを"
        "指定してから、`pm-orchestrator sandbox build` を再実行してください。",
    ),
    "setup_not_allowed": ErrorText(
        "E707",
        "these commands want the network, and nobody has said yes: {commands}",
        "say it with `pm-orchestrator sandbox build --yes`, or for good with "
        "`sandbox.setup_allowed` in .claude/settings.json.",
        "次のコマンドはネットワークを使いますが、許可されていません: {commands}",
        "`pm-orchestrator sandbox build --yes` で許可するか、.claude/settings.json の "
        "`sandbox.setup_allowed` で恒久的に許可してください。",
    ),
    "layer_empty": ErrorText(
        "E706",
        "there is nothing to keep: {commands} left no new directory in the project.",
        "name commands under `sandbox.setup` in .claude/settings.json that install below the "
        "project, such as into .venv or node_modules.",
        "保存するものがありません: {commands} はプロジェクト内に新しいディレクトリを作りません"
        "でした。",
        ".claude/settings.json の `sandbox.setup` に、.venv や node_modules のように"
        "プロジェクト内へインストールするコマンドを指定してください。",
    ),
    "git_failed": ErrorText(
        "E801",
        "git {operation} failed: {reason}.",
        "see the run's git.log.",
        "git {operation} が失敗しました: {reason}。",
        "実行の git.log を確認してください。",
    ),
    "git_ref_refused": ErrorText(
        "E802",
        "{ref} is not one of our own refs.",
        "only agent/ branches, refs/pm/ and the integration branch are ever written.",
        "{ref} は本ツールの ref ではありません。",
        "書き込み対象は agent/ ブランチ、refs/pm/、統合ブランチのみです。",
    ),
    "merge_target_refused": ErrorText(
        "E802",
        "nothing is ever merged into {branch} by this program.",
        "use an integration branch such as develop; "
        "{branch} is reached by a pull request that a person approves.",
        "本ツールが {branch} へマージすることはありません。",
        "develop などの統合ブランチを使ってください。"
        "{branch} へは人が承認するプルリクエストで反映します。",
    ),
    "branch_checked_out": ErrorText(
        "E803",
        "{branch} is checked out in {path}, so it is not moved.",
        "switch to another branch there, then run again.",
        "{branch} は {path} でチェックアウトされているため、更新しません。",
        "別のブランチに切り替えてから再実行してください。",
    ),
    "bundle_refused": ErrorText(
        "E804",
        "what the agent handed over is refused: {reason}.",
        "the attempt counts as having delivered nothing; see the run's git.log.",
        "エージェントの成果物を拒否しました: {reason}。",
        "この試行は成果なしとして扱います。実行の git.log を確認してください。",
    ),
    "program_not_started": ErrorText(
        "E901",
        "{program} cannot be started: {reason}.",
        "install it, or correct PATH.",
        "{program} を起動できません: {reason}。",
        "インストールするか、PATH を確認してください。",
    ),
    "disk": ErrorText(
        "E902",
        "{path} cannot be written: {reason}.",
        "free disk space or correct the permissions.",
        "{path} に書き込めません: {reason}。",
        "ディスク容量または権限を確認してください。",
    ),
    "process_lost": ErrorText(
        "E903",
        "{program} got out of control: {reason}.",
        "look for processes it left behind, then run again.",
        "{program} を制御できなくなりました: {reason}。",
        "残ったプロセスがないか確認してから再実行してください。",
    ),
    "program_fault": ErrorText(
        "E905",
        "the program itself broke: {reason}.",
        "this is a fault of pm-orchestrator; report it with this line and the command you gave.",
        "プログラム自体が異常終了しました: {reason}。",
        "pm-orchestrator の不具合です。この行と実行したコマンドを添えて報告してください。",
    ),
    "base_gate_unusable": ErrorText(
        "E906",
        "the project's {gate} check cannot run in the sandbox, on the untouched base either, "
        "so it could prove nothing: {output}",
        "give it what it needs there, name another command under `gates.{gate}` in "
        ".claude/settings.json (an empty list for none), or use "
        "`pm-orchestrator run INSTRUCTION --solo`.",
        "{gate} の検査は、変更前の状態でもサンドボックス内で実行できないため、"
        "何も証明できません: {output}",
        "必要なものを用意するか、.claude/settings.json の `gates.{gate}` で別のコマンドを指定する"
        "（なしにする場合は空のリスト）か、`pm-orchestrator run INSTRUCTION --solo` を"
        "使ってください。",
    ),
    "base_gate_unbuilt": ErrorText(
        "E906",
        "the project's {gate} check cannot run in the sandbox, on the untouched base either: "
        "{missing} is missing, and what the project asks for is not installed there yet.",
        "run `pm-orchestrator sandbox build`: once, in a sandbox with the network on, it runs "
        "{commands}",
        "{gate} の検査は、変更前の状態でもサンドボックス内で実行できません: {missing} がなく、"
        "プロジェクトが必要とするものがまだインストールされていません。",
        "`pm-orchestrator sandbox build` を実行してください。ネットワークに接続できる"
        "サンドボックス内で一度だけ次を実行します: {commands}",
    ),
    "base_gate_unprepared": ErrorText(
        "E906",
        "the project's {gate} check cannot run in the sandbox, on the untouched base either: "
        "{missing} is missing.",
        "run `{command}` in the project: what it installs there, ignored by git, is seen in every "
        "sandbox.",
        "{gate} の検査は、変更前の状態でもサンドボックス内で実行できません: "
        "{missing} がありません。",
        "プロジェクトで `{command}` を実行してください。そこに入り git が無視するものは、"
        "どのサンドボックスからも見えます。",
    ),
    "base_gate_lacks_program": ErrorText(
        "E906",
        "the project's {gate} check cannot run in the sandbox, on the untouched base either: "
        "there is no program {missing}.",
        "install it for the whole system, or in a folder of your PATH that holds programs alone; "
        "or name another command under `gates.{gate}` in .claude/settings.json.",
        "{gate} の検査は、変更前の状態でもサンドボックス内で実行できません: "
        "プログラム {missing} がありません。",
        "システム全体か、プログラムだけを置いた PATH のフォルダーにインストールするか、"
        ".claude/settings.json の `gates.{gate}` で別のコマンドを指定してください。",
    ),
    "tree_too_large": ErrorText(
        "E904",
        "{path} is more than one look may take: {reason}.",
        "leave data out of the project, or name it in .gitignore.",
        "{path} は一度に確認できる量を超えています: {reason}。",
        "データをプロジェクトの外に置くか、.gitignore に追加してください。",
    ),
    "rescue_too_large": ErrorText(
        "E904",
        "the files could not be saved for undo: {reason}.",
        "make the project a git repository, or leave large files out of it.",
        "元に戻すためのファイル保存ができません: {reason}。",
        "プロジェクトを git リポジトリにするか、大きなファイルを外してください。",
    ),
}
