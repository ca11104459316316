"""The tools a user has: a Python with pytest, coverage and ruff, and nothing of ours.

The environment that runs our own tests is full of plugins that no small project has, and the
product may rightly keep it away from gates. So the few packages are put into one beside it.
"""

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "coverage")
PROGRAMS = ("ruff",)


def make_toolchain(place: Path) -> Path:
    """Make it, and give the folder that goes on the search path."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python3*/site-packages")
    for name in PACKAGES:
        for part in _parts(name):
            (packages / part.name).symlink_to(part)
    for name in PROGRAMS:
        (place / "bin" / name).symlink_to(Path(sys.executable).with_name(name))
    return place / "bin"


def search_path(*first: Path) -> str:
    """The search path of a shell, with some folders in front."""
    return os.pathsep.join([*map(str, first), os.environ["PATH"]])


def _parts(name: str) -> list[Path]:
    """The folders and modules at the top of an installed package."""
    found = distribution(name)
    tops = {file.parts[0] for file in found.files or () if file.parts[0] not in {"..", ""}}
    places = (Path(str(found.locate_file(top))) for top in sorted(tops))
    return [place for place in places if place.suffix != ".pth" and place.name != "__pycache__"]
