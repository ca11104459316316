"""Sentences for people: looked up by key, in the language they read."""

from typing import Literal, NamedTuple

Lang = Literal["en", "ja"]


class Sentence(NamedTuple):
    """One sentence in both languages, with `{named}` places."""

    en: str
    ja: str

    def say(self, lang: Lang, **params: object) -> str:
        return (self.ja if lang == "ja" else self.en).format_map(params)
