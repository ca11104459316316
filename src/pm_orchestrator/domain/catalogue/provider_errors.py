"""Errors of selecting and using a provider, a model and a key."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

PROVIDER_ERRORS: dict[str, ErrorText] = {
    "provider_unknown": ErrorText(
        "E210",
        "there is no provider {provider}.",
        "use one of {known}.",
        "プロバイダー {provider} はありません。",
        "次のいずれかを指定してください: {known}",
    ),
    "model_unknown": ErrorText(
        "E210",
        "{provider} has no model {model} in the list.",
        "use one of {known}; `/model <name>` takes any other name.",
        "{provider} のモデル一覧に {model} はありません。",
        "次のいずれかを指定してください: {known}。"
        "一覧にない名前は `/model <name>` で指定できます。",
    ),
    "model_name_refused": ErrorText(
        "E210",
        "{model} cannot be the name of a model: it is blank, too long or holds control characters.",
        "write `/model <name>` with the name as the provider spells it.",
        "{model} はモデル名に使えません: 空、長すぎる、または制御文字を含みます。",
        "`/model <name>` でプロバイダーの表記どおりの名前を指定してください。",
    ),
    "model_name_is_secret": ErrorText(
        "E210",
        "that is a key or looks like one, so it was not stored.",
        "keys are read from the environment only; /keys says from which variables.",
        "API キーまたはそれに類する値のため、保存しませんでした。",
        "API キーは環境変数からのみ読み取ります。変数名は /keys で確認できます。",
    ),
    "model_not_selected": ErrorText(
        "E211",
        "no model is selected for {provider}.",
        "`/models list` shows its models, `/models <name>` selects one; "
        "`/provider claude-code` needs none.",
        "{provider} のモデルが選択されていません。",
        "`/models list` で一覧を表示し、`/models <name>` で選択してください。"
        "`/provider claude-code` なら不要です。",
    ),
    "adapter_without_model": ErrorText(
        "E211",
        "no model of {adapter} is named.",
        "add `--model <name>`; for a company the settings may name it, as company.adapter and "
        "company.model.",
        "{adapter} のモデルが指定されていません。",
        "`--model <name>` を追加してください。company では設定の company.adapter と "
        "company.model でも指定できます。",
    ),
    "executor_only_company": ErrorText(
        "E210",
        "--executor chooses what the workers of a company are; a solo task has one of its own.",
        "leave out --executor, or --solo.",
        "--executor は company のワーカーの指定です。solo のタスクには専用の Executor があります。",
        "--executor または --solo を外してください。",
    ),
    "worker_unknown": ErrorText(
        "E503",
        "{executor} cannot be a worker of a company.",
        "choose with `--executor` or company.executor one of {known}.",
        "{executor} は company のワーカーとして使用できません。",
        "`--executor` または company.executor で次のいずれかを選択してください: {known}",
    ),
    "worker_speaks_other": ErrorText(
        "E503",
        "{executor} asks its model by the API of {speaks}, and the company asks {adapter}.",
        "choose `--adapter {speaks}` with a model of it, or `--executor tool-loop`.",
        "{executor} は {speaks} の API を使いますが、company は {adapter} を使います。",
        "`--adapter {speaks}` とそのモデルを指定するか、"
        "`--executor tool-loop` を選択してください。",
    ),
    "worker_not_seen": ErrorText(
        "E503",
        "`{program}` runs here, but not in a sandbox, where {executor} would work.",
        "install it in a directory of its own that is on PATH, as npm does.",
        "`{program}` はこの環境では動作しますが、{executor} が作業するサンドボックス内では"
        "動作しません。",
        "npm のように、PATH 上の専用ディレクトリにインストールしてください。",
    ),
    "key_not_set": ErrorText(
        "E211",
        "{variable} is NOT SET, so {provider} cannot be used.",
        "export {variable} in the shell that starts the program (/keys shows how), "
        "or `/provider claude-code`.",
        "{variable} が NOT SET のため、{provider} を使用できません。",
        "起動元のシェルで {variable} を export するか (/keys を参照)、"
        "`/provider claude-code` を選択してください。",
    ),
}
