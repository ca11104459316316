"""What a Makefile says about one target: its rule, those it needs, and the variables in them.

Comparing this, and not the whole file, lets an agent add a target of its own without
being suspected of having touched a gate.
"""

import re

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.makefile import RULE, TARGET_VARIABLE

VARIABLE = LatePattern(r"^(?:export\s+|override\s+)*([\w.-]+)\s*(?:[?+!]|:{1,3})?=(.*)$")
REFERENCE = LatePattern(r"\$[({]([\w.-]+)[)}]")


def meaning_of(text: str, target: str) -> tuple[str, ...]:
    """Everything the target rests on, in a fixed order; empty where it has no rule."""
    rules, variables = _read(text)
    wanted, seen, lines = [target], set[str](), list[str]()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in rules:
            continue
        seen.add(name)
        prerequisites, recipe = rules[name]
        wanted += prerequisites
        lines += [f"{name}: {' '.join(prerequisites)}", *recipe]
    used, pending = dict[str, str](), REFERENCE.findall("\n".join(lines))
    while pending:
        name = pending.pop()
        if name in variables and name not in used:
            used[name] = variables[name]
            pending += REFERENCE.findall(variables[name])
    return (*lines, *(f"{name} = {value}" for name, value in sorted(used.items())))


def _read(text: str) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, str]]:
    rules: dict[str, tuple[list[str], list[str]]] = {}
    variables: dict[str, str] = {}
    current: list[str] = []
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        if line.startswith("\t"):
            for name in current:
                rules[name][1].append(" ".join(line.split()))
            continue
        plain = line.split("#", 1)[0].strip()
        if not plain:
            continue
        rule = RULE.fullmatch(plain)
        if rule is not None and not TARGET_VARIABLE.match(rule["rest"]):
            before, _, inline = rule["rest"].partition(";")
            current = [n for n in rule["targets"].split() if not n.startswith(".")]
            for name in current:
                old = rules.setdefault(name, ([], []))
                old[0].extend(before.split())
                old[1].extend([inline.strip()] if inline.strip() else [])
            continue
        current = []
        if variable := VARIABLE.match(plain):
            name, value = variable.groups()
            joined = f"{variables[name]} " if "+=" in plain and name in variables else ""
            variables[name] = joined + value.strip()
    return rules, variables
