"""Which directories of a checkout hold what the project needs, and which do not."""

from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.prepared.dependencies import dependencies


def lay(root: Path, *names: str, text: str = "") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "ignored", "taken"),
    [
        ((".venv/pyvenv.cfg",), (".venv/", ".venv/bin/", ".venv/.gitignore"), (".venv",)),
        (("env-3.12/pyvenv.cfg",), ("env-3.12/",), ("env-3.12",)),
        (("venv/bin/python",), ("venv/",), ()),
        (("package.json", "node_modules/a/x.js"), ("node_modules/",), ("node_modules",)),
        (("node_modules/a/x.js",), ("node_modules/",), ()),
        (
            ("web/package.json", "web/node_modules/a/node_modules/b/x.js"),
            ("web/node_modules/",),
            ("web/node_modules",),
        ),
        (("go.mod", "vendor/modules.txt"), ("vendor/",), ("vendor",)),
        (("Cargo.toml", "target/debug/x"), ("target/",), ("target",)),
        (("pom.xml", "target/classes/x"), ("target/",), ()),
        (("package.json", "dist/index.js", ".env"), ("dist/", ".env"), ()),
        (("package.json", "node_modules/a/x.js"), (), ()),
        (("package.json", "a"), ("gone/", "node_modules/"), ()),
    ],
)
def test_what_was_installed_is_taken_and_nothing_else(
    tmp_path: Path, files: tuple[str, ...], ignored: tuple[str, ...], taken: tuple[str, ...]
) -> None:
    lay(tmp_path, *files)
    found = dependencies(tmp_path, frozenset(ignored), Path("/nonexistent"))
    assert found.names == taken
    assert all(each.writable for each in found.directories)


def test_an_installation_is_seen_by_every_name_and_only_read(tmp_path: Path) -> None:
    installed, root = tmp_path / "pythons/3.12.4", tmp_path / "project"
    lay(installed, "bin/python3")
    (tmp_path / "pythons/3.12").symlink_to(installed)
    lay(root, ".venv/pyvenv.cfg", text=f"home = {tmp_path}/pythons/3.12/bin\nversion = 3\n")
    found = dependencies(root, {".venv/"}, tmp_path / "home")
    seen = {each.at: each.writable for each in found.directories}
    assert seen == {".venv": True, f"{tmp_path}/pythons/3.12": False, str(installed): False}


@pytest.mark.parametrize("settings", ["home = /usr/bin\n", "version = 3.12\n", "home = gone/bin\n"])
def test_what_the_system_has_needs_no_place(tmp_path: Path, settings: str) -> None:
    lay(tmp_path, ".venv/pyvenv.cfg", text=settings)
    (tmp_path / ".venv/bin").mkdir()
    (tmp_path / ".venv/bin/python").symlink_to("/usr/bin/python3")
    assert dependencies(tmp_path, {".venv/"}, Path("/nonexistent")).names == (".venv",)
    assert len(dependencies(tmp_path, {".venv/"}, Path("/nonexistent")).directories) == 1


def test_a_home_directory_does_not_come_along(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    lay(home, "bin/python3", ".ssh/id_rsa")
    lay(root, ".venv/pyvenv.cfg", text=f"home = {home}/bin\n")
    (root / ".venv/bin").mkdir()
    (root / ".venv/bin/python").symlink_to(home / "bin/python3")
    found = dependencies(root, {".venv/"}, home)
    assert found.names == (".venv",)
    assert len(found.directories) == 1
    assert set(found.left_out) == {home}


def test_files_that_hold_secrets_stay_outside(tmp_path: Path) -> None:
    kept = ("credentials/index.js", "id_map/index.js", "key.js")
    secret = (".npmrc", ".env.local", "auth.json", "server.pem")
    lay(tmp_path, "package.json", *(f"node_modules/{name}" for name in (*kept, *secret)))
    (found,) = dependencies(tmp_path, {"node_modules/"}, Path("/nonexistent")).directories
    assert set(found.hidden) == set(secret)
