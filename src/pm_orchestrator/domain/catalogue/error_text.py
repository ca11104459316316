"""The form of an error's text: code, sentence and cure, in both languages."""

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
