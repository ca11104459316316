"""One code, one meaning: every error with its sentence and its cure.

A slug is the name used in code; several slugs may share a code when they are
cases of the same meaning. Braces are filled from the error's parameters.
"""

from typing import NamedTuple

from pm_orchestrator.domain.text import Lang


class ErrorText(NamedTuple):
    """Code, what happened and what to do, in English and Japanese."""

    code: str
    what_en: str
    hint_en: str
    what_ja: str
    hint_ja: str

    def what(self, lang: Lang) -> str:
        return self.what_ja if lang == "ja" else self.what_en

    def hint(self, lang: Lang) -> str:
        return self.hint_ja if lang == "ja" else self.hint_en


ERRORS: dict[str, ErrorText] = {
    "no_claude_dir": ErrorText(
        "E101",
        "{path} has no .claude directory.",
        "run `pm-orchestrator init --project {path}` first.",
        "{path} に .claude ディレクトリがありません。",
        "先に `pm-orchestrator init --project {path}` を実行してください。",
    ),
    "bad_project_path": ErrorText(
        "E102",
        "{path} cannot be the project: {reason}.",
        "give an existing directory that you may write to, with --project.",
        "{path} はプロジェクトとして使えません: {reason}。",
        "書き込みできる既存のディレクトリを --project で指定してください。",
    ),
    "no_commits": ErrorText(
        "E102",
        "the repository in {path} has no commit yet.",
        "make a first commit, so that there is a base to work from.",
        "{path} のリポジトリにはまだコミットがありません。",
        "作業の起点となる最初のコミットを作成してください。",
    ),
    "not_a_repository": ErrorText(
        "E102",
        "{path} is not a git repository.",
        "run `git init` and commit, or use `run --solo`.",
        "{path} は git リポジトリではありません。",
        "`git init` してコミットするか、`run --solo` を使ってください。",
    ),
    "shallow_repository": ErrorText(
        "E102",
        "the repository in {path} is a shallow clone, which cannot be handed to agents.",
        "run `git fetch --unshallow` there, then try again.",
        "{path} のリポジトリは shallow クローンのため、エージェントに渡せません。",
        "`git fetch --unshallow` を実行してから、もう一度お試しください。",
    ),
    "config_missing": ErrorText(
        "E103",
        "{path} is missing.",
        "run `pm-orchestrator init --adopt`, which adds only what is missing.",
        "{path} がありません。",
        "不足分だけを追加する `pm-orchestrator init --adopt` を実行してください。",
    ),
    "config_schema": ErrorText(
        "E104",
        "{path}: {reason}.",
        "correct this entry; `pm-orchestrator validate` checks the file.",
        "{path}: {reason}。",
        "この項目を修正してください。`pm-orchestrator validate` で検証できます。",
    ),
    "config_corrupt": ErrorText(
        "E105",
        "{path} cannot be read as JSON: {reason}.",
        "restore the file from your backup or history; it is never repaired by guessing.",
        "{path} を JSON として読めません: {reason}。",
        "バックアップや履歴から復元してください。推測による修復は行いません。",
    ),
    "phase_failed": ErrorText(
        "E201",
        "phase {phase} failed: {reason}.",
        "see `pm-orchestrator logs {task}`.",
        "フェーズ {phase} が失敗しました: {reason}。",
        "`pm-orchestrator logs {task}` を確認してください。",
    ),
    "step_crashed": ErrorText(
        "E201",
        "the step's own code broke with {kind}: {reason}.",
        "this is a fault of the Runner; please report it with the run's errors.log.",
        "ステップのコードが {kind} で異常終了しました: {reason}。",
        "Runner の不具合です。実行の errors.log を添えて報告してください。",
    ),
    "phase_skipped": ErrorText(
        "E202",
        "phase {wanted} was entered before {expected}.",
        "this is a fault of the Runner; please report it with the task's log.",
        "フェーズ {expected} の前に {wanted} へ入りました。",
        "Runner の不具合です。タスクのログを添えて報告してください。",
    ),
    "bad_transition": ErrorText(
        "E203",
        "{current} cannot be followed by {wanted}.",
        "this is a fault of the Runner; please report it with the task's log.",
        "{current} の次に {wanted} へは進めません。",
        "Runner の不具合です。タスクのログを添えて報告してください。",
    ),
    "run_input_changed": ErrorText(
        "E204",
        "this run was started with another input.",
        "start a new run for the new input.",
        "この実行は異なる入力で開始されています。",
        "新しい入力には新しい実行を開始してください。",
    ),
    "step_not_repeated": ErrorText(
        "E204",
        "step {key} is in the journal, but the run does not ask for it any more.",
        "the run's code changed since it started; start a new run.",
        "ステップ {key} はジャーナルにありますが、実行がもう要求しません。",
        "開始後に実行コードが変わっています。新しい実行を開始してください。",
    ),
    "step_unbound": ErrorText(
        "E204",
        "step {name} has no implementation here.",
        "this is a fault of the Runner; please report it.",
        "ステップ {name} の実装がありません。",
        "Runner の不具合です。報告してください。",
    ),
    "task_duplicate": ErrorText(
        "E204",
        "task {task} is already in session {session}.",
        "use another task id; one id names one task.",
        "タスク {task} はセッション {session} に既に登録されています。",
        "別のタスク ID を使用してください。1 つの ID は 1 つのタスクだけを表します。",
    ),
    "task_closed": ErrorText(
        "E204",
        "the log of task {task} is already closed.",
        "this is a fault of the Runner; please report it with the task's log.",
        "タスク {task} のログは既に閉じられています。",
        "Runner の不具合です。タスクのログを添えて報告してください。",
    ),
    "log_reason_missing": ErrorText(
        "E204",
        "task {task} cannot end as {status} without a reason.",
        "this is a fault of the Runner; please report it with the task's log.",
        "タスク {task} を理由なしに {status} で終了できません。",
        "Runner の不具合です。タスクのログを添えて報告してください。",
    ),
    "decomposition_invalid": ErrorText(
        "E205",
        "the manager's proposal cannot be used: {reason}.",
        "rephrase the instruction, or run it with --solo.",
        "マネージャーの分解案は使用できません: {reason}。",
        "指示を言い換えるか、--solo で実行してください。",
    ),
    "limit_exceeded": ErrorText(
        "E206",
        "{limit} is limited to {allowed}, but {actual} was asked for.",
        "split the task, or raise the limit in .claude/settings.json.",
        "{limit} の上限は {allowed} ですが、{actual} が要求されました。",
        "タスクを分割するか、.claude/settings.json の上限を変更してください。",
    ),
    "payload_too_large": ErrorText(
        "E206",
        "{what} has {actual} bytes; {allowed} are allowed.",
        "hand larger things over by reference to the store.",
        "{what} は {actual} バイトです。上限は {allowed} バイトです。",
        "大きなデータはストアへの参照で渡してください。",
    ),
    "unknown_command": ErrorText(
        "E209",
        "unknown command {command}.",
        "/help lists the commands.",
        "不明なコマンドです: {command}",
        "/help でコマンド一覧を確認できます。",
    ),
    "bad_argument": ErrorText(
        "E210",
        "{reason}.",
        "see `pm-orchestrator {command} --help`.",
        "{reason}。",
        "`pm-orchestrator {command} --help` を参照してください。",
    ),
    "already_initialised": ErrorText(
        "E210",
        "already there: {names}.",
        "use `pm-orchestrator init --adopt` to add only what is missing.",
        "既に存在します: {names}。",
        "不足分だけを追加するには `pm-orchestrator init --adopt` を使ってください。",
    ),
    "ask_target": ErrorText(
        "E210",
        "Which file name or path is meant?",
        "say it again with the file's name or path.",
        "対象のファイル名またはパスを指定してください。",
        "ファイル名またはパスを含めて再入力してください。",
    ),
    "ask_place": ErrorText(
        "E210",
        "Which function or place is to be changed? (for example a command, an error text, a file)",
        "say it again with the place that is meant.",
        "どの機能/箇所を修正しますか？（例: コマンド名、エラー文、対象ファイル）",
        "対象箇所を含めて再入力してください。",
    ),
    "dangerous_instruction": ErrorText(
        "E210",
        "this instruction destroys things and needs an explicit yes; nothing was started.",
        "do it by hand, or name a smaller task that can be checked.",
        "この指示は破壊的な操作を含むため、明示的な承認が必要です。何も実行していません。",
        "手動で実行するか、検証可能なより小さいタスクを指示してください。",
    ),
    "task_unknown": ErrorText(
        "E210",
        "there is no task {task} in session {session}.",
        "`pm-orchestrator logs` lists the tasks; both kinds of id are understood.",
        "セッション {session} にタスク {task} はありません。",
        "`pm-orchestrator logs` でタスク一覧を確認できます。どちらの形式の ID も使えます。",
    ),
    "no_session": ErrorText(
        "E210",
        "there is no session yet.",
        "type /start first.",
        "セッションがありません。",
        "先に /start を実行してください。",
    ),
    "provider_not_set": ErrorText(
        "E211",
        "{what} is not set for {provider}.",
        "{cure}.",
        "{provider} の {what} が設定されていません。",
        "{cure}。",
    ),
    "evidence_not_collected": ErrorText(
        "E301",
        "no evidence could be written to {path}: {reason}.",
        "free disk space or correct the permissions, then run again.",
        "{path} に証跡を書き込めません: {reason}。",
        "ディスク容量または権限を確認して再実行してください。",
    ),
    "evidence_invalid": ErrorText(
        "E302",
        "evidence {evidence} is invalid: {reason}.",
        "`pm-orchestrator evidence verify` shows everything that does not fit.",
        "証跡 {evidence} は不正です: {reason}。",
        "`pm-orchestrator evidence verify` で不整合を確認できます。",
    ),
    "artifacts_missing": ErrorText(
        "E303",
        "{path} is named by evidence {evidence} but is gone.",
        "restore the file; without it the operation counts as NO_EVIDENCE.",
        "証跡 {evidence} が参照する {path} がありません。",
        "ファイルを復元してください。ない場合は NO_EVIDENCE として扱います。",
    ),
    "hash_mismatch": ErrorText(
        "E304",
        "{path} was altered after it was recorded.",
        "restore the file; what it recorded counts as NO_EVIDENCE.",
        "{path} は記録後に変更されています。",
        "ファイルを復元してください。該当の操作は NO_EVIDENCE として扱います。",
    ),
    "evidence_unknown_format": ErrorText(
        "E305",
        "{path} is not evidence this version can read: {reason}.",
        "use the version that wrote it; unknown formats are never trusted.",
        "{path} はこのバージョンで読める証跡ではありません: {reason}。",
        "記録したバージョンを使用してください。未知の形式は信頼しません。",
    ),
    "owner_alive": ErrorText(
        "E402",
        "{what} is held by process {holder}.",
        "wait for it, or stop that process; a living owner is never pushed aside.",
        "{what} はプロセス {holder} が保持しています。",
        "終了を待つか、そのプロセスを停止してください。",
    ),
    "semaphore_limit": ErrorText(
        "E404",
        "{actual} executors at a time were asked for; {allowed} are allowed.",
        "use a number in this range; more work waits in the queue.",
        "同時実行数 {actual} が要求されましたが、許可されるのは {allowed} です。",
        "この範囲の数を指定してください。残りの作業はキューで待機します。",
    ),
    "executor_failed": ErrorText(
        "E503",
        "executor {executor} failed: {reason}.",
        "see the task's log; correct what it names and run again.",
        "Executor {executor} が失敗しました: {reason}。",
        "タスクのログを確認し、原因を取り除いて再実行してください。",
    ),
    "executor_invalid": ErrorText(
        "E503",
        "executor {executor} cannot be used: {reason}.",
        "{cure}.",
        "Executor {executor} は使用できません: {reason}。",
        "{cure}。",
    ),
    "lifecycle_violation": ErrorText(
        "E204",
        "step {key} was replayed with another input.",
        "the run's code or its order changed since it started; start a new run.",
        "ステップ {key} が異なる入力で再実行されました。",
        "開始後に実行コードまたは指示が変わっています。新しい実行を開始してください。",
    ),
    "step_failed": ErrorText(
        "E201",
        "step {key} failed: {reason}.",
        "see the run's errors.log.",
        "ステップ {key} が失敗しました: {reason}。",
        "実行の errors.log を確認してください。",
    ),
    "model_unavailable": ErrorText(
        "E601",
        "the model did not answer: {reason}.",
        "check the network and the provider's status, then run again.",
        "モデルから応答がありません: {reason}。",
        "ネットワークとプロバイダーの状態を確認して再実行してください。",
    ),
    "model_refused": ErrorText(
        "E602",
        "the provider refused the request: {reason}.",
        "check the key and the model's name.",
        "プロバイダーが要求を拒否しました: {reason}。",
        "API キーとモデル名を確認してください。",
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
        "only agent/ branches and refs/pm/ are ever written.",
        "{ref} は本ツールの ref ではありません。",
        "書き込み対象は agent/ ブランチと refs/pm/ のみです。",
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
}
