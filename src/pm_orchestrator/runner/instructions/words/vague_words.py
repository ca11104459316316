"""Words that name neither a target nor an outcome."""

from pm_orchestrator.runner.instructions.words.patterns import pattern

SAYS_NOTHING = pattern(
    r"""
    \b(?:please|kindly|pls|hey|hi|hello|thanks|thank\s+you|ok|okay|yes|no|now|again|asap|just
    |can|could|would|will|you|we|i|want|need|like|i'd|let's|lets|me|my|us|our|for|to|a|an|the|some|any|all
    |it|its|this|that|these|those|them|something|anything|everything|stuff|things?|one|same
    |fix|repair|correct|change|modify|edit|improve|update|do|make|create|add|implement|build
    |write|refactor|clean|up|tidy|optimi[sz]e|delete|remove|rename|finish|complete|continue|go
    |on|work|works|working|run|handle|solve|resolve|adjust|explain|show|describe|check|review
    |generate|apply|and|then|so|more|much|better|nicer|faster|cleaner|good|great|perfect|well
    |properly|correctly|right|bit|little|quickly|soon|code|file|files|bugs?|problems?|issues?
    |errors?|features?|project|app|program|rest|here|there|somehow|is|be|get|of|in|with|wrong|broken)\b
    |(?:それ|これ|あれ|この|その|あの|ここ|そこ|何か|なにか|なんか|全部|すべて|全て|もの|やつ|こと|ところ
    |コード|バグ|問題|不具合|エラー|ファイル|機能|部分|箇所|プログラム|アプリ|続き|残り
    |いい感じ|適当|ちゃんと|きれい|うまく|もっと|もう少し|少し|ちょっと|早く|良く|よく|とりあえず|すみません
    |修正|変更|改善|作成|追加|更新|削除|実装|対応|直し|直す|変え|作っ|作る|作り|書い|書く|消し|やっ|やり|整理|説明|確認|完成|続け
    |お願い|したい|ください|下さい|ほしい|欲しい|くれ|いただけ|もらえ|ます|ません|です|でしょう|たい|して|する|した|しろ|せよ|て|で|を|は|が|の|に|も|と|か|ね|よ|な|し|る|け)
    """
)
# No word above has a digit, an underscore or more letters than ten.
SURELY_SAYS_SOMETHING = pattern(r"[0-9_]|[a-z]{11}")
SAYS_SOMETHING = pattern(r"[A-Za-z0-9_]")
WANTS_TARGET = pattern(
    r"""
    \b(?:create|add|update|make|write|build|generate|implement|explain|show|describe|check|review)\b
    |作成|追加|更新|作っ|作る|作り|書い|書く|実装|説明|確認
    """
)
# The user knows that the file is there, or says what is to happen then.
EXPECTS_IT = pattern(
    r"""
    \b(?:updat(?:e|es|ing)|overwrit(?:e|es|ing)|replac(?:e|es|ing)|append|extend|edit|modify
    |existing|already|rewrite|re-?create|re-?generate|again|over\s+the\s+old|from\s+scratch
    |(?:if|unless)\s+(?:it|they|the\s+file)\b)
    |更新|上書き|追記|書き直|作り直|再作成|再生成|既存|置き換え|なければ|存在しない
    """
)
