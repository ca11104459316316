"""Whatever is written or printed is masked there, and stays what it is."""

import json
import random
import string
from pathlib import Path

import msgspec
import pytest

from pm_orchestrator.adapters.engines.direct import DirectEngine
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.record import Record, from_json, to_file, to_json
from pm_orchestrator.evidence.masking.masked_files import MaskedFiles
from pm_orchestrator.evidence.masking.masked_ports import MaskedEngine, MaskedQueue, masked_body
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.ports.engine import Engine, Step, StepContext
from pm_orchestrator.testing.data.planting import Planting
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles
from pm_orchestrator.testing.memory.memory_queue import MemoryQueue

PLACE = Path("/p/.claude/record.json")


class Words(Record, frozen=True, kw_only=True):
    """A record with text in it."""

    text: str
    more: dict[str, str] = msgspec.field(default_factory=dict)


@pytest.fixture
def planting() -> Planting:
    return Planting(11)


class Exit:
    """Files in memory, behind the masker."""

    def __init__(self) -> None:
        self.inner = MemoryFiles()
        self.files = MaskedFiles(self.inner, Masker())

    async def written(self, data: bytes, path: Path = PLACE) -> bytes:
        await self.files.replace(path, data)
        return self.inner.read(path)


async def test_every_way_of_writing_is_masked(planting: Planting) -> None:
    place, log = Path("/p/a.json"), Path("/p/chain.jsonl")
    data = to_file(Words(text=planting.text("record"), more={"password": planting.literal("p")}))
    line = to_json(Words(text=planting.text("line"))) + b"\n"
    out = Exit()
    await out.files.create(Path("/p/new.json"), data)
    await out.files.replace(place, data)
    await out.files.append(log, line + line)
    out.files.note(Path("/p/head.json"), line)
    await out.files.create_and_append({Path("/p/ev.json"): data}, log, line, Path("/p/ahead"))
    await out.files.replace(Path("/p/page.md"), planting.text("page").encode())
    names = out.inner.names(Path("/p"))
    assert len(names) >= 6
    for name in names:
        assert planting.found(out.inner.read(Path("/p") / name)) == [], name
    assert from_json(Words, out.inner.read(place)).text
    assert len(out.inner.read(log).splitlines()) == 3


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":  1}',
        to_file(Words(text="task-1768282936521 is key = row.id, sort(key=len)")),
        to_json({"key": "all_proved", "token": 17, "tokens": 4, "next_action": None}),
        b"\x1f\x8b\x08\x00\xff packed",
        b"cancel\n",
        b'{"password": broken',
    ],
)
async def test_what_holds_no_secret_is_written_byte_by_byte(data: bytes) -> None:
    assert await Exit().written(data) == data


async def test_masking_what_was_masked_changes_no_byte(planting: Planting) -> None:
    out = Exit()
    once = await out.written(to_file(Words(text=planting.text("x"), more={"api_key": "hunter2"})))
    assert await out.written(once) == once


async def test_the_name_of_a_field_is_masked_like_a_value(planting: Planting) -> None:
    key = planting.key("name of a gate", "github")
    written = await Exit().written(to_json({"gates": {key: ["make", "test"], "lint": ["true"]}}))
    assert planting.found(written) == []
    assert sorted(json.loads(written)["gates"].values()) == [["make", "test"], ["true"]]


async def test_a_damaged_record_is_masked_as_text(planting: Planting) -> None:
    cut = to_file(Words(text=planting.key("half", "github")))[:-4]
    assert planting.found(await Exit().written(cut)) == []


async def test_the_bus_and_the_engine_get_nothing_else(planting: Planting) -> None:
    masker = Masker()
    queue = MemoryQueue(FakeClock())
    message = AgentMessage(
        id="m",
        run_id="run_001",
        type="task_assign",
        sender="manager",
        recipient="w",
        payload={"deep": [{"text": planting.text("payload")}]},
        timestamp="2026-01-15T09:00:00.000Z",
    )
    await MaskedQueue(queue, masker).send(message)
    assert planting.found(to_json(await queue.history("run_001"))) == []
    seen: list[Words] = []

    async def work(given: Words, _context: StepContext) -> Words:
        seen.append(given)
        return Words(text=planting.text("answer"))

    step = Step(name="work", input=Words, output=Words)

    async def code(engine: Engine, given: Words) -> Words:
        return await engine.step(step, given, key="work/1")

    engine = MaskedEngine(DirectEngine({"work": masked_body(work, masker)}, FakeClock()), masker)
    end = await engine.execute(code, Words(text=planting.text("input")), Words)
    assert planting.found(to_json((end, *seen))) == []


def test_data_for_programs_stays_data(
    planting: Planting, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {"command": f"curl -H 'Authorization: Bearer {planting.literal('gate')}'", "key": "x"}
    Screen("en", Masker()).data((Words(text=planting.text("text"), more=shown),))
    out = capsys.readouterr().out
    assert planting.found(out.encode()) == []
    assert json.loads(out)[0]["more"]["key"] == "x"


def test_what_was_secret_in_an_instruction_is_secret_alone(planting: Planting) -> None:
    masker, word = Masker(), planting.literal("word")
    later = masker.for_log_events()
    assert masker.mask(f"in {word}").text == f"in {word}"
    masker.learn(f'Use {{"password": "{word}"}} in config.py, and password = postgres elsewhere')
    for known in (masker, later):
        assert word not in known.mask(f"target: config.py, password, {word}").text
        assert known.mask("postgres and config.py").text == "postgres and config.py"
    assert masker.literals == (), "the user's files may hold it"


def test_nothing_is_learned_from_ordinary_words() -> None:
    masker = Masker()
    for text in ("token = parser.current_token", "PASSWORD=postgres make test", "key: value"):
        masker.learn(text)
    assert masker.mask("postgres, parser.current_token and value").found is False


def test_hardly_a_random_secret_looks_like_words() -> None:
    source = random.Random(3)
    base64 = string.ascii_letters + string.digits + "/+"

    def escaped(form: str, alphabet: str, length: int) -> int:
        keys = ("".join(source.choices(alphabet, k=length)) for _ in range(2000))
        return sum(key in Masker().mask(form.format(key)).text for key in keys)

    assert escaped("aws_secret_access_key = {}", base64, 40) == 0
    assert escaped("SecretAccessKey: {}", base64, 40) == 0
    # As its own program asks for it, and beside the id that it belongs to.
    assert escaped("AWS Secret Access Key [None]: {}", base64, 40) == 0
    assert escaped("aws configure set aws_secret_access_key {} --profile x", base64, 40) <= 4
    known = "AK" + "IA" + "Q7W3E9R5T1Y8U2I6"
    assert escaped(f"Access key ID,Secret access key\n{known},{{}}\n", base64, 40) == 0
    assert escaped(f'Static("{known}", "{{}}", "")', base64, 40) == 0
    assert escaped("secret: {}", base64[:62], 32) <= 2
    assert escaped("password={}", base64[:62], 20) <= 20


@pytest.mark.parametrize(
    "text",
    [
        "key = UserProfileSettingsPage2024",
        "key: ISO8601DateTimeFormatter",
        "token = Base64UrlSafeEncoderV2",
        "secret_key = settings.SECRET_KEY",
        "token: OAuth2AccessTokenResponse",
        "key = kubernetesClusterIPv4Address",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "integrity sha512-oRdTkVnTgWz2EsDjXcmcNDZdbkYBbpVEXhCZ0wvGSoTq5GUSQ2yxKhXHyJzYvZ8B",
        "id 550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_names_hashes_and_data_stay(text: str) -> None:
    assert Masker().mask(text) == (text, False)


def test_a_filter_never_says_no_where_there_is_something(planting: Planting) -> None:
    for between in ("\n", " , "):
        for line in planting.text("line", between).split(between):
            for data in (line.encode(), msgspec.json.encode({"x": [line]})):
                assert Masker().suspects(data) or not Masker().mask(line).found
