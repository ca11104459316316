"""What `/provider`, `/models`, `/model` and `/keys` say."""

from pm_orchestrator.domain.text import Sentence

PROVIDER_TEXTS: dict[str, Sentence] = {
    "help_provider": Sentence("Show/select LLM provider", "LLM プロバイダーの表示・選択"),
    "help_models": Sentence("List/select LLM models", "LLM モデルの一覧・選択"),
    "help_keys": Sentence("Show API key status", "API キーの状態を表示"),
    "help_model": Sentence("Show/set model (legacy)", "モデルの表示・設定 (後方互換)"),
    "provider_claude-code": Sentence(
        "Claude Code Executor - recommended", "Claude Code Executor 経由 - 推奨"
    ),
    "provider_openai": Sentence("OpenAI API direct", "OpenAI API 直接呼び出し"),
    "provider_anthropic": Sentence("Anthropic API direct", "Anthropic API 直接呼び出し"),
    "provider_unset": Sentence(
        "Provider: UNSET ({provider} is used)", "Provider: UNSET ({provider} を使用します)"
    ),
    "provider_choose": Sentence(
        "Choose one with /provider select or /provider <name>.",
        "/provider select または /provider <name> で選択してください。",
    ),
    "providers_title": Sentence("Available providers:", "利用可能なプロバイダー:"),
    "provider_select": Sentence("Select LLM Provider:", "LLM プロバイダーを選択:"),
    "model_choose": Sentence(
        "Choose one with /models select or /models <name>; /models list shows them.",
        "/models select または /models <name> で選択してください (一覧: /models list)。",
    ),
    "model_dropped": Sentence(
        "{model} was a model of {provider} and is no longer selected.",
        "{model} は {provider} のモデルのため、選択を解除しました。",
    ),
    "models_title": Sentence("Available models for {provider}:", "{provider} の利用可能モデル:"),
    "models_select": Sentence("Select Model ({provider}):", "モデルを選択 ({provider}):"),
    "models_current": Sentence("Currently selected: {model}", "現在の選択: {model}"),
    "models_of_vendor": Sentence(
        "These are the models that {provider} lists for your key now.",
        "{provider} がこの API キーに対して現在公開しているモデルです。",
    ),
    "models_not_said": Sentence(
        "{provider} did not say which models it has ({reason}), so this is the list that comes "
        "with the program.",
        "{provider} からモデル一覧を取得できませんでした ({reason})。同梱の一覧を表示しています。",
    ),
    "models_as_of": Sentence(
        "Prices in US dollars as of {date}; the provider's own page is what counts.",
        "価格は {date} 時点の米ドルです。正式な価格は各社のページを確認してください。",
    ),
    "models_no_figure": Sentence(
        "-: depends on the account, or no published figure was found.",
        "-: アカウントに依存するか、公表値を確認できていません。",
    ),
    "model_prices": Sentence(
        "${input}/${output} per 1M tokens - {notes}",
        "100 万トークンあたり ${input}/${output} - {notes}",
    ),
    "column_model": Sentence("Model", "モデル"),
    "column_context": Sentence("Context", "文脈長"),
    "column_input": Sentence("Input$/1M", "入力$/1M"),
    "column_output": Sentence("Output$/1M", "出力$/1M"),
    "column_notes": Sentence("Notes", "備考"),
    "selection_evidence": Sentence("Evidence: {evidence}", "証跡: {evidence}"),
    "selection_unchanged": Sentence("Nothing was changed.", "変更はありません。"),
    "keys_title": Sentence("API Key Status:", "API キーの状態:"),
    "column_provider": Sentence("Provider", "プロバイダー"),
    "column_variable": Sentence("Env Variable", "環境変数"),
    "column_status": Sentence("Status", "状態"),
    "keys_setup": Sentence("Setup instructions:", "設定方法:"),
    "keys_note": Sentence(
        "Note: API keys are read from environment variables only.\n"
        "      Keys are never stored in logs or evidence files.",
        "注意: API キーは環境変数からのみ読み取ります。\n"
        "      ログや証跡に保存することはありません。",
    ),
}
