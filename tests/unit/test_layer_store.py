"""Layers on disk: complete or not there, kept while they are used."""

import os
import time
from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.prepared.layer_store import Layer, LayerStore, without
from pm_orchestrator.ports.sandbox import HostDirectory

KEY = "0123456789abcdef"


def layer(*directories: str, key: str = KEY) -> Layer:
    return Layer(key=key, runtime="bwrap", directories=directories, size=0)


def built(store: LayerStore, *files: str) -> Path:
    place = store.building_place()
    for name in files:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("12345", encoding="utf-8")
    return place


def test_a_layer_holds_what_is_new_and_nothing_else(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    assert store.find(KEY) is None
    place = built(store, "node_modules/a/x.js", "web/.venv/y", "src/product.py", ".git/config")
    kept = store.keep(place, layer("node_modules", "web/.venv", ".git", "gone"))
    assert kept is not None
    assert kept.directories == ("node_modules", "web/.venv")
    assert kept.size == 10
    assert store.find(KEY) == kept
    seen = store.directories(kept)
    assert [each.at for each in seen] == ["node_modules", "web/.venv"]
    assert (seen[1].source / "y").read_text("utf-8") == "12345"
    assert [path.name for path in (tmp_path / "layers").iterdir()] == [KEY]
    assert not list(tmp_path.rglob("product.py"))


@pytest.mark.parametrize("name", ["/etc", "../other", "a/../../b", "link", "link/inner", "file"])
def test_no_name_leads_out_of_what_was_built(tmp_path: Path, name: str) -> None:
    store = LayerStore(tmp_path / "layers")
    place = built(store, "file", "a/x")
    (tmp_path / "layers/other").mkdir()
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (place / "link").symlink_to(outside)
    assert store.keep(place, layer(name)) is None
    store.give_up(place)
    assert (outside / "inner").is_dir()
    assert store.find(KEY) is None


def test_the_same_layer_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    store = LayerStore(tmp_path / "layers")
    store.keep(built(store, "a/old"), layer("a"))
    store.keep(built(store, "a/new"), layer("a"))
    (seen,) = store.directories(layer("a"))
    assert [path.name for path in seen.source.iterdir()] == ["new"]


def test_what_nobody_uses_goes_and_what_is_being_built_stays(tmp_path: Path) -> None:
    folder = tmp_path / "layers"
    store = LayerStore(folder)
    assert store.prune(1).kept == 0
    other = "f" * 16
    store.keep(built(store, "a/x"), layer("a"))
    store.keep(built(store, "a/x"), layer("a", key=other))
    long_ago = time.time() - 10 * 86_400
    for key in (KEY, other):
        os.utime(folder / key, (long_ago, long_ago))
    (folder / ("e" * 16)).mkdir()
    (folder / "building-999999999-1").mkdir()
    (folder / "of-somebody-else").mkdir()
    at_work = store.building_place()
    assert store.find(other) is not None
    told = store.prune(7, dry_run=True)
    assert (told.pruned, told.kept, (folder / KEY).exists()) == (3, 2, True)
    done = store.prune(7)
    assert (done.pruned, done.freed_bytes, done.kept) == (3, told.freed_bytes, 2)
    assert {path.name for path in folder.iterdir()} == {
        other,
        at_work.parent.name,
        "of-somebody-else",
    }


def test_a_layer_stands_in_the_place_of_what_the_checkout_has() -> None:
    names = (".venv", "web/node_modules", "a", "/opt/tool")
    seen = [HostDirectory(source=Path("/x"), at=name) for name in names]
    left = without(seen, (".venv", "web", "a/b"))
    assert [each.at for each in left] == ["/opt/tool"]
