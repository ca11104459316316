"""The words and commands that destroy, and what shows that they are only spoken of."""

from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

THINGS = joined(
    r"""
    data|databases?|db|files?|folders?|director(?:y|ies)|records?|rows?|users?|accounts?
    |tables?|schemas?|collections?|branches|tags|backups?|snapshots?|volumes?|buckets?|history
    |commits|repos?|repositor(?:y|ies)|projects?|secrets|logs|disks?|drives?|partitions?
    |clusters?|namespaces?|instances?|servers?|environments?|customers?|orders
    """
)
DELETE = joined(
    r"""
    delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|eras(?:e|es|ed|ing)|wip(?:e|es|ed|ing)(?: out)?
    |purg(?:e|es|ed|ing)|destroy(?:s|ed|ing)?|nuk(?:e|es|ed|ing)|clear(?:s|ed|ing)?(?: out)?
    |trash(?:es|ed|ing)?|empt(?:y|ied|ying)|get(?:s|ting)? rid of
    """
)
# Parts of a program that are named after what they deal with.
CODE = joined(
    r"""
    check|call|field|import|function|class|option|setting|parameter|helper|wrapper|mock|test
    |connection|driver|url|name|variable|code|column|module|page|link|button|section|menu
    """
)
COMMANDS = joined(
    r"""
    \brm\s+(?:-\w+\s+)*-\w*[rRf]|\brm\s+--(?:recursive|force)|\brm\s+[^\s]*\*|\brmdir\s+/s
    |\bdel\s+/[sfq]|\bremove-item\b.{0,60}-recurse|\bforce[- ]?push(?:es|ed|ing)?\b
    |\bpush\b.{0,40}(?:\s--force(?:-with-lease)?\b|\s-f\b|\s--mirror\b|\s--delete\b)
    |\breset\s+--hard\b|\bgit\s+clean\b|\bclean\s+-\w*[fdx]|\bbranch\s+-D\b
    |\bstash\s+(?:clear|drop)\b|\bcheckout\s+(?:--\s+)?\.(?:\s|$)|\brestore\s+\.(?:\s|$)
    |\bfilter-(?:branch|repo)\b|\breflog\s+expire\b|\bupdate-ref\s+-d\b|\bgit\s+rm\s+-r
    |\btag\s+-d\b
    |\bdrop(?:s|ped|ping)?\s+(?:[\w.-]+\s+){0,3}?(?:tables?|databases?|schemas?
        |collections?|db|columns?|keyspace)\b
    |\btruncat(?:e|es|ed|ing)\s+(?:[\w.-]+\s+){0,3}?tables?\b|\bdropdb\b|\bflush(?:all|db)\b
    |\bdelete\s+from\s+\w+\s*(?:;|$)|\bmkfs|\bdd\s+if=|\bshred\s+-|\bfdisk\b|\bwipefs\b
    |:\(\)\s*\{|>\s*/dev/sd|\bformat\s+(?:the\s+|my\s+)?(?:c:|disk|drive|hard|ssd|partition)
    |\bterraform\s+(?:\S+\s+){0,4}destroy\b|\b(?:kubectl|helm|oc)\s+(?:delete|uninstall)\b
    |\bsystem\s+prune\b|\bvolume\s+(?:rm|prune)\b|\baws\s+s3\s+r[mb]\b
    |\bcompose\s+down\s+.{0,20}-v\b|\bchmod\s+-R\s+777|\bchown\s+-R\b.{0,20}\s/
    |\bnpm\s+unpublish\b|\bgh\s+repo\s+delete\b|\bfind\b.{0,60}\s-delete\b
    |\b(?:shutdown|reboot|poweroff)\s+(?:-|now|the\s+(?:production|server))|\bkill\s+-9\s+-1\b
    |\b(?:curl|wget)\b.{0,80}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b
    """
)
PHRASES = joined(
    r"""
    \b<DELETE>\s+(?:absolutely\s+)?(?:everything|all\b(?:\s+of)?(?:\s+(?:the|my|our|these
        |those|your))?(?:\s+[\w.-]+){0,2}?\s+<THINGS>\b|all$|it\s+all\b)
    |\b<DELETE>\s+(?:every|each)\s+(?:single\s+)?(?:[\w-]+\s+){0,2}?<THINGS>\b
    |\b<DELETE>\s+(?:the|my|our|this|that|your)\s+(?:[\w'-]+\s+){0,2}?(?:databases?|db
        |repo|repository|disk|drive|partition|cluster|bucket|backups?|volumes?|history
        |production|project|home\s+directory|filesystem|server|namespace)(?![\w-]|\.\w|\s+
        (?:\w+\s+)?<CODE>)
    |\b<DELETE>\s+(?:the\s+|all\s+|our\s+)?(?:production|prod|live|staging|customer|remote
        |main|master)(?:'s)?\s+(?:\w+\s+){0,2}?(?:<THINGS>|branch)\b
    |\b<DELETE>\s+(?:the\s+)?(?:main|master|production|release|develop)\s+branch\b
    |\b(?:rewrit(?:e|es|ing)|overwrit(?:e|es|ing)|squash\s+all|erase|purge|scrub)\s+
        (?:the\s+|all\s+|our\s+)?(?:whole\s+|entire\s+)?(?:git\s+|remote\s+|commit\s+
        |repo(?:sitory)?(?:'s)?\s+)?history\b
    |\b(?:overwrite|reset|wipe|restore|reinitiali[sz]e|recreate)\s+(?:the\s+|our\s+)?
        (?:production|prod|live)\s+(?:db|database|data|server|environment)
    |\b(?:reset|wipe|reinitiali[sz]e)\s+(?:the\s+|our\s+|my\s+)?(?:whole\s+|entire\s+)?
        (?:database|db|repository|repo|disk|machine|server)\b(?!\s+(?:connection|pool|state
        |mock|counter|timeout))
    |\b(?:throw\s+away|discard|revert)\s+(?:all|every)\s+(?:of\s+)?(?:the\s+|my\s+
        |our\s+)?(?:local\s+|uncommitted\s+|unsaved\s+|staged\s+)?(?:changes|work|edits
        |commits)\b
    |\bdiscard\s+(?:the\s+|my\s+|our\s+)?(?:local|uncommitted)\s+changes\b
    |\b<DELETE>\s+(?:the\s+)?\.git(?![\w.-])
    |\b(?:revoke|rotate|delete)\s+(?:all|every)\s+(?:\w+\s+)?(?:keys|credentials
        |certificates|tokens)\b
    |\b(?:terminate|shut\s+down|tear\s+down)\s+(?:all|every|the|our)\s+(?:\w+\s+)?
        (?:production|prod|instances|servers|cluster)\b
    """,
    DELETE=DELETE,
    THINGS=THINGS,
    CODE=CODE,
)
DANGER = pattern(
    r"""
    <COMMANDS>|<PHRASES>
    """,
    needs="""
    rm del remov push reset clean branch stash checkout restore filter- reflog update-ref tag drop
    truncat flush mkfs if= shred fdisk wip :() /dev/sd format destroy uninstall prune aws compose
    chmod chown unpublish shutdown reboot poweroff kill curl wget eras purg nuk clear trash empt
    rid rewrit overwrit squash scrub reinitiali recreate throw discard revert revoke rotate
    terminate shut tear
    """,
    COMMANDS=COMMANDS,
    PHRASES=PHRASES,
)
JA_ALL = joined(
    r"""
    全て|すべて|全部|全|一括で?|丸ごと|まるごと|根こそぎ|残らず|ぜんぶ
    """
)
JA_DELETE = joined(
    r"""
    削除|消去|消し|消す|消せ|破棄|抹消|初期化|ドロップ|drop|全消し|パージ|クリア|空に|捨て
    """
)
JA_THING = joined(
    r"""
    データベース|DB|ディスク|リポジトリ|本番[^\s。、を]{0,8}|バックアップ|履歴
    |\.git(?:ディレクトリ|フォルダ)?|テーブル|スキーマ|ボリューム|バケット|クラスター?
    |サーバー?|ホームディレクトリ|プロジェクト全体
    """
)
JA_DANGER = pattern(
    r"""
    <ALL>[^。]{0,16}?<DELETE>
    |<THING>(?:を|は|も|の中身を|の内容を|ごと|の)?[^。をに]{0,8}?(?:<DELETE>|フォーマット
        |リセット|書き換え|改変|上書き|作り直)
    |(?:強制|フォース)\s*(?:プッシュ|push)|force\s*push|(?:プッシュ|push)を強制
    |(?:変更|作業|コミット)を(?:全て|すべて|全部)(?:破棄|捨て|取り消|元に戻)
    |(?:main|master|本番)\s*ブランチを<DELETE>
    """,
    needs="""
    削除 消 破棄 初期化 ドロップ drop パージ クリア 空に 捨て フォーマット リセット 書き 改変 作り直
    プッシュ push 取り 元に 抹消
    """,
    ALL=JA_ALL,
    DELETE=JA_DELETE,
    THING=JA_THING,
)
# What follows the phrase when it only names a thing: "削除する機能", "削除ボタン".
JA_NAMES_A_THING = pattern(
    r"""
    \s*(?:コマンド|操作)?(?:を)?(?:\s*実行|使用|使)?\s*(?:(?:する|した|され[るた]|できる
        |している|しようと(?:する|した)|して(?:いる|しまう)|すことができる|す|せる|る|う)?
        (?:時|とき|際|場合|前|後|ため|ような)?(?:に|の|に出る)?(?:機能|ボタン|テスト|方法|手順
        |処理|スクリプト|関数|メソッド|API|エンドポイント|コマンド|バグ|問題|不具合|ページ
        |画面|警告|確認|ダイアログ|オプション|箇所|理由|ロジック|フラグ|仕組み|コード
        |マイグレーション|メッセージ|ログ|エラー|権限|リスク|影響|ケース|文|構文|こと(?:は|が
        |を防|の)|のは|と(?:どう|何|エラー))|し?(?:ない|ず|ません|ては(?:いけ|なら|だめ))
        |わない|(?:を)?(?:禁止|防止|検知|検出|拒否|ブロック|しようと)|すると|してから[^。、]{0,20}(?:すると|したら)|は(?:危険|なぜ
        |どう|何|いつ)|が(?:危険|必要)|と(?:は|どう)|(?:済み|された|した)|(?:って|とは)何)
    """
)
# Parts of a program; to delete all of them is editing.
JA_CODE = pattern(
    r"""
    (?:コメント|import|インポート|空白|改行|print|console\.log|ログ出力|警告|TODO|変数
        |関数|参照|セミコロン|デバッグ|タブ|スペース|typo|誤字
        |テスト(?!データ|環境|用|DB|ユーザ|サーバ))[^\s。、を]{0,6}
    """
)
JA_CODE_OBJECT = pattern(
    r"""
    (?:を|は|も)?(?:<ALL>)?(?:の)?(?:を)?<DELETE>
    """,
    ALL=JA_ALL,
    DELETE=JA_DELETE,
)
JA_STORE = pattern(
    r"""
    <THING>
    """,
    THING=JA_THING,
)
JA_EXECUTES = pattern(
    r"""
    実行(?:し|せよ|しろ|まで|を?お願い|も)|走らせ|流して|適用して|デプロイして
    """
)
# Verbs that make something; what follows is then spoken of, not done.
BUILDS = pattern(
    r"""
    (?:add|implement|write|create|build|fix|refactor|document|test|support|handle|prevent
        |warn|block|refuse|reject|forbid|disallow|detect|catch|mention|translate|review
        |replace|extend|improve|rename|mock|change|update|include|put|log|require|ask|confirm
        |move|split|extract|guard|protect|cover|fail|make (?:sure|the))\b
    """
)
ARTEFACT = pattern(
    r"""
    \b(?:scripts?|targets?|makefile|package\.json|dockerfile|workflows?|hooks?|jobs?
        |steps?|functions?|methods?|tests?|docs?|documentation|readme|guides?|pages?|buttons?
        |endpoints?|routes?|commands?|options?|flags?|parsers?|messages?|warnings?|support
        |handlers?|dialogs?|prompts?|confirmations?|errors?|bugs?|crash(?:es)?|comments?
        |sections?|class(?:es)?|modules?|checks?|rules?|keywords?|statements?|syntax|examples?
        |menu|api|feature|migrations?|tool|permission|guard|policy|sentences?|calls?|lines?
        |fixtures?|helpers?|queries|query|[\w-]+\.(?:py|ts|js|sh|md|go|rs|rb|sql|ya?ml))\b
    """
)
ASKS = pattern(
    r"""
    (?:explain|describe|what|what's|which|why|how|where|when|who|show me|tell me|list
        |summari[sz]e|compare|find (?:out|where|all|every|the (?:place|code|function)s?)|is
        |are|was|were|does|do (?:we|you|i|they)|did|has|have we|check|search|look|should|would
        |analy[sz]e|report|give me|document|investigate)\b
    """
)
# A question that is an order in disguise, or tells of the deed as done on the way.
DISGUISED = pattern(
    r"""
    ^(?:how about|why (?:don't|not))\b
    |\b(?:after|once|when|while) you(?:'ve| have| are|'re)?\b|\byou(?:'ve| have)\b
    |\b(?:ok|okay|time|safe) to\b.{0,60}\bso\b
    """
)
MEANS = pattern(
    r"""
    \b(?:by|via|using|through)\s+(?:\w+\s+){0,2}['\"`]?(?:git\s+)?$
    """
)
NEGATED = pattern(
    r"""
    \b(?:do not|don't|never|without|avoid|instead of|must not|should not|shouldn't|cannot
        |can't|no longer|not|stop|prevent(?:s|ing)?)(?: (?:ever|accidentally|to
        |from))?\s+['\"`]?(?:run(?:ning)?\s+|us(?:e|ing)\s+)?['\"`]?(?:git\s+)?$
    |\b(?:if|when|whenever) (?:someone|anyone|somebody|users?|the user|a (?:user|developer
        |commit|script)) .{0,30}$
    """
)
EXECUTES = pattern(
    r"""
    ^(?:actually |really )?(?:run|execute|do|apply|perform|launch|trigger
        |invoke)\b(?: (?:it|that|this|them|so)\b| the (?:script|migration|command|query|job)\b
        |\s*$| (?:on|against|in)\b)
    """
)
DROPS_SOMETHING = pattern(
    r"""
    ^(?:drop|truncate|wipe|nuke) (?:them|it|those|the|all)\b
    """,
    needs="drop truncate wipe nuke",
)
STORES = pattern(
    r"""
    \b(?:tables?|databases?|schemas?|collections?|volumes?|buckets?)\b
    """
)
