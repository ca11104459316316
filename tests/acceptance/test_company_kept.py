"""Nothing a worker has made is lost, however it is left behind and however much it is."""

from typing import Any

import msgspec
import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO, adds, part
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.scripted.scripted_company import Part

pytestmark = pytest.mark.timeout(150)

WHO = (
    "export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@localhost "
    "GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@localhost\n"
)
UNTIDY = (
    f"{WHO}"
    "git checkout -q -b side; echo side > side.txt; git add side.txt; git commit -qm side\n"
    "git checkout -q -; echo stashed >> README.md; git stash -q\n"
    f"{adds('double', 2)}git add calc tests; git commit -qm double\n"
    "echo loose > loose.txt\n"
)


@pytest.mark.long
def test_other_branches_stashes_and_loose_files(bench: CompanyBench) -> None:
    bench.company.does(UNTIDY, commits=False)
    ran = bench.run(ONE)
    assert ran.code == 0, ran.out + ran.err
    assert {change["path"] for change in ran.json["changes"]} == set(DOUBLE.files)
    names = {commit: bench.names(commit) for commit in bench.rescued.values()}
    for wanted in ("side.txt", "loose.txt"):
        assert any(wanted in found for found in names.values()), wanted
    with_readme = [commit for commit, found in names.items() if "README.md" in found]
    readmes = [bench.repository.git("show", f"{commit}:README.md") for commit in with_readme]
    assert any("stashed" in text for text in readmes)
    assert set(ran.json["kept_refs"]) == set(bench.rescued)


@pytest.mark.long
def test_what_was_kept_is_said(bench: CompanyBench) -> None:
    bench.company.does(f"{adds('double', 2)}echo loose > loose.txt", commits=False)
    ran = bench("run", ONE)
    assert ran.code in {0, 2}, ran.out + ran.err
    assert bench.kept("loose.txt")
    for name in bench.rescued:
        assert name in ran.out


@pytest.mark.long
def test_a_file_that_is_not_utf_8(bench: CompanyBench) -> None:
    bench.repository.write("menu.txt", b"caf\xe9 au lait\nold price\n")
    bench.repository.commit("Add the menu")
    edits = [{"old": "old price", "new": "new price"}]
    turns: list[tuple[str, dict[str, Any]]] = [
        ("read_file", {"path": "menu.txt"}),
        ("edit_file", {"path": "menu.txt", "edits": edits}),
        # A worker whose edit was refused has another way.
        ("run_command", {"command": "LC_ALL=C sed -i 's/old price/new price/' menu.txt"}),
        ("git_commit", {"message": "Change the price"}),
    ]
    bench.company.plans(Part(files=("menu.txt",), turns=tuple((call,) for call in turns)))
    ran = bench.run("Update menu.txt with the new price")
    assert ran.code == 0, ran.out + ran.err
    bench.repository.git("checkout", "-q", ran.json["branch"])
    assert (bench.root / "menu.txt").read_bytes() == b"caf\xe9 au lait\nnew price\n"


@pytest.mark.long
@pytest.mark.unmeasured
def test_four_thousand_files_in_one_commit(bench: CompanyBench) -> None:
    bench.company.does("mkdir -p n; for i in $(seq 4000); do echo $i > n/$i.md; done")
    ran = bench.run("Add notes on every release to the project")
    assert ran.code == 2, ran.out + ran.err
    assert "E206" not in ran.out + ran.err
    assert ran.json["status"] == "INCOMPLETE"
    assert any("n/4000.md" in bench.names(commit) for commit in bench.branches.values())


@pytest.mark.long
@pytest.mark.unmeasured
def test_nine_parts_with_a_talkative_gate(bench: CompanyBench) -> None:
    noise = "\t@python3 -c \"print(('x' * 99 + chr(10)) * 20000)\"\n"
    makefile = (bench.root / "Makefile").read_text("utf-8")
    bench.repository.write("Makefile", makefile + noise)
    bench.repository.commit("Talk more")
    parts = [
        msgspec.structs.replace(part(f"times{n}", n), says="Done. " + "All is well. " * 500)
        for n in range(2, 11)
    ]
    bench.company.plans(*parts)
    wishes = [f"{n}. Create calc/times{n}.py with a function times{n}" for n in range(2, 11)]
    ran = bench.run("\n".join(["Do these nine independent things:", *wishes]))
    assert "E206" not in ran.out + ran.err
    assert ran.code == 0, ran.err
    assert len(ran.json["work"]) == 9


@pytest.mark.long
def test_one_that_fails_does_not_take_its_siblings_along(bench: CompanyBench) -> None:
    broken = msgspec.structs.replace(TRIPLE, body="sed -i 's/a + b/a - b/' calc/core.py")
    bench.company.plans(DOUBLE, broken)
    ran = bench.run(TWO)
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["status"] == "INCOMPLETE"
    by_title = {work["title"]: work for work in ran.json["work"]}
    assert by_title[DOUBLE.title]["status"] == "success"
    assert by_title[broken.title]["status"] != "success"
    assert by_title[broken.title]["ticket_id"] in ran.json["left_out"]
    branch = f"refs/heads/{by_title[DOUBLE.title]['git_branch']}"
    assert "calc/double.py" in bench.names(bench.branches[branch])
