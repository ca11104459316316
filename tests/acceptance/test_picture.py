"""The picture in the README shows the conversation as it is; `UPDATE_SCREENS=1` draws it anew."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "conversation.svg"
MOST_BYTES = 16_000


def test_the_picture_is_of_a_conversation_as_it_is(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.svg"
    into = PICTURE if os.environ.get("UPDATE_SCREENS") else drawn
    subprocess.run([sys.executable, "-m", "scripts.picture", into], cwd=ROOT, check=True)
    assert PICTURE.read_text("utf-8") == into.read_text("utf-8")


def test_the_picture_is_small_text_without_a_place_in_it() -> None:
    page = PICTURE.read_text("utf-8")
    assert len(page.encode()) < MOST_BYTES
    words = re.sub(r"<[^>]*>", "", page)
    for word in (
        "&gt; add a function mul",
        "I add mul",
        "› Edit calc.py",
        "[RESULT]  COMPLETE",
        "✓ test · 2",
    ):
        assert word in words
    assert not re.search(r"/(?:tmp|home|root|dev|Users)\b", words)


def test_both_readmes_show_it_and_say_how_to_install() -> None:
    for name in ("README.md", "README.ja.md"):
        page = (ROOT / name).read_text("utf-8")
        assert "](docs/conversation.svg)" in page
        for way in ("make wheel", "uv tool install", "pipx install", "pip install"):
            assert f"\n{way} " in page
