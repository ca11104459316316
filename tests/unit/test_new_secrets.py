"""Which secrets a change brings in, and which honest files hold none."""

import base64
import hashlib
import json
import random
import string
import time

import pytest

from pm_orchestrator.evidence.masking.masker import Masker, secret_literals
from pm_orchestrator.evidence.masking.new_secrets import SHORTEST, SecretFound, new_secrets
from pm_orchestrator.evidence.masking.placeholders import KNOWN_EXAMPLES
from pm_orchestrator.evidence.masking.secret_forms import PREFIXED
from pm_orchestrator.testing.data.random_keys import random_key, real_shapes
from pm_orchestrator.testing.data.secrets import LOOK_ALIKES

SEEDED = random.Random(20260115)
GITHUB = random_key("ghp_", SEEDED)
PEM_BODY = base64.b64encode(SEEDED.randbytes(600)).decode()


def pem(kind: str = "", newline: str = "\n", body: str = PEM_BODY) -> str:
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    edges = [f"-----{word} {kind}PRIVATE KEY-----" for word in ("BEGIN", "END")]
    return newline.join([edges[0], *lines, edges[1]])


def kinds(after: str, before: str | None = None) -> list[str]:
    found = new_secrets(None if before is None else before.encode(), after.encode())
    return [secret.kind for secret in found]


@pytest.mark.parametrize("prefix", real_shapes())
def test_a_key_of_every_kind_is_named_without_a_letter_of_it(prefix: str) -> None:
    key = random_key(prefix, SEEDED)
    (found,) = new_secrets(b"x = 1\n", f'x = 1\nKEY = "{key}"\n'.encode())
    assert found.line == 2
    assert found.sample == f"[MASKED:{found.kind}]"
    assert key[-8:] not in repr(found)


@pytest.mark.parametrize("kind", ["proj-", "svcacct-", "admin-", "or-v1-", ""])
def test_the_many_keys_of_one_vendor_are_all_found(kind: str) -> None:
    key = random_key("sk-", SEEDED)
    assert kinds(f"sk-{kind}{key.removeprefix('sk-')}") == ["OPENAI_KEY"]


def test_every_prefix_of_the_masking_table_is_looked_for_or_left_out_on_purpose() -> None:
    table = {rule.triggers[0] for rule in PREFIXED}
    assert table - SHORTEST.keys() == {"sk_test_", "rk_test_"}
    assert SHORTEST.keys() <= table
    assert set(real_shapes()) == SHORTEST.keys()


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "export TOKEN={}",
        "token: '{}'",
        '{{"a":"line\\n{}\\nline"}}',
        "https://bot:{}@example.invalid/r.git",
        "日本語{}です",
        "({})",
        "# {}, do not tell",
        "\r\n\t{}\r\n",
        "a/b={}",
    ],
)
def test_it_is_found_in_every_usual_place(text: str) -> None:
    assert kinds(text.format(GITHUB)) == ["GITHUB_TOKEN"]


class TestPrivateKeys:
    @pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
    @pytest.mark.parametrize(
        "newline", ["\n", "\r\n", "\\n", '\\n" +\n    "', " ", "\n    ", "\n# ", '",\n  "', "\n// "]
    )
    def test_one_with_a_body_is_named(self, kind: str, newline: str) -> None:
        assert kinds(f"first\n{pem(kind, newline)}\nlast") == ["PRIVATE_KEY"]

    def test_one_with_headers_or_without_an_end_is_too(self) -> None:
        headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"
        assert kinds(pem("RSA ", body=PEM_BODY).replace("-----\n", f"-----\n{headers}", 1))
        assert kinds(pem().split("-----END", maxsplit=1)[0])
        # As short as it may be, and one character shorter.
        for length, found in ((64, ["PRIVATE_KEY"]), (63, [])):
            assert kinds(pem(body=PEM_BODY[:length])) == found
            assert kinds(pem(body=PEM_BODY[:length]).split("\n-----END")[0]) == found

    @pytest.mark.parametrize(
        "text",
        [
            'if "-----BEGIN RSA PRIVATE KEY-----" in text: raise',
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
            pem(body="x" * 640),
            pem(body="ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 20),
            pem().replace("PRIVATE", "PUBLIC"),
            pem().replace("PRIVATE KEY", "CERTIFICATE"),
            "-----BEGIN PRIVATE KEY-----" * 3,
            f'HEADER = "-----BEGIN PRIVATE KEY-----"\nFINGERPRINT = "{PEM_BODY[:80]}"',
            'MARK = "-----BEGIN PRIVATE KEY-----"\nclass ' + "PrivateKeyReaderOfManyForms" * 6,
        ],
    )  # fmt: skip
    def test_a_header_alone_is_none(self, text: str) -> None:
        assert kinds(text) == []


HONEST = [
    *LOOK_ALIKES,
    "ghp_" + "x" * 36,
    "ghp_" + "X" * 20,
    "ghp_your_token_here",
    "ghp_yourgithubpersonalaccesstokengoeshere",
    "ghp_ThisIsAFakeTokenForTestingOnly1234567",
    "ghp_" + string.ascii_lowercase + string.digits,
    "ghp_" + "1234567890" * 4,
    "ghp_" + "0123456789abcdef" * 3,
    "ghp_" + "abc123" * 6,
    "ghp_correcthorsebatterystapleandmuchmore",
    "ghp_" + KNOWN_EXAMPLES[0],
    "ghp_aB3dE5fG7hJ9kL2mN4p",  # too short for one
    "github_pat_" + "x" * 82,
    "sk-ant-...",
    "sk-ant-api03-...",
    "sk-ant-api03-" + "x" * 90,
    "sk-ant-your-anthropic-api-key-goes-here-please-and-thank-you",
    "sk-ant-api03-your-key-here-and-some-more-words-to-fill-the-line",
    "sk-test",
    "sk-test-key",
    "sk-test-1234567890",
    "sk-" + "0" * 48,
    "sk-proj-" + "A" * 48,
    "sk-" + "toggleable-label-arrow-folding-cube-delay",
    "sk-your-openai-api-key-goes-here-replace-me",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AKIA" + "I44QH8DHBEXAMPLE",
    "AKIA" + "X" * 16,
    "AKIA" + "1234567890ABCDEF",
    "AKIA" + "YOURACCESSKEYID0",
    "AKIAIOSFODNN7EXAMPLEAB",
    "glpat-" + "x" * 20,
    "glpat-your-personal-access-token",
    "AIza" + "Sy" + "x" * 33,
    "xoxb-your-slack-bot-token-goes-here-1234",
    "xoxb-000000000000-000000000000-" + "x" * 24,
    "sk_live_" + "x" * 24,
    "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "hf_" + "x" * 34,
    "<your-key>",
    "${ANTHROPIC_API_KEY}",
    "password = 'aB3dE5fG7hJ9kL2m'",
    "API_KEY=aB3dE5fG7hJ9kL2mN4pQ",
    "Authorization: Bearer aB3dE5fG7hJ9kL2mN4pQ",
    "Cookie: session=aB3dE5fG7hJ9kL2mN4pQ",
    "jane.doe@example.com, 090-1234-5678",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    r"re.compile(r'sk-ant-[A-Za-z0-9_-]{20,}|ghp_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}')",
    r"(gh[opsru]_[A-Za-z0-9]{36,}|github_pat_[a-zA-Z0-9]{22}_[a-zA-Z0-9]{59})",
    "s" + '" + "k-" + body(48)',
    "[MASKED:GITHUB_TOKEN]",
]


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_is_not_hurt(text: str) -> None:
    for form in (text, f'KEY = "{text}"', json.dumps({"key": text}), f"export KEY={text}\n"):
        assert kinds(form) == []


def lock_file() -> bytes:
    entries = {
        f"node_modules/package-{n}": {
            "version": "1.2.3",
            "resolved": f"https://registry.example.invalid/package-{n}/-/package-{n}-1.2.3.tgz",
            "integrity": "sha512-" + base64.b64encode(SEEDED.randbytes(64)).decode(),
            "sha256": hashlib.sha256(str(n).encode()).hexdigest(),
        }
        for n in range(3000)
    }
    return json.dumps(entries, indent=2).encode()


def minified() -> bytes:
    words = ["sk-", "task-", "e", "function(", "){return ", ".npm_", "=>", "hf_", "AKIA", "_", "t."]
    return "".join(SEEDED.choices(words, k=200_000)).encode()


BLOBS = {
    "lock file": lock_file(),
    "minified code": minified(),
    "binary": SEEDED.randbytes(1_000_000),
    "image in base64": b"data:image/png;base64," + base64.b64encode(SEEDED.randbytes(750_000)),
    "data in the alphabet of addresses": base64.urlsafe_b64encode(SEEDED.randbytes(3_000_000)),
    "wrapped data": base64.encodebytes(SEEDED.randbytes(750_000)),
    "many keys by chance": b"AIza+sk-_hf_-ghp_".join(
        base64.urlsafe_b64encode(SEEDED.randbytes(300)) for _ in range(3000)
    ),
}


@pytest.mark.parametrize("blob", BLOBS)
def test_large_files_without_keys_are_read_quickly_and_hold_none(blob: str) -> None:
    started = time.process_time()
    assert new_secrets(None, BLOBS[blob]) == ()
    assert time.process_time() - started < 1


HOSTILE = {
    "prefixes": "sk-" * 350_000,
    "spaced prefixes": " sk-aB3dE5fG7hJ9kL2mN4pQ" * 45_000,
    "headers": "-----BEGIN PRIVATE" + ' KEY-----"' + ("-----BEGIN PRIVATE" + ' KEY-----"') * 34_000,
    "half a header": "-----BEGIN A " + "A " * 500_000,
    "one word": "a" * 1_000_000,
    "keys": "\n".join(random_key("ghp_", SEEDED) for _ in range(25_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_anything_takes_linear_time(name: str) -> None:
    started = time.process_time()
    new_secrets(b"", HOSTILE[name].encode(), ("aB3dE5fG7hJ9kL2m",))
    # A quadratic rule needs minutes for this; the bound only has to tell the two apart.
    assert time.process_time() - started < 5


class TestWhatWasThereBefore:
    def test_a_secret_that_was_there_is_not_new(self) -> None:
        text = f"a\n{GITHUB}\n{pem()}\nb\n"
        assert kinds(text, text) == []
        assert kinds(f"b\n{pem()}\nnew\n{GITHUB}\n", text) == []
        assert kinds("gone\n", text) == []
        assert kinds(f"{text}{GITHUB}\n", text) == []

    def test_another_one_is(self) -> None:
        other = random_key("ghp_", SEEDED)
        found = new_secrets(f"{GITHUB}\n".encode(), f"{GITHUB}\n\n{other}\n{other}\n".encode())
        assert found == (SecretFound(kind="GITHUB_TOKEN", line=3, sample="[MASKED:GITHUB_TOKEN]"),)

    def test_they_are_named_from_top_to_bottom(self) -> None:
        lines = [pem(), random_key("AKIA", SEEDED), GITHUB]
        found = new_secrets(None, "\n".join(lines).encode())
        height = pem().count("\n") + 1
        assert [(s.kind, s.line) for s in found] == [
            ("PRIVATE_KEY", 1),
            ("AWS_KEY", height + 1),
            ("GITHUB_TOKEN", height + 2),
        ]


class TestLiterals:
    VALUE = 'Zq9!x7"Kw2/pL'

    def test_the_value_of_a_secret_variable_is_named_in_every_form(self) -> None:
        literals = Masker(secret_literals({"DB_PASSWORD": self.VALUE, "HOME": "/home/x"})).literals
        for text in (self.VALUE, json.dumps({"x": self.VALUE}), "?p=Zq9%21x7%22Kw2/pL"):
            (found,) = new_secrets(b"", f"one\ntwo {text}".encode(), literals)
            assert (found.kind, found.line) == ("ENV_CREDENTIAL", 2)
            assert new_secrets(text.encode(), text.encode(), literals) == ()

    def test_a_key_is_named_once_although_it_is_in_the_environment(self) -> None:
        assert [s.kind for s in new_secrets(None, GITHUB.encode(), (GITHUB,))] == ["GITHUB_TOKEN"]

    def test_a_variable_that_is_set_to_a_word_hurts_nobody(self) -> None:
        literals = secret_literals({"OPENAI_API_KEY": "placeholder", "GEMINI_API_KEY": "test-key"})
        assert literals == ("placeholder", "test-key")
        assert new_secrets(None, b"a placeholder for the test-key", literals) == ()

    def test_a_variable_that_holds_a_private_key_does_not_make_headers_secret(self) -> None:
        header = b'"-----BEGIN PRIVATE KEY-----" is how it begins'
        assert new_secrets(None, header, (pem(),)) == ()
