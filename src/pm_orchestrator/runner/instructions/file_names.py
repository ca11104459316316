"""File names in a text, told apart from products, members of objects and web addresses.

A name is plain where its form alone says that it is a file. One of any other suffix or of
none is `loose`: it counts where it is to be made, or where the project has such a file. The
README, the changelog and the like are a `family`: whatever the project calls its own.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words.families import FAMILY, family_of
from pm_orchestrator.runner.instructions.words.pasted import QUOTED, is_quoted_name, quoted_text
from pm_orchestrator.runner.instructions.words.wording import is_japanese

EXTENSIONS = (
    "bat c cc cfg cjs conf cpp cs css csv dart go gradle graphql h hpp html ini ipynb java jinja "
    "js json jsonl jsx kt less lock lua md mdx mjs php proto ps1 py pyi rb rs rst sass scala scss "
    "sh sql svelte svg swift tex tf toml ts tsv tsx txt vue xml yaml yml"
)
BARE_NAMES = "Dockerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile|LICENSE|CMakeLists\\.txt"
ENDS = r"(?![A-Za-z0-9_/]|\.\w|\()"
FILE_NAME = LatePattern(
    r"(?<![A-Za-z0-9_/.@:=-])@?(?:\./)?((?:[\w.@-]+?/)*?(?:[\w-]+?(?:\.[\w-]+?)*?\.(?:"
    + "|".join(EXTENSIONS.split())
    + r")|\.(?:gitignore|gitattributes|editorconfig|env|npmrc|nvmrc|prettierrc|eslintrc"
    + r"|gitkeep|dockerignore)(?:\.[A-Za-z0-9_-]+)*|"
    + BARE_NAMES
    + r"))(?![A-Za-z0-9_/]|-[A-Za-z0-9]|\.[A-Za-z0-9_])"
)
LOOSE_NAME = LatePattern(
    r"(?<![A-Za-z0-9_/.:@=-])(?:@(?:\./)?(?P<at>[\w.-]+(?:/[\w.-]+)*)"
    r"|(?P<called>(?<=called )[\w.-]+|(?<=named )[\w.-]+)"
    r"|(?P<path>[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)"
    r"|(?P<other>[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]+)*\.[a-z][a-z0-9]{1,9})"
    r"|(?P<dot>\.[a-z][\w-]+(?:\.[\w-]+)*))" + ENDS
)
# Products and addresses that look like files.
PRODUCT = LatePattern(
    r"(?:node|vue|next|nuxt|express|three|d3|react|angular|ember|backbone|chart|p5|discord)\.js"
    r"|.*\.(?:com|org|net|io)|and/or|ci/cd|tcp/ip|i/o|n/a|w/o|e\.g|i\.e|yes/no|on/off"
    r"|(?:asp|ado|ml)\.net|read/write|client/server|input/output|true/false|km/h",
    re.IGNORECASE,
    needs=".js .com .org .net .io and/or ci/cd tcp/ip i/o n/a w/o e.g i.e yes/no on/off read/write "
    "client/server input/output true/false km/h",
)
SUFFIXES = frozenset(f".{suffix}" for suffix in EXTENSIONS.split())
# Japanese writes on without a space; a name begins where the particles before it end.
AFTER_PARTICLES = LatePattern(r".*[぀-ゟ](?=[^぀-ゟ])")
ASCII_TAIL = LatePattern(r"[\x21-\x7e]+$")
MARKED = LatePattern(r"[`\"'「『@]?(\x00\d+\x00)[`\"'」』]?", needs="\x00")
MentionKind = Literal["plain", "loose", "family"]


class Mention(msgspec.Struct, frozen=True):
    """A file's name, and where in the text it stands."""

    name: str
    start: int
    end: int
    kind: MentionKind = "plain"


def mentions(text: str) -> Iterator[Mention]:
    """Each file that is named by its form alone, in order."""
    return (mention for mention in all_mentions(text) if mention.kind == "plain")


def all_mentions(text: str) -> list[Mention]:
    """Each thing in `text` that may be a file, in order and without overlaps."""
    return list(_all_mentions(text))


# Every question about a sentence begins with the names in it.
@lru_cache(maxsize=256)
def _all_mentions(text: str) -> tuple[Mention, ...]:
    found: list[Mention] = []
    for finder in (_quoted, _plain, _families, _loose):
        for mention in finder(text):
            if all(mention.end <= m.start or m.end <= mention.start for m in found):
                found.append(mention)
    return tuple(sorted(found, key=lambda mention: mention.start))


def unnamed(text: str, named: list[Mention]) -> str:
    """The text with a token in place of each name, and without the marks around it."""
    parts: list[str] = []
    position = 0
    for number, mention in enumerate(named):
        parts += [text[position : mention.start], f"\x00{number}\x00"]
        position = mention.end
    return MARKED.sub(r"\1", "".join([*parts, text[position:]]))


def speaks_japanese(sentence: str) -> bool:
    """Whether its own words are Japanese, whatever script the names in it have."""
    return is_japanese(sentence) and is_japanese(unnamed(sentence, all_mentions(sentence)))


def files_named(text: str) -> tuple[str, ...]:
    """Every file the text names, once, in order."""
    return tuple(dict.fromkeys(mention.name for mention in mentions(text)))


def is_file_name(name: str) -> bool:
    """Whether the form of a name alone says that it is a file."""
    return FILE_NAME.fullmatch(name) is not None and PRODUCT.fullmatch(name) is None


def _quoted(text: str) -> Iterator[Mention]:
    for found in QUOTED.finditer(text):
        inside = quoted_text(found)
        name = inside.removeprefix("@").removeprefix("./")
        if not is_quoted_name(inside) or name.lower() in SUFFIXES:
            continue
        stem = re.sub(r".*/", "", name)
        plain = is_file_name(name) or (" " in name and is_file_name(stem.replace(" ", "_")))
        if PRODUCT.fullmatch(name) or "(" in name or "=" in name:
            continue
        if not any(map(str.isalnum, name)):
            continue
        yield Mention(name, found.start() + 1, found.end() - 1, "plain" if plain else "loose")


def _plain(text: str) -> Iterator[Mention]:
    for found in FILE_NAME.finditer(text):
        name = found.group(1)
        if PRODUCT.fullmatch(name) is None:
            own = _own_part(name)
            yield Mention(own, found.end() - len(own), found.end())


def _own_part(name: str) -> str:
    """A name without the Japanese words that run into it."""
    if name.isascii():
        return name
    first, slash, rest = name.partition("/")
    stem, dot, suffix = (first, "", "") if slash else first.rpartition(".")
    tail = ASCII_TAIL.search(stem)
    stem = tail.group() if tail is not None else AFTER_PARTICLES.sub("", stem) or stem
    return f"{stem}{dot}{suffix}{slash}{rest}"


def _families(text: str) -> Iterator[Mention]:
    for found in FAMILY.finditer(text):
        yield Mention(family_of(found.group("name")), found.start("name"), found.end(), "family")


def _loose(text: str) -> Iterator[Mention]:
    for found in LOOSE_NAME.finditer(text):
        name = found.group(found.lastgroup or 0)
        stem = name.removesuffix("/").rpartition("/")[2]
        if PRODUCT.fullmatch(name) or stem.lower() in SUFFIXES or stem.strip(".").isdigit():
            continue
        if not any(letter.isalpha() for letter in name) or re.fullmatch(r"v?[\d.]+", name):
            continue
        name = name.rstrip(".") if not stem.endswith("..") else name
        yield Mention(
            name.removeprefix("./"),
            found.start(),
            found.start() + len(found.group().rstrip(".")),
            "loose",
        )
