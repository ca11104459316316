"""The cassette that ships with the program."""

from importlib.resources import files

from pm_orchestrator.adapters.gateway.cassette import Cassette
from pm_orchestrator.domain.record import from_json
from pm_orchestrator.testing.scripted.demo_replies import REPLIES, cassette_of


def test_it_says_what_its_script_says() -> None:
    """`make cassette` records it; a script that was changed without it is found here."""
    shipped = from_json(
        Cassette, (files("pm_orchestrator.cli.demo") / "cassette.json").read_bytes()
    )
    said = {(take.agent, take.turn): take.reply for take in shipped.takes}
    written = {(take.agent, take.turn): take.reply for take in cassette_of(REPLIES).takes}
    assert said == written
    # Every answer is bound to its question: a changed prompt does not replay.
    assert all(take.digest is not None for take in shipped.takes)
