"""A copy of the project with an interpreter of its own, in which modules can be broken.

Every process that the tests start, the program's own included, takes the product from the copy:
nothing has to be handed down to it. Installed packages are those of the real `.venv`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

LEFT_OUT = (".git", ".venv", ".mutants", "htmlcov", ".pytest_cache", ".hypothesis", ".ruff_cache")
PRODUCT = Path("src", "pm_orchestrator")


class Tree:
    """The copy, at most one of its modules broken."""

    def __init__(self, root: Path, place: Path) -> None:
        self.root = place
        self._changes = 0
        shutil.copytree(root, place, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
        self._make_interpreter(root)
        self.written = 0

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    def write(self, module: str, source: bytes) -> None:
        """Put a module's source there, newer than any compiled form of it."""
        path = self.root / PRODUCT / module
        path.write_bytes(source)
        self.written += 1
        # Python compares whole seconds and sizes; two changes often have the same of both.
        newer = path.stat().st_mtime + self.written
        os.utime(path, (newer, newer))

    def _make_interpreter(self, root: Path) -> None:
        home = self.root / ".venv"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(home)], check=True
        )
        (packages,) = home.glob("lib/python*/site-packages")
        real = root / packages.relative_to(self.root)
        lines = (str(self.root / "src"), f"import site; site.addsitedir({str(real)!r})")
        (packages / "copied.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
        traces = Path(__file__).with_name("traced_processes.py")
        (packages / "sitecustomize.py").symlink_to(traces)
        for name in ("claude",):
            if (root / ".venv" / name).exists():
                (home / name).symlink_to(root / ".venv" / name)
        for tool in (root / ".venv" / "bin").iterdir():
            if not (home / "bin" / tool.name).exists():
                (home / "bin" / tool.name).symlink_to(tool)
