"""Which directories of a checkout hold what the project needs, and which do not."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.adapters.sandboxes.prepared.dependencies import dependencies
from pm_orchestrator.adapters.sandboxes.prepared.host_tools import UserPath


def user(home: Path, *folders: Path, **variables: str) -> UserPath:
    return UserPath(folders=folders, home=home, variables=variables)


NOBODY = user(Path("/nonexistent"))


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
    tmp_path: Path,
    files: tuple[str, ...],
    ignored: tuple[str, ...],
    taken: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    lay(tmp_path, *files)
    found = dependencies(tmp_path, frozenset(ignored), NOBODY)
    assert found.names == taken
    assert all(each.writable for each in found.directories)


def test_an_installation_is_seen_by_every_name_and_only_read(tmp_path: Path) -> None:
    installed, root = tmp_path / "pythons/3.12.4", tmp_path / "project"
    lay(installed, "bin/python3")
    (tmp_path / "pythons/3.12").symlink_to(installed)
    lay(root, ".venv/pyvenv.cfg", text=f"home = {tmp_path}/pythons/3.12/bin\nversion = 3\n")
    found = dependencies(root, {".venv/"}, user(tmp_path / "home"))
    seen = {each.at: each.writable for each in found.directories}
    assert seen == {".venv": True, f"{tmp_path}/pythons/3.12": False, str(installed): False}


@pytest.mark.parametrize("settings", ["home = /usr/bin\n", "version = 3.12\n", "home = gone/bin\n"])
def test_what_the_system_has_needs_no_place(tmp_path: Path, settings: str) -> None:
    lay(tmp_path, ".venv/pyvenv.cfg", text=settings)
    (tmp_path / ".venv/bin").mkdir()
    (tmp_path / ".venv/bin/python").symlink_to("/usr/bin/python3")
    assert dependencies(tmp_path, {".venv/"}, NOBODY).names == (".venv",)
    assert len(dependencies(tmp_path, {".venv/"}, NOBODY).directories) == 1


def test_a_home_directory_does_not_come_along(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    lay(home, "bin/python3", ".ssh/id_rsa")
    lay(root, ".venv/pyvenv.cfg", text=f"home = {home}/bin\n")
    (root / ".venv/bin").mkdir()
    (root / ".venv/bin/python").symlink_to(home / "bin/python3")
    found = dependencies(root, {".venv/"}, user(home))
    assert found.names == (".venv",)
    assert len(found.directories) == 1


def test_files_that_hold_secrets_stay_outside(tmp_path: Path) -> None:
    kept = ("credentials/index.js", "id_map/index.js", "key.js")
    secret = (".npmrc", ".env.local", "auth.json", "server.pem")
    lay(tmp_path, "package.json", *(f"node_modules/{name}" for name in (*kept, *secret)))
    (found,) = dependencies(tmp_path, {"node_modules/"}, NOBODY).directories
    assert set(found.hidden) == set(secret)


def programs_of(root: Path, who: UserPath) -> tuple[dict[str, bool], tuple[str, ...]]:
    found = dependencies(root, (), who)
    return {each.at: each.writable for each in found.directories}, found.programs


def test_a_tool_that_a_check_names_is_seen_with_its_installation(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    lay(root, "Makefile", text="test:\n\thelper check && ls\n")
    lay(home, "tools/v1/bin/helper", "tools/v1/bin/other", "more/bin/helper", "more/bin/ls")
    who = user(home, home / "tools/v1/bin", home / "more/bin")
    # The first folder of the path that has it; what the system has is taken from there.
    assert programs_of(root, who) == (
        {f"{home}/tools/v1": False},
        (f"{home}/tools/v1/bin",),
    )
    assert programs_of(root, user(home)) == ({}, ())


def test_what_holds_more_than_programs_is_seen_in_part_or_not_at_all(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    lay(root, "Makefile", text="test:\n\tmine && piped && bare\n")
    lay(home, "bin/mine", "bare", ".local/share/pipx/venvs/piped/bin/piped", ".local/bin/x")
    lay(home, ".local/share/pipx/venvs/piped/pyvenv.cfg")
    (home / ".local/bin/piped").symlink_to(home / ".local/share/pipx/venvs/piped/bin/piped")
    seen, _ = programs_of(root, user(home, home / "bin", home / ".local/bin", home))
    pipx = f"{home}/.local/share/pipx/venvs/piped"
    assert seen == {f"{home}/bin": False, f"{home}/.local/bin": False, pipx: False}


def test_a_tool_finds_what_it_keeps_elsewhere(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    lay(root, "Cargo.toml")
    lay(home, ".cargo/bin/cargo", ".cargo/credentials.toml", "rust/settings.toml")
    who = user(home, home / ".cargo/bin", RUSTUP_HOME=f"{home}/rust")
    found = dependencies(root, (), who)
    seen = {each.at: (each.writable, each.hidden) for each in found.directories}
    assert seen == {
        f"{home}/.cargo": (True, ("credentials.toml",)),
        f"{home}/rust": (False, ()),
    }
    assert found.variables == {"RUSTUP_HOME": f"{home}/rust", "CARGO_HOME": f"{home}/.cargo"}


def test_an_environment_that_was_activated_comes_first(tmp_path: Path) -> None:
    lay(tmp_path, ".venv/pyvenv.cfg", "venv/pyvenv.cfg")
    (tmp_path / ".venv/bin").mkdir()
    who = user(Path("/nonexistent"), tmp_path / ".venv/bin")
    assert dependencies(tmp_path, {".venv/", "venv/"}, who).programs == (f"{tmp_path}/.venv/bin",)


def test_what_root_has_built_nobody_else_can_build_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    lay(tmp_path, "Cargo.toml", "target/debug/.cargo-lock", "vendor/a/Cargo.toml")
    assert dependencies(tmp_path, {"target/", "vendor/"}, NOBODY).names == ("vendor",)
