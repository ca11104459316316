"""Real packages as projects: fetched with their own tests, and prepared as their users do it.

They come by the ordinary clients of PyPI and npm. What cannot be fetched is an error of the
set-up, and no reason to leave a test out.
"""

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from shlex import quote

import msgspec

from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.scripted.scripted_company import Part

FETCH_S = 240
INSTRUCTION = "Add a function shout to {product} and a test of it in {test}"
PYTEST = (".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider")


class RealPackage(msgspec.Struct, frozen=True, kw_only=True):
    """One package: where it comes from, and how it can be changed rightly and wrongly."""

    name: str
    version: str = ""
    """Empty for one whose files are written here."""
    files: Mapping[str, str] = {}
    installs: tuple[str, ...] = ()
    """What its tests need besides itself."""
    gate: tuple[str, ...] = PYTEST
    product: str
    test: str
    adds: tuple[str, str]
    """What an honest change puts into either of them."""
    breaks: tuple[str, str]
    """A file, and the sed expression that breaks something its tests know."""

    @property
    def is_python(self) -> bool:
        return self.gate[0].startswith(".venv")

    @property
    def instruction(self) -> str:
        return INSTRUCTION.format(product=self.product, test=self.test)

    @property
    def honest(self) -> Part:
        """Done rightly."""
        written = (self.product, self.adds[0]), (self.test, self.adds[1])
        body = "".join(f"printf %s {quote(text)} >> {name}\n" for name, text in written)
        return Part(body=body, files=(self.product, self.test))

    @property
    def spoilt(self) -> Part:
        """The same, and something else broken."""
        place, expression = self.breaks
        broken = (
            f"sed -i {quote(expression)} {place}\ngit diff --exit-code {place} && exit 1\ntrue\n"
        )
        return Part(body=self.honest.body + broken, files=self.honest.files)

    def prepare(self, root: Path) -> GitProject:
        """Fetch it, install what it needs, and commit it.

        Raises:
            subprocess.CalledProcessError: it could not be had.
        """
        root.mkdir()
        if self.version:
            self._fetch(root)
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        if self.is_python:
            _call(root, sys.executable, "-m", "venv", ".venv")
            wanted = ("pytest==9.1.1", *self.installs, "-e", ".")
            _call(root, ".venv/bin/python", "-m", "pip", "install", "--quiet", *wanted)
        else:
            _call(root, "npm", "install", "--no-save", "--no-audit", "--no-fund", *self.installs)
        ignored = "\n.venv/\nnode_modules/\n__pycache__/\n*.egg-info/\ndist/\n"
        with (root / ".gitignore").open("a", encoding="utf-8") as file:
            file.write(ignored)
        project = GitProject(root)
        project.commit("As it was published")
        return project

    def settle(self, root: Path) -> None:
        """Say in its settings which command is its test, and that nobody tries twice."""
        path = root / ".claude/settings.json"
        settings = json.loads(path.read_text("utf-8"))
        settings["gates"] = {"test": list(self.gate)}
        settings.setdefault("company", {})["max_attempts"] = 1
        path.write_text(json.dumps(settings), "utf-8")

    def _fetch(self, root: Path) -> None:
        folder = root.parent / f"{root.name}-fetched"
        folder.mkdir()
        if self.is_python:
            which = ("--no-deps", "--no-binary", ":all:", "--dest", ".")
            wanted = f"{self.name}=={self.version}"
            _call(folder, sys.executable, "-m", "pip", "download", "--quiet", *which, wanted)
        else:
            _call(folder, "npm", "pack", "--silent", f"{self.name}@{self.version}")
        (archive,) = (path for path in folder.iterdir() if path.suffix in {".gz", ".tgz"})
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
        root.rmdir()
        unpacked.rename(root)


def _python(name: str, version: str, package: str, tests: str, **more: object) -> RealPackage:
    imported = package.removeprefix("src/").replace("/", ".")
    fields = {
        "name": name,
        "version": version,
        "product": f"{package}/shouting.py",
        "test": f"{tests}/test_shouting.py",
        "adds": (
            'def shout(text: str) -> str:\n    return text.upper() + "!"\n',
            f"from {imported}.shouting import shout\n\n\n"
            'def test_shout() -> None:\n    assert shout("a") == "A!"\n',
        ),
        **more,
    }
    return msgspec.convert(fields, RealPackage)


TYPESCRIPT = {
    "package.json": json.dumps(
        {
            "name": "sums",
            "version": "1.0.0",
            "private": True,
            "scripts": {"test": "tsc && mocha 'dist/test/*.js'"},
        }
    ),
    "tsconfig.json": json.dumps(
        {
            "compilerOptions": {
                "strict": True,
                "esModuleInterop": True,
                "skipLibCheck": True,
                "lib": ["ES2022"],
                "target": "ES2022",
                "module": "commonjs",
                "rootDir": ".",
                "outDir": "dist",
                "types": ["mocha", "node"],
            },
            "include": ["src", "test"],
        }
    ),
    "src/sums.ts": "export const add = (a: number, b: number): number => a + b;\n",
    "test/sums.ts": (
        'import assert from "node:assert";\nimport { add } from "../src/sums";\n'
        'describe("add", () => {\n  it("adds", () => assert.equal(add(1, 2), 3));\n});\n'
    ),
}

PACKAGES = (
    _python(
        "click",
        "8.5.1",
        "src/click",
        "tests",
        # 30,000 tests that are only there to be left out.
        gate=(*PYTEST, "--ignore=tests/test_stream_lifecycle.py"),
        breaks=("src/click/parser.py", r"s/return opt\[:2\], opt\[2:\]/return first, opt[1:]/"),
    ),
    _python(
        "idna",
        "3.20",
        "idna",
        "tests",
        # A table of 6,000 lines, and chance.
        gate=(
            *PYTEST,
            "--ignore=tests/test_idna_uts46.py",
            "--ignore=tests/test_idna_properties.py",
        ),
        breaks=("idna/core.py", "s/<= 63/<= 93/"),
    ),
    _python(
        "iniconfig",
        "2.3.1",
        "src/iniconfig",
        "testing",
        breaks=("src/iniconfig/_parse.py", 's/COMMENTCHARS = "#;"/COMMENTCHARS = "#"/'),
    ),
    _python(
        "itsdangerous",
        "2.2.0",
        "src/itsdangerous",
        "tests/test_itsdangerous",
        installs=("freezegun",),
        breaks=("src/itsdangerous/encoding.py", r's/\.rstrip(b"=")//'),
    ),
    _python(
        "markupsafe",
        "3.0.4",
        "src/markupsafe",
        "tests",
        breaks=("src/markupsafe/_native.py", "s/&#39;/\\&apos;/"),
    ),
    _python(
        "pluggy",
        "1.7.0",
        "src/pluggy",
        "testing",
        breaks=("src/pluggy/_execution.py", "s/if res is not None:/if res is None:/"),
    ),
    RealPackage(
        name="minimist",
        version="1.2.8",
        installs=("tape@5",),
        gate=("node_modules/.bin/tape", "test/*.js"),
        product="shout.js",
        test="test/shout.js",
        adds=(
            "'use strict';\n\nmodule.exports = function shout(text) {\n"
            "\treturn text.toUpperCase() + '!';\n};\n",
            "'use strict';\n\nvar test = require('tape');\nvar shout = require('../shout');\n\n"
            "test('shout', function (t) {\n\tt.equal(shout('a'), 'A!');\n\tt.end();\n});\n",
        ),
        breaks=("index.js", "s/typeof opts.boolean === 'boolean' && opts.boolean/false/"),
    ),
    RealPackage(
        name="typescript-and-mocha",
        files=TYPESCRIPT,
        installs=("typescript@5", "mocha@11", "@types/mocha@10", "@types/node@20"),
        gate=("npm", "test"),
        product="src/shout.ts",
        test="test/shout.ts",
        adds=(
            "export const shout = (text: string): string => `${text.toUpperCase()}!`;\n",
            'import assert from "node:assert";\nimport { shout } from "../src/shout";\n'
            'describe("shout", () => {\n  it("is loud", () => assert.equal(shout("a"), "A!"));\n'
            "});\n",
        ),
        breaks=("src/sums.ts", "s/a + b/a - b/"),
    ),
)
"""Six of PyPI, one of npm, and one in TypeScript whose tools come from there."""


def _call(cwd: Path, *argv: str) -> None:
    # A program is found from where it is called, not from where it is to run.
    program = str(cwd / argv[0]) if argv[0].startswith(".venv") else argv[0]
    environment = {**os.environ, "VIRTUAL_ENV": ""}
    subprocess.run((program, *argv[1:]), cwd=cwd, check=True, timeout=FETCH_S, env=environment)
