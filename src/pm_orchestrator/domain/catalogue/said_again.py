"""A reason that was written down in English, in the language of whoever reads it.

Records hold sentences and not their keys. A sentence of ours is known by its form: what
stands between its words is what it was said with.
"""

import re

from pm_orchestrator.domain.catalogue.reasons import all_reasons
from pm_orchestrator.domain.text import Lang, Sentence

PLACE = re.compile(r"\{(\w+)(?:\|(\w*)\|(\w*))?\}")


def said_again(text: str, lang: Lang) -> str:
    """The same sentence in `lang`; a text that is none of ours is left as it is."""
    if lang == "en":
        return text
    # Of two that fit, the one with more words of its own says what was meant.
    for sentence in sorted(all_reasons().values(), key=_own_words, reverse=True):
        found = re.fullmatch(_form(sentence), text, re.DOTALL)
        if found is not None:
            return sentence.say(lang, **found.groupdict())
    return text


def _own_words(sentence: Sentence) -> int:
    return len(PLACE.sub("", sentence.en))


def _form(sentence: Sentence) -> str:
    form, position, named = "", 0, set[str]()
    for place in PLACE.finditer(sentence.en):
        form += re.escape(sentence.en[position : place.start()])
        name, one, many = place.groups()
        if many is not None:
            form += f"(?:{one}|{many})"
        else:
            form += f"(?P={name})" if name in named else f"(?P<{name}>.*?)"
            named.add(name)
        position = place.end()
    return form + re.escape(sentence.en[position:])
