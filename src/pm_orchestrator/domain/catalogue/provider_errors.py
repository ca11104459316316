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
