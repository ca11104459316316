"""What an executor puts into the Runner's way is taken out of it, and only that."""

import os
import socket
import stat
from pathlib import Path

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.guard.way_to_records import (
    clear_way,
    give_back_access,
    is_open_to_us,
    lacks_access,
)
from pm_orchestrator.evidence.look.plain_open import append_to, open_file, read_file
from pm_orchestrator.runner.places.git_barriers import barriers, remove_barriers, reopen_repository


def record(root: Path, name: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_free_way_stays_as_it_is(tmp_path: Path) -> None:
    path = record(tmp_path, "logs/a.json")
    assert clear_way(tmp_path, [path, tmp_path / "none" / "b.json", Path("/etc/passwd")]) == ()
    assert path.read_text(encoding="utf-8") == "x"


def test_a_pipe_in_the_place_of_a_record_or_beside_it_goes(tmp_path: Path) -> None:
    path = record(tmp_path, "logs/a.json")
    path.unlink()
    lock = path.with_name("a.json.lock")
    for pipe in (path, lock):
        os.mkfifo(pipe)
    assert set(clear_way(tmp_path, [path])) == {path, lock}
    assert not path.exists()
    assert not lock.exists()


def test_files_of_others_stay(tmp_path: Path) -> None:
    path = record(tmp_path, "shared/a.json")
    pipes = (tmp_path / "pipe", tmp_path / "shared" / "pipe")
    for pipe in pipes:
        os.mkfifo(pipe)
    assert clear_way(tmp_path, [path], shared=[path.parent]) == ()
    assert all(pipe.exists() for pipe in pipes)
    path.unlink()
    os.mkfifo(path)
    assert clear_way(tmp_path, [path], shared=[path.parent]) == (path,)


def test_what_stands_in_the_way_is_put_aside(tmp_path: Path) -> None:
    folder, path = tmp_path / "logs", tmp_path / "settings.json"
    for number in (1, 2):
        folder.write_text("a file", encoding="utf-8")
        (path / "inner").mkdir(parents=True)
        assert set(clear_way(tmp_path, [folder / "a.json", path])) == {folder, path}
        aside = tmp_path / f"logs.put-aside-{number}"
        assert aside.read_text(encoding="utf-8") == "a file"
        assert (tmp_path / f"settings.json.put-aside-{number}" / "inner").is_dir()
    folder.symlink_to(tmp_path / "nowhere")
    assert clear_way(tmp_path, [folder / "a.json"]) == (folder,)


def test_permissions_are_given_back(tmp_path: Path) -> None:
    path = record(tmp_path, "logs/deep/a.json")
    path.chmod(0o000)
    path.parent.chmod(0o050)
    assert lacks_access(path.parent)
    assert set(clear_way(tmp_path, [path])) == {path, path.parent}
    assert (mode(path), mode(path.parent)) == (0o600, 0o750)
    assert not lacks_access(path.parent)
    assert not lacks_access(tmp_path / "none")


def test_a_whole_tree_is_opened_again(tmp_path: Path) -> None:
    path = record(tmp_path, "logs/deep/a.json")
    (tmp_path / "logs" / "link").symlink_to(path)
    path.chmod(0o000)
    for folder in (path.parent, tmp_path / "logs"):
        folder.chmod(0o000)
    give_back_access(tmp_path / "logs")
    give_back_access(tmp_path / "none")
    assert (mode(path), mode(path.parent), mode(tmp_path / "logs")) == (0o600, 0o700, 0o700)


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="regular file"):
        read_file(pipe)
    with pytest.raises(OSError, match="regular file"):
        open_file(tmp_path)
    with pytest.raises(PmError, match=r"E902.*No such device"):
        append_to(pipe, b"one")


def test_what_is_added_finds_its_folder_or_makes_it(tmp_path: Path) -> None:
    for text in (b"one", b"two"):
        append_to(tmp_path / "run" / "log", text)
    assert read_file(tmp_path / "run" / "log") == b"onetwo"


def test_a_folder_that_can_be_made_is_open_and_one_that_is_barred_is_not(tmp_path: Path) -> None:
    assert is_open_to_us(tmp_path)
    assert is_open_to_us(tmp_path / "not" / "yet")
    file = record(tmp_path, "file")
    assert not is_open_to_us(file)
    assert not is_open_to_us(file / "below")


def test_git_is_freed_of_pipes_and_keeps_its_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / ".git"
    for name in ("refs/heads/main", "info/exclude", "HEAD"):
        record(repository, name)
    for name in ("index", "info/pipe", "refs/heads/pipe"):
        os.mkfifo(repository / name)
    with socket.socket(socket.AF_UNIX) as monitor:
        monkeypatch.chdir(repository)  # The path of a socket may not be long.
        monitor.bind("monitor")
        monkeypatch.undo()
    repository.chmod(0o000)
    changed = reopen_repository(repository)
    assert set(changed) == {".git", ".git/index", ".git/info/pipe", ".git/refs/heads/pipe"}
    assert reopen_repository(repository) == ()
    assert (repository / "monitor").exists()
    assert (repository / "refs/heads/main").is_file()
    assert reopen_repository(tmp_path / "none") == ()


def test_lists_that_git_reads_are_barriers(tmp_path: Path) -> None:
    found = barriers(["pipe", ".gitignore", "d/.gitattributes", "d/x.gitignore"])
    assert found == (".gitignore", "d/.gitattributes")
    record(tmp_path, "d/.gitattributes")
    os.mkfifo(tmp_path / ".gitignore")
    remove_barriers(tmp_path, [*found, "gone"])
    assert not (tmp_path / ".gitignore").exists()
    assert (tmp_path / "d/.gitattributes").is_file()
