"""Keys planted wherever text can come in, each known by its place when it comes out again."""

import random
import re
import string
from collections.abc import Mapping

LETTERS = string.ascii_letters + string.digits
BASE64 = LETTERS + "/+"
UPPER = string.ascii_uppercase + string.digits
PEM = "PRIVATE" + " KEY"
WINDOW = 12
"""So much of a key is a leak already, in any case and with any separators."""
_SEPARATORS = re.compile(rb"[^A-Za-z0-9]+")

KEYS: Mapping[str, tuple[str, str, int]] = {
    "openai": ("s" + "k-", LETTERS, 48),
    "openai project": ("s" + "k-proj-", LETTERS, 80),
    "anthropic": ("s" + "k-ant-api03-", LETTERS, 93),
    "github": ("gh" + "p_", LETTERS, 36),
    "github fine": ("github" + "_pat_", LETTERS, 82),
    "gitlab": ("gl" + "pat-", LETTERS, 20),
    "aws id": ("AK" + "IA", UPPER, 16),
    "google": ("AI" + "za", LETTERS, 35),
    "slack": ("xo" + "xb-", LETTERS, 40),
}
"""Keys that are known by their own form: prefix, alphabet, length of the rest."""
FORMS: Mapping[str, tuple[str, str, int]] = {
    "private key": (
        "-----BEGIN {}-----\n{{}}\n-----END {}-----".format(*["PRIVATE" + " KEY"] * 2),
        BASE64,
        64,
    ),
    "jwt": ("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "J{}.c2lnbmF0dXJlLW9mLWl0", LETTERS, 60),
    "authorization": ("Authorization: Bearer {}", LETTERS, 32),
    "cookie": ("Cookie: theme=dark; session={}", LETTERS, 32),
    "set-cookie": ("Set-Cookie: session={}; HttpOnly", LETTERS, 32),
    "json": ('{{"password": "{}"}}', LETTERS, 24),
    "variable": ("DB_PASSWORD={}", LETTERS, 24),
    "bearer": ("Bearer {}", LETTERS, 32),
    "generic": ("secret: {}", LETTERS, 24),
    "aws secret": ("aws_secret_access_key = {}", BASE64, 40),
    "in a query": ("https://example.invalid/?next=%2F%3Fkey%3D" + "s" + "k-{}%26x", LETTERS, 48),
    "option": ("deploy --token {} now", LETTERS, 32),
    "told": ("the password is {}", LETTERS, 24),
    "told in Japanese": ("パスワードは {} です", LETTERS, 24),
    "address": ("https://bot:{}@example.invalid/x", LETTERS, 24),
}
"""Secrets that are known by what stands around them."""
COLOURED: Mapping[str, tuple[str, str, int]] = {
    "coloured": ("\x1b[33mgh" + "p_{}\x1b[0m", LETTERS, 36),
    "coloured value": ("\x1b[1mtoken\x1b[0m: \x1b[33m{}\x1b[0m", LETTERS, 32),
}
"""The same as programs print them for a terminal; nobody types them."""


class Planting:
    """Makes keys nobody has seen before, and finds them again."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._planted: dict[str, tuple[bytes, ...]] = {}

    def key(self, place: str, shape: str | None = None) -> str:
        """A bare key; any shape will do where none is asked for."""
        shape = shape or self._random.choice(list(KEYS))
        prefix, alphabet, length = KEYS[shape]
        return prefix + self._body(f"{place}: {shape}", alphabet, length)

    def literal(self, place: str) -> str:
        """A value without any form of its own."""
        return self._body(f"{place}: value", LETTERS, 32)

    def text(self, place: str, between: str = "\n") -> str:
        """One of every shape."""
        lines = [f"here {self.key(place, shape)} ." for shape in KEYS]
        for shape, (form, alphabet, length) in FORMS.items():
            lines.append(form.format(self._body(f"{place}: {shape}", alphabet, length)))
        if between != "\n":
            lines = [line for line in lines if "\n" not in line]
        return between.join(lines)

    def output(self, place: str) -> str:
        """The same, and what only programs print."""
        forms = [
            form.format(self._body(f"{place}: {shape}", alphabet, length))
            for shape, (form, alphabet, length) in COLOURED.items()
        ]
        return "\n".join([self.text(place), *forms])

    def _body(self, name: str, alphabet: str, length: int) -> str:
        body = "".join(self._random.choice(alphabet) for _ in range(length))
        plain = _plain(body.encode())
        starts = range(0, len(plain) - WINDOW + 1, WINDOW // 2)
        self._planted[f"{name} #{len(self._planted)}"] = tuple(
            plain[i : i + WINDOW] for i in starts
        )
        return body

    def found(self, data: bytes) -> list[str]:
        """What of all that was planted is in the data, whole or in parts."""
        plain = _plain(data)
        return [
            name for name, parts in self._planted.items() if any(part in plain for part in parts)
        ]


def _plain(data: bytes) -> bytes:
    return _SEPARATORS.sub(b"", data).lower()
