"""File names in a text, told apart from products and web addresses."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pm_orchestrator.domain.late_pattern import LatePattern

EXTENSIONS = (
    "bat c cc cfg cjs conf cpp cs css csv dart go gradle graphql h hpp html ini ipynb java jinja "
    "js json jsonl jsx kt less lock lua md mdx mjs php proto ps1 py pyi rb rs rst sass scala scss "
    "sh sql svelte svg swift tex tf toml ts tsv tsx txt vue xml yaml yml"
)
BARE_NAMES = "Dockerfile|Makefile|Jenkinsfile|Procfile|Vagrantfile|LICENSE|CMakeLists\\.txt"
FILE_NAME = LatePattern(
    r"(?<![\w/.@:-])(?:\./)?((?:[\w.@-]+/)*(?:[\w-]+(?:\.[\w-]+)*\.(?:"
    + "|".join(EXTENSIONS.split())
    + r")|\.(?:gitignore|gitattributes|editorconfig|env|npmrc|nvmrc|prettierrc|eslintrc"
    + r"|gitkeep|dockerignore)(?:\.[\w-]+)*|"
    + BARE_NAMES
    + r"))(?![\w/]|\.\w)",
    re.ASCII,
)
# Products that look like files.
PRODUCT = LatePattern(
    r"(node|vue|next|nuxt|express|three|d3|react|angular|ember|backbone|chart|p5)\.js",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """A file's name, and where in the text it stands."""

    name: str
    start: int
    end: int


def mentions(text: str) -> Iterator[Mention]:
    """Each file named in `text`, in order."""
    for found in FILE_NAME.finditer(text):
        if PRODUCT.fullmatch(found.group(1)) is None:
            yield Mention(found.group(1), found.start(), found.end())


def files_named(text: str) -> tuple[str, ...]:
    """Every file the text names, once, in order."""
    return tuple(dict.fromkeys(mention.name for mention in mentions(text)))
