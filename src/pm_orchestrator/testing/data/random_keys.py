"""Keys as vendors make them, drawn at random for tests; none of them was ever valid."""

import string
from random import Random

_ALNUM = string.ascii_letters + string.digits
_BASE64 = _ALNUM + "_-"
_BASE32 = string.ascii_uppercase + "234567"
_HEX = "0123456789abcdef"
_SHAPES: dict[str, tuple[tuple[str, str, int], ...]] = {
    "s" + "k-ant-": (("api03-", _BASE64, 93), ("AA", "", 0)),
    "s" + "k-": (("", _ALNUM, 48),),
    **{f"gh{kind}_": (("", _ALNUM, 36),) for kind in "oprsu"},
    "github" + "_pat_": (("", _ALNUM, 22), ("_", _ALNUM, 59)),
    **{
        f"gl{kind}-": (("", _BASE64, 20),)
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "soat")
    },
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), (("", _BASE32, 16),)),
    "AI" + "za": (("Sy", _BASE64, 33),),
    "ya" + "29.": (("a0A", _BASE64, 120),),
    "GOC" + "SPX-": (("", _BASE64, 28),),
    "xo" + "x": (("b-", string.digits, 12), ("-", string.digits, 12), ("-", _ALNUM, 24)),
    "xap" + "p-": (("1-A", _BASE32, 10), ("-", string.digits, 13), ("-", _HEX, 64)),
    "s" + "k_live_": (("", _ALNUM, 24),),
    "r" + "k_live_": (("", _ALNUM, 24),),
    "np" + "m_": (("", _ALNUM, 36),),
    "py" + "pi-": (("AgEI", _BASE64, 150),),
    "h" + "f_": (("", string.ascii_letters, 34),),
    "gs" + "k_": (("", _ALNUM, 52),),
    "xa" + "i-": (("", _ALNUM, 80),),
    "do" + "p_v1_": (("", _HEX, 64),),
    "da" + "pi": (("", _HEX, 32),),
    "S" + "G.": (("", _BASE64, 22), (".", _BASE64, 43)),
    "AGE-SECRET" + "-KEY-": (("1", _BASE32, 58),),
}
"""What stands behind a prefix in a real key: fixed text, then so many characters."""


def real_shapes() -> tuple[str, ...]:
    """The prefixes of `random_key`."""
    return tuple(_SHAPES)


def random_key(prefix: str, source: Random) -> str:
    """A key as a vendor would make it."""
    parts = (
        fixed + "".join(source.choices(alphabet, k=length) if alphabet else "")
        for fixed, alphabet, length in _SHAPES[prefix]
    )
    return prefix + "".join(parts)
