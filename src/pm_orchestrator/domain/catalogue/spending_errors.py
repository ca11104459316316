"""Errors of caps on what may be spent, and of prices."""

from pm_orchestrator.domain.catalogue.error_text import ErrorText

SPENDING_ERRORS: dict[str, ErrorText] = {
    "tokens_cap_reached": ErrorText(
        "E206",
        "{tokens} of the {most} tokens that this run may use are spent ({cost}), and what is left "
        "is too little for another question.",
        "`pm-orchestrator resume {run} --budget-tokens {twice}` allows more and goes on; "
        "what was made is kept.",
        "この実行で使えるトークン {most} のうち {tokens} を使いました（{cost}）。残りでは次の質問が"
        "できません。",
        "`pm-orchestrator resume {run} --budget-tokens {twice}` で上限を上げて再開できます。"
        "作業内容は保存されています。",
    ),
    "usd_cap_reached": ErrorText(
        "E206",
        "{cost} of the {most} that this run may cost are spent ({tokens} tokens), and what is left "
        "is too little for another question.",
        "`pm-orchestrator resume {run} --budget-usd {twice}` allows more and goes on; "
        "what was made is kept.",
        "この実行の費用上限 {most} のうち {cost} を使いました（{tokens} トークン）。残りでは次の"
        "質問ができません。",
        "`pm-orchestrator resume {run} --budget-usd {twice}` で上限を上げて再開できます。"
        "作業内容は保存されています。",
    ),
    "turns_cap_reached": ErrorText(
        "E206",
        "the {most} answers of models that this run may have are used up ({tokens} tokens, "
        "{cost}).",
        "`pm-orchestrator resume {run} --max-turns {twice}` allows more and goes on; "
        "what was made is kept.",
        "この実行に許されたモデルの回答 {most} 回を使い切りました（{tokens} トークン、{cost}）。",
        "`pm-orchestrator resume {run} --max-turns {twice}` で上限を上げて再開できます。"
        "作業内容は保存されています。",
    ),
    "minutes_cap_reached": ErrorText(
        "E206",
        "the {most} minutes that this run may work are over ({tokens} tokens, {cost}).",
        "`pm-orchestrator resume {run} --max-minutes {twice}` allows more and goes on; "
        "what was made is kept.",
        "この実行の作業時間 {most} 分を使い切りました（{tokens} トークン、{cost}）。",
        "`pm-orchestrator resume {run} --max-minutes {twice}` で上限を上げて再開できます。"
        "作業内容は保存されています。",
    ),
    "daily_tokens_cap_reached": ErrorText(
        "E206",
        "{tokens} of the {most} tokens that all runs together may use in a day are spent ({cost}).",
        "`pm-orchestrator resume {run}` goes on tomorrow, or after budgets.tokens_per_day was "
        "raised in .claude/settings.json; what was made is kept.",
        "全実行の 1 日のトークン上限 {most} のうち {tokens} を使いました（{cost}）。",
        "明日、または .claude/settings.json の budgets.tokens_per_day を上げた後に "
        "`pm-orchestrator resume {run}` で再開できます。作業内容は保存されています。",
    ),
    "daily_usd_cap_reached": ErrorText(
        "E206",
        "{cost} of the {most} that all runs together may cost in a day are spent ({tokens} "
        "tokens).",
        "`pm-orchestrator resume {run}` goes on tomorrow, or after budgets.usd_per_day was raised "
        "in .claude/settings.json; what was made is kept.",
        "全実行の 1 日の費用上限 {most} のうち {cost} を使いました（{tokens} トークン）。",
        "明日、または .claude/settings.json の budgets.usd_per_day を上げた後に "
        "`pm-orchestrator resume {run}` で再開できます。作業内容は保存されています。",
    ),
    "price_unknown": ErrorText(
        "E211",
        "what {model} costs is not known, so a cap in US dollars cannot be held.",
        "use `--budget-tokens`, or put its price into budgets.prices of .claude/settings.json.",
        "{model} の料金が不明なため、米ドルの上限を守れません。",
        "`--budget-tokens` を使うか、.claude/settings.json の budgets.prices に料金を設定して"
        "ください。",
    ),
}
