"""The English words by which kinds of work are told apart."""

from pm_orchestrator.runner.instructions.words.patterns import joined, pattern

# "When does it …" asks; "when it …," only says under which condition.
INVERTED = joined(
    r"""
    do|does|did|is|are|was|were|will|would|should|shall|can|could|has|have|had|may|might|must|to|exactly
    """
)
ASKS = pattern(
    r"""
    (?:explain|understand|describe|clarify|teach|remind|wonder|i wonder|i'm (?:curious
        |wondering)|what(?! about \w+ing)(?! if we)(?:'s| is| are)?|which|why(?:'s)?
        |how(?! about)(?:'s| come)?
        |where(?:'s)?(?! (?:possible|needed|appropriate|necessary|applicable))
        |when(?:'s)?(?= (?:<INVERTED>)\b|\?|$)|who(?:'s|se)?|is|are|was|were|does|did
        |has|isn't|aren't|doesn't|am|should|shall|may|do (?:we|you|i|they|any|all|these|those
        |the (?:\w+ )?\w+s (?!on\b|in\b|for\b|to\b|first\b|now\b)\w)
        |have (?:we|you|i|they|the)|(?:tell|show|give|walk|teach|send|get) (?:me|us)
        |show (?:how|what|which|where|why)|find out|figure out|work out|look up|look into
        |run (?:the |all |our )*(?:unit |e2e )*(?:tests?|linter|lint|test suite|build
        |benchmarks?)|investigate|inspect|examine|diagnose|identify|determine|locate|trace
        |grep|quote|estimate|suggest|propose|recommend|advise|brainstorm|any (?:ideas?
        |thoughts?|suggestions?|advice|tips|reason|opinions?)|thoughts|ideas|opinions?
        |rather(?! than\b)|your (?:own |honest |personal )*(?:opinion|view|take|preference
        |recommendation|advice)|plan|know|read|see|recall|define|enumerate|interpret)(?![\w'.])
    """,
    INVERTED=INVERTED,
)
# These ask for an answer, or for a program that gives one later.
LOOKS = pattern(
    r"""
    (?:show|display|list|print|check(?!\s?out\b.*\bbranch)|count|find|look|search|verify|output|confirm
        |test (?:whether|if|that))(?![\w'.])
        (?! (?:is|are|was|were|isn't|aren't|has|does|doesn't|should|must|needs|still|no longer
        |fails|crashes)\b)
    """
)
RUNS = pattern(r"(?:run|execute)\b")
SHOWN_LATER = pattern(
    r"""
    \b(?:when|before|unless|instead of|whenever|every time|as soon as)\b
    |\b(?:on|in|at|inside|below|above|next to|under|over) (?:the |a |an |each |every )?
        (?:[\w'-]+ ){0,3}(?:page|screen|header|footer|sidebar|dropdown|dialog|menu|toolbar
        |tooltip|modal|navbar|panel|ui|banner|home|profile|table|view|form|dashboard|cart
        |button|field|title bar|status bar|prompt)\b
    |^(?:show|display|print|output) (?:a|an|user|only)\b
    |^(?:check|verify) (?:for )?(?:null|none|undefined|empty)\b
    """
)
# How it is to look, or that it is to be so from now on: the person may mean the program.
SO_FROM_NOW_ON = pattern(
    r"""
    \b(?:by default|always|from now on|as well|no longer
        |(?:on|for|with|before|after|at) (?:every|each)
        |(?:every|each) (?:push|commit|time|night|day|week|release|pull request)
        |at the (?:end|start|beginning) of (?:each|every)
        |(?:at|on|during) (?:startup|start|launch|exit|shutdown|login|logout|error|failure|success)
        |on (?:push|pull requests?|merge)|in ci|in parallel|nightly)\b
    |^(?:show|display|print|output|list)\b.*\b(?:as
        (?! an? (?:list|table|tree|diagram|graph|summary)\b| (?:it|they|of|in)\b)[ ]
        |in (?:[\w-]+ ){1,2}(?:format|notation|order|style|units?|colou?rs?|case)\b
        |with (?:one|two|three|four|\d+) )
    |^(?:run|execute)\b.*\.ya?ml\b
    """
)
NOT_A_FEATURE = joined(
    r"""
    (?! (?:page|feature|module|generator|function|class|endpoint|button|table|component
        |command|view|screen|service|template|script|builder|api|exporter|export|form|dialog
        |widget|panel|section|tab))
    """
)
REPORTS = pattern(
    r"""
    (?:summari[sz]e|report(?: on| back| the| how| whether| all)|analy[sz]e|audit|evaluate
        |assess|recap|review|outline|compare|contrast|benchmark|measure|profile)(?![\w'.-])
    |draft(?![\w'.-])|(?:write|create|make|prepare|give|provide|sketch|work out|come up with)
        (?: me| us| up)?(?: an?| the| your| one| some)?(?: [\w-]+){0,3}? (?:proposals?
        |recommendations?|suggestions?|estimates?|roadmap
        |plan(?= (?:for|to|of|how)\b|[.!]?$)|pros and cons)\b<NOT_A_FEATURE>
    |(?:write|create|generate|prepare|produce|draft|make|give|provide|compile|send|do|need
        |want|get)(?: me| us| up)?(?: an?| the| your| one| some)?(?: [\w-]+){0,3}? (?:report
        |summary|overview|analysis|recap|rundown|assessment|comparison|audit|post-?mortem
        |breakdown|code review|digest)\b<NOT_A_FEATURE>
    """,
    needs="summar report analy audit evaluat assess recap review outline compar contrast"
    " benchmark measure profile overview rundown post breakdown digest draft proposal recommend"
    " suggestion estimate roadmap plan pros",
    NOT_A_FEATURE=NOT_A_FEATURE,
)
ASKS_HOW = pattern(
    r"""
    \b(?:how|when|where)\b
    """
)
EDITS = pattern(
    r"""
    (?:try again|retry (?:it|that|this)
        |fix|correct|repair|rename|tweak|adjust|reword|rephrase|reformat|format|indent|tidy
        |clean|clear|remove|delete|drop|replace|change|comment|uncomment|move|sort|shorten
        |lower|raise|increase|decrease|reduce|patch|revert|undo|capitali[sz]e|edit|modify
        |update|set|swap|hide|disable|enable|strip|trim|align|bump|get rid of|resolve|rm|mv
        |debug|make sure|ensure|silence|mark|append|prepend|insert|touch|turn (?:on|off)|round
        |inline|deduplicate|unify|restore|pin|address|respond|reply|apply|incorporate|sync
        |translate|overwrite|limit)(?![\w'.])
    """
)
SMALL = pattern(
    r"""
    (?:add|insert|write|put|include)
        (?: an?| the| some| one| missing| more)* (?:[\w-]+ ){0,2}?(?:comments?|docstrings?
        |blank line|line|newline|trailing newline|semicolons?|commas?|log (?:statement|line
        |message)s?|type hints?|type annotations?|licen[cs]e header|copyright header
        |whitespace|spaces?|periods?|links?|badge|alt text|todo)\b(?! (?:system|feature|form
        |page|parser|section|thread|api|component|box|widget|checker|service|shortener
        |numbers?))
    """
)
# A fault told as a fact asks for its repair.
BROKEN = pattern(
    r"""
    ^(?:the |there (?:is|are) |there's |our |my )?.{0,60}\b(?:crash(?:es|ed)?|is broken
        |are broken|fails?|doesn't work|don't work|does not work|typos?|is wrong|is off by one
        |throws|hangs|leaks|should|must|needs to|has to|ought to)\b(?!.*\?$)
    |^(?:i|we)(?:'d| would)? (?:need|want|like|could use) (?:an?|the|some) (?!.*\?$)
    """
)
BUILDS = pattern(
    r"""
    (?:add|implement|create|build|write|make|develop|introduce|support|refactor|extract
        |migrate|port|convert|rewrite|integrate|generate|design|optimi[sz]e|improve|extend
        |allow|let|split|merge|use|wire|hook|cache|expose|upgrade|install|handle|speed up
        |paralleli[sz]e|test|cover|validate|set up|setup|configure|scaffold|document|render
        |store|log|encrypt|paginate|provide|copy|simplify|modulari[sz]e|decouple|abstract
        |combine|save|export|import|send|return|accept|reject|prevent|redesign|restructure
        |switch|draft|prepare|produce|compile|define a|bootstrap|deploy|publish|release|commit
        |push|put|rate-limit|throttle|memoi[sz]e|batch|stream|warn|refuse|mock|seed|serve|fail
        |how about|what about|what if we)(?![\w'.])
    """
)
