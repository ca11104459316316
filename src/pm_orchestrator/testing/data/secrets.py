"""Secrets and look-alikes for tests of masking.

The secrets are put together from parts at run time, so that no scanner takes this
file for a leak. None of them was ever valid.
"""

import json
from pathlib import Path
from typing import NamedTuple

from pm_orchestrator.evidence.chain.raw_logs import content

LETTERS = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzAbCdEfGhJkMnPqRsTuVwXyZ23456789"
HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0"
UPPER = "Q7W3E9R5T1Y8U2I6O4P0ZAXSCDVFBGNHMJKL"


class Planted(NamedTuple):
    """A secret inside text; `secret` must not survive."""

    text: str
    secret: str


def _body(length: int) -> str:
    return (LETTERS * 4)[:length]


def _pem(kind: str, newline: str = "\n") -> Planted:
    line = "MII" + _body(61)
    head, foot = (f"-----{word} {kind}PRIVATE KEY-----" for word in ("BEGIN", "END"))
    body = newline.join([line, line[::-1], line])
    return Planted(f"key file:{newline}{newline.join([head, body, foot])}{newline}done", line)


def _jwt() -> str:
    return ".".join(["ey" + "J" + _body(33), "ey" + "J" + _body(60), _body(43)])


def _prefixed() -> list[Planted]:
    keys = [
        "s" + "k-" + _body(48),
        "s" + "k-proj-" + _body(20) + "_" + _body(30) + "-" + _body(12),
        "s" + "k-svcacct-" + _body(60),
        "s" + "k-or-v1-" + HEX,
        "s" + "k-" + "a" * 32,
        "s" + "k-ant-api03-" + _body(40) + "_" + _body(30) + "-AA",
        "s" + "k-ant-admin01-" + _body(64),
        *("gh" + kind + "_" + _body(36) for kind in "pousr"),
        "github" + "_pat_" + _body(22) + "_" + _body(59),
        "gl" + "pat-" + _body(20),
        "gl" + "rt-" + _body(8) + "_" + _body(12),
        "gl" + "pat-" + "k3qz8vwht2jpm7rsxb4nd9",
        "AK" + "IA" + UPPER[:16],
        "AS" + "IA" + UPPER[4:20],
        "AI" + "za" + _body(35),
        "ya" + "29." + _body(60),
        "GOC" + "SPX-" + _body(28),
        "xo" + "xb-123456789012-" + _body(24),
        "xap" + "p-1-A0B1C2-" + _body(24),
        "s" + "k_live_" + _body(24),
        "r" + "k_test_" + _body(24),
        "np" + "m_" + _body(36),
        "py" + "pi-AgEI" + _body(60),
        "h" + "f_" + _body(34),
        "gs" + "k_" + _body(52),
        "xa" + "i-" + _body(64),
        "do" + "p_v1_" + HEX,
        "da" + "pi" + HEX[:32],
        "S" + "G." + _body(22) + "." + _body(43),
    ]
    places = (
        "the key is {} as of today",
        '{{"env":"{}"}}',
        "export X={}\nnext line",
        "fatal: could not read from https://bot:{}@example.invalid/r.git",
        'content":"first\\n{}\\nlast"',
        "日本語の文中の {} です",
    )
    return [Planted(places[index % len(places)].format(key), key) for index, key in enumerate(keys)]


def _headers() -> list[Planted]:
    random = _body(24)
    sessions = "session=" + _body(32)
    basic = "dXNlcjpwYXNzd29yZDEyMw=="
    return [
        Planted(f"Authorization: Bearer {random}", random),
        Planted(f"authorization: bearer {random}", random),
        Planted(f"> Authorization: Basic {basic}\n> Accept: */*", basic),
        Planted(f'curl -H "Authorization: Bearer {random}" https://example.invalid', random),
        Planted(f"{{'Authorization': 'Bearer {random}'}}", random),
        Planted(f'{{"Authorization": "Basic {basic}"}}', basic),
        Planted(f"Proxy-Authorization: Basic {basic}", basic),
        Planted(f"Authorization:\n  Bearer\n  {random}", random),
        Planted(f"Cookie: theme=dark; {sessions}; lang=ja", sessions),
        Planted(f"cookie: {sessions}", sessions),
        Planted("Cookie: abcdef", "abcdef"),
        Planted(f"Set-Cookie: {sessions}; Path=/; HttpOnly", sessions),
        Planted(f'{{"Cookie": "a=b; {sessions}"}}', sessions),
        Planted(f"Bearer {random}", random),
        Planted(f"used bearer {random} today", random),
        Planted(_jwt(), _jwt()),
        Planted(f"id_token {_jwt()} accepted", _jwt()),
        Planted(f'"t":"x\\n{_jwt()}"', _jwt()),
    ]


def _named() -> list[Planted]:
    random = _body(20)
    return [
        Planted('{"password": "correct horse battery"}', "correct horse battery"),
        Planted('{"user":"bob","secret":"hunter2","n":1}', "hunter2"),
        Planted('{"token" : "abc"}', '"abc"'),
        Planted('{"apiKey":"abc-def"}', "abc-def"),
        Planted('{"db_password": "pa\\"ss word"}', "ss word"),
        Planted('{"client_secret": "x-y-z"}', "x-y-z"),
        Planted('{"body":"{\\"api_key\\": \\"inner value\\"}"}', "inner value"),
        Planted('"refresh_token": "cut off in the mid', "cut off in the mid"),
        Planted("PASSWORD=hunter2 ./run", "hunter2"),
        Planted("export DB_PASSWORD='two words'", "two words"),
        Planted('API_KEY="quoted value" next', "quoted value"),
        Planted(f"GITHUB_TOKEN={random}", random),
        Planted(f"AWS_SECRET_ACCESS_KEY={_body(30)}/+x{_body(6)}", _body(30)),
        Planted(f"aws_secret_access_key = {_body(40)}", _body(40)),
        Planted("password: Tr0ub4dor&3x", "Tr0ub4dor"),
        Planted(f"x-api-key: {random}", random),
        Planted(f"connect(token='{random}', retries=3)", random),
        Planted(f"https://example.invalid/?access_token={random}&page=2", random),
        Planted(f"secret:\n    {random}", random),
        Planted("passwd=abc123def456", "abc123def456"),
        Planted(f"https://bot:{random}@example.invalid/repo.git", random),
        Planted("password = kJhGfDsAqWeRtYuIo", "kJhGfDsAqWeRtYuIo"),
        Planted("secret=qhzvxkwpjrtlmnbd", "qhzvxkwpjrtlmnbd"),
        Planted(f"Private-Token: {random}", random),
    ]


def _escaped_and_told() -> list[Planted]:
    """As terminals, addresses, ASCII JSON and persons write them."""
    key, random = "s" + "k-ant-api03-" + _body(40), _body(24)
    around = (
        "\x1b[31m{}\x1b[0m",
        "section_end\x1b[0K{}",
        '{{"out":"\\u001b[1;32m{}\\u001b[0m"}}',
        "\\x1b[32m{}",
        "?next=%2F%3Fkey%3D{}%26page",
        '"\\u003c{}\\u003e"',
        "b'\\x00{}'",
    )
    named = (
        "\x1b[34;1m{0}\x1b[0m\x1b[1;39m: \x1b[0;32m{1}\x1b[0m",
        "deploy --{0} {1} now",
        "{0} => '{1}'",
        'os.environ["API_{0}"] = "{1}"',
        "the {0} is {1}",
        "client_{0}%3D{1}",
    )
    told = ("パスワードは{}です", "トークン：{}", "パスワードが {} のサーバー")
    return [
        *(Planted(form.format(key), key) for form in around),
        *(Planted(form.format("password", random), random) for form in named),
        *(Planted(form.format(random), random) for form in told),
        *(Planted(json.dumps(form.format(random)), random) for form in told),
        Planted(f"the title was cut: '{key[:24]}'", key[13:24]),
        Planted("gl" + "pat-kqzvWhtjpMrsXwbnYdlc", "kqzvWhtjpMrsXwbnYdlc"),
        Planted("password = Cig31qDbSbolsaQLAlaai9fc", "Cig31qDbSbolsaQLAlaai9fc"),
    ]


def planted_secrets() -> list[Planted]:
    """Secrets in the text they usually come in."""
    pems = [
        _pem(""),
        _pem("RSA "),
        _pem("EC "),
        _pem("OPENSSH "),
        _pem("ENCRYPTED "),
        _pem("RSA ", "\\n"),
        Planted(_pem("")[0].split("-----END", maxsplit=1)[0], "MII" + _body(61)),
    ]
    return [*_prefixed(), *_headers(), *_named(), *_escaped_and_told(), *pems]


LOOK_ALIKES: tuple[str, ...] = (
    "key = row.id",
    "rows.sort(key=len)",
    "sorted(items, key=lambda row: row.created_at)",
    "sorted(items, key=operator.itemgetter(1))",
    "max(scores, key=scores.get)",
    "for key in mapping: print(key)",
    "if key == other.key:",
    "token = next(tokens)",
    "token = parser.current_token",
    "token: str | None = None",
    "tokens=4096",
    "max_tokens: 4096",
    '{"input_tokens": 1523, "output_tokens": 88}',
    'cache_key = f"{name}:{version}"',
    "password = getpass.getpass()",
    "password: Optional[str] = None",
    "def login(user: str, password: str) -> Session:",
    "secret = settings.secret_name",
    "secret=config.get_secret_value()",
    "key='created_at'",
    'key="aes-256-gcm"',
    "key: value",
    "keyword = 'class'",
    "monkey = banana",
    "hockey=1",
    "The key: keep functions small.",
    "Bearer token is required",
    "use Bearer authentication",
    "Bearer Token Usage",
    "the token is expired, the key is row.id and the password was changed",
    "pytest --token-file tokens.txt --key created_at",
    "パスワードは必須です。トークンが切れたら更新する",
    "キーは user_id です",
    "\x1b[31mtask-1768282936521\x1b[0m desk-lamp-and-chair-collection",
    "ghp_import and sk-ant-example are names",
    "https://example.invalid/%2Frisk-assessment-and-mitigation",
    "the bearer of this letter",
    "cookie: str",
    "def set(cookie: Cookie | None) -> None:",
    "cookie jar",
    "a cookie: chocolate",
    "Authorization is required",
    "authorization: basic rules apply",
    "task-1768282936521",
    "task-1768282936521_3f9a0b12c4d5e6f7.log",
    "raw/session-20260115-abc/task-1768282936521_ev-0123456789abcdef.log",
    "disk-encryption-configuration-guide",
    "risk-assessment-2026-01-15-final-version",
    "class='sk-toggleable__label-arrow'",
    "sk-estimator-doc-link",
    "flask-sqlalchemy-extension-name",
    "agent/20260115-0a1b-01-add-login-page",
    "refs/pm/rescue/run_001/20260115-0a1b-02",
    "refs/pm/rescue/run_001/02/branch-add-the-slug-maker",
    "commit 3f2a9c1d4e5b6a7980c1d2e3f4a5b6c7d8e9f0a1",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "550e8400-e29b-41d4-a716-446655440000",
    "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
    "-----BEGIN CERTIFICATE-----",
    'if "-----BEGIN RSA PRIVATE KEY-----" in text: raise',
    "ssh-ed25519 is the key type",
    "https://example.invalid:8080/path?page=2",
    "http://localhost:5678/api/tasks/task-1768282936521",
    "postgres://postgres:postgres@localhost/db",
    "git@example.invalid:org/repo.git",
    "npm_config_registry",
    "hf_transfer is optional",
    "AKIA is a prefix",
    "xoxo",
    "eyJ is how JSON begins in base64",
    "2026-01-15T09:00:00.000Z",
    "key=2026-01-15T09:00:00.000Z",
    "version 1.2.3-rc4+build.567",
    "キー = 値、トークン: なし、パスワード: 未設定",
    "password123 is a bad password",
    "the secret access key src/components/SettingsPageForUsers.vue",
    "AWS Secret Access Key [None]:",
    "set secret_key e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "token_count = len(tokens)",
    "secretary: Ms. Jones",
    "keyboard: us-intl",
    "[MASKED:OPENAI_KEY] was here",
    "TOKEN=[MASKED:GITHUB_TOKEN]",
)
"""Ordinary text that must come out as it went in."""


def kept_text(path: Path) -> bytes:
    """What a file keeps, unpacked: a secret must not hide from whoever looks for it."""
    return content(path.name, path.read_bytes())
