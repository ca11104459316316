"""What a change is about: a review that waits for an answer, or how a project is built."""

from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

REVIEW = pattern(
    r"""
    \breview(?:er)?(?:'s|s'|s)? (?:comments?|feedback|findings?|remarks?|points?|requests?
        |suggestions?|notes?|threads?)\b
    |\b(?:pr|pull[- ]request|mr|merge[- ]request)(?: #?\d+)?(?:'s)? (?:comments?|feedback
        |review|threads?|suggestions?)\b
    |\b(?:requested changes|changes requested|code review (?:feedback|comments?|results?
        |findings?))\b
    |\b(?:comments?|feedback|suggestions?|remarks?|changes|points?)\b(?: \w+){0,4} (?:from
        |by|in|on|of|during) (?:the )?(?:code |last |latest )?(?:review(?:er)?s?|pr
        |pull[- ]request|mr|merge[- ]request)\b
    |\breviewers? (?:asked|wants?|said|requested|suggested|pointed|complained|mentioned
        |flagged|noted)\b
    |\bnits? (?:from|in|on)\b
    |(?:レビュー|プルリク(?:エスト)?|PR|MR)(?:の|で|時の|での)?(?:[^\s。、]{0,4}の)?
        (?:指摘|コメント|フィードバック|結果|修正依頼|提案)
    |(?:指摘|コメント)(?:事項|点|内容)?(?:に|を|へ|は)?(?:全て|すべて)?(?:対応|反映|修正|返信)
    |レビュアー?
    """,
    needs="review pr pull mr merge changes nit レビュー プルリク 指摘 コメント レビュア",
)
# What follows when the word names a part of the program itself.
SETTINGS_CODE = joined(
    r"""
    (?![\w-])(?!\.(?:py|ts|js|go|rs|java|rb)\b)(?! (?:parser|loader|page|screen|dialog
        |class|module|object|reader|validation|validator|schema|menu|panel|form|model|tests?
        |api|endpoint|component|function|parsing|view|tab|button))
    """
)
CONFIG = pattern(
    r"""
    (?<![\w/.-])(?:ci|ci/cd|cicd)(?![\w-])
    |\bpipelines?\b(?= (?:to|so|for|config|yaml|file|stage|step))
    |\b(?:ci|build|deploy(?:ment)?|release|gitlab|azure|jenkins) pipelines?\b
    |\bgithub actions?\b|\.github/|\.gitlab-ci|\bjenkinsfile\b|\bcircleci\b
    |\b(?:ci|release|deploy|build|lint|test|nightly|github) workflows?\b
    |\bworkflow (?:file|that|to)\b|\bdockerfile\b|\bdocker[- ]compose\b|\bcompose\.ya?ml\b
    |\bmakefile\b|\bcmakelists\b|\bvagrantfile\b|\bprocfile\b|\btsconfig|\beslint|\bprettier\b
    |\bpyproject\b|\bsetup\.cfg\b|\bpackage\.json\b|\brequirements(?:-\w+)?\.txt\b
    |\bcargo\.toml\b|\bgo\.mod\b|\btox\.ini\b|\bpre-commit\b|\brenovate\b|\bdependabot\b
    |\.gitignore\b|\.editorconfig\b|(?<!\w)\.env\b|\.npmrc\b|\.nvmrc\b|\.gitattributes\b
    |\b[\w-]+\.config\.[cm]?[jt]s\b|\bsettings\.(?:json|ya?ml|toml)\b
    |\bconfig\.(?:json|ya?ml|toml|ini)\b|\bnginx\b|\bterraform\b|\bhelm\b|\bkubernetes\b
    |(?<![\w/.-])(?:config|configuration|configs)<SETTINGS_CODE>
    |\b(?:project|repository|editor|linter|build|compiler|vs ?code) settings<SETTINGS_CODE>
    |\b(?:bump|upgrade|update|pin|downgrade) (?:the |all |our )?(?:[\w-]+ )?
        (?:dependenc(?:y|ies)|dev-?dependencies|lock ?file|packages)\b
    |\b(?:dev )?dependency\b(?= (?:to|from|on))|\bline[- ]length\b|\bruff\b
    |\bmypy\b(?= (?:strict|config|rule))|\bcoverage threshold\b|ワークフロー|パイプライン
    |設定ファイル|環境設定|依存(?:関係|パッケージ|ライブラリ)|ビルド設定|リンター?の?設定
    |の設定を(?:変更|追加|更新|有効|無効|見直)|デプロイ設定|GitHub ?Actions
    |lint(?:の)?(?:設定|ルール)
    """,
    needs="""
    ci pipeline github jenkinsfile workflow docker compose makefile cmakelists vagrantfile procfile
    tsconfig eslint prettier pyproject .cfg package requirements cargo go.mod tox pre-commit
    renovate dependabot .gitignore .editorconfig .env .npmrc .nvmrc .gitattributes config settings
    nginx terraform helm kubernetes dependenc lock line lint ruff mypy coverage actions
    ワークフロー
    パイプライン 設定 依存
    """,
    SETTINGS_CODE=SETTINGS_CODE,
)
