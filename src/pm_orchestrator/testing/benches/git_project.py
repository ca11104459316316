"""A user's repository for tests, made and asked with plain git.

It is deliberately not built on our own git code, so that a mistake there cannot
hide itself.
"""

import hashlib
import shutil
import subprocess
from pathlib import Path

GIT = shutil.which("git") or "git"
ENVIRONMENT = {
    "PATH": str(Path(GIT).parent) + ":/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "LC_ALL": "C.UTF-8",
}


class GitProject:
    """A repository with a working tree (or without one) at `path`."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    @classmethod
    def at(cls, path: Path) -> "GitProject":
        """A repository that is there already."""
        project = cls.__new__(cls)
        project.path = path
        return project

    @classmethod
    def clone(cls, bundle: bytes, path: Path, branch: str) -> "GitProject":
        """What an agent does with the bundle it is given."""
        place = path.with_suffix(".bundle")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bundle)
        project = cls(path)
        project.git("fetch", "--quiet", str(place), f"refs/heads/{branch}:refs/heads/{branch}")
        project.git("checkout", "--quiet", branch)
        place.unlink()
        return project

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git here; a failure is the test's."""
        done = subprocess.run(
            [GIT, *arguments],
            cwd=self.path,
            env=ENVIRONMENT,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=30,
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, name: str, content: str | bytes = "") -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def commit(self, message: str = "work", **files: str) -> str:
        """Commit everything, after writing `files`; returns the commit id."""
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        return self.git("rev-parse", "HEAD")

    def bundle(self, *revisions: str) -> bytes:
        """A bundle of `revisions`, as an agent would hand it over."""
        place = self.path / ".git" / "out.bundle"
        self.git("bundle", "create", "--quiet", str(place), *revisions)
        data = place.read_bytes()
        place.unlink()
        return data

    def fingerprint(self, *, but: tuple[str, ...] = ()) -> dict[str, str]:
        """Every file below here with mode, times and content; `but` names prefixes left out."""
        found: dict[str, str] = {}
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_dir() or name.startswith(but):
                continue
            about = path.lstat()
            content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            found[name] = f"{about.st_mode:o} {about.st_mtime_ns} {digest}"
        return found
