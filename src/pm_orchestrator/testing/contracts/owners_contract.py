"""What every kind of ownership promises."""

from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.ownership import Owners


class OwnersContract:
    """Subclass it and give the `owners` fixture."""

    @pytest.fixture
    def owners(self) -> Owners:
        raise NotImplementedError

    def test_a_second_owner_is_refused(self, owners: Owners, tmp_path: Path) -> None:
        first = owners.take(tmp_path / "thing.json", "the thing")
        with pytest.raises(PmError, match=r"E402: the thing is held by process \d+"):
            owners.take(tmp_path / "thing.json", "the thing")
        first.confirm()
        first.release()

    def test_the_token_grows_at_every_change_of_hands(self, owners: Owners, tmp_path: Path) -> None:
        tokens: list[int] = []
        for _ in range(4):
            owner = owners.take(tmp_path / "thing.json", "it")
            tokens.append(owner.token)
            owner.release()
        assert tokens == sorted(set(tokens))

    def test_two_things_have_two_owners(self, owners: Owners, tmp_path: Path) -> None:
        both = [owners.take(tmp_path / name, name) for name in ("a.json", "b.json")]
        for one in both:
            one.confirm()
            one.release()

    def test_a_former_owner_knows_it(self, owners: Owners, tmp_path: Path) -> None:
        first = owners.take(tmp_path / "thing.json", "it")
        first.release()
        second = owners.take(tmp_path / "thing.json", "it")
        with pytest.raises(PmError, match="E402"):
            first.confirm()
        second.confirm()
        second.release()
