"""pytest's marks on functions, as they are written: which functions are fixtures, and what names they go by."""

from __future__ import annotations

from analyzers.facts import Definition, Expression
from knowledge.graph.narrowing import dotted
from knowledge.graph.outline import MODULE_SCOPE, Outline

USED = "usefixtures"
PARAMETRIZED = "parametrize"
_FIXTURE = "fixture"


def is_fixture(definition: Definition) -> bool:
    """Whether a function is marked as a fixture."""
    return any(_head(decorator).rpartition(".")[2] == _FIXTURE for decorator in definition.decorators)


def asks_for_fixtures(definition: Definition) -> bool:
    """Whether pytest gives a function its arguments."""
    return "test" in definition.flags or (bool(definition.decorators) and is_fixture(definition))


def renamed_fixtures(outline: Outline) -> dict[str, int]:
    """Names of the module's fixtures that are not those of their functions → the functions."""
    found = {}
    for index, definition in enumerate(outline.definitions):
        if definition.decorators and definition.scope == MODULE_SCOPE and is_fixture(definition):
            name = next(filter(None, map(name_given, definition.decorators)), "")
            if name:
                found[name] = index
    return found


def _head(decorator: Expression) -> str:
    return dotted(decorator.parts[0] if decorator.kind == "call" and decorator.parts else decorator)


def name_given(decorator: Expression) -> str:
    """`@pytest.fixture(name="x")` → x."""
    if decorator.kind != "call" or _head(decorator).rpartition(".")[2] != _FIXTURE or "name" not in decorator.keywords:
        return ""
    value = decorator.parts[len(decorator.parts) - len(decorator.keywords) + decorator.keywords.index("name")]
    return value.text.strip("\"'") if value.kind == "literal" and value.name == "str" else ""


def texts_of(definition: Definition, mark: str) -> list[str]:
    """The strings that a mark of pytest's is given."""
    found = []
    for decorator in definition.decorators:
        if decorator.kind == "call" and _head(decorator).rpartition(".")[2] == mark:
            given = decorator.parts[1:] if mark == USED else decorator.parts[1:2]
            literals = [part for whole in given for part in (whole.parts if whole.kind == "collection" else (whole,))]
            found += [literal.text.strip("\"'") for literal in literals if literal.kind == "literal" and literal.name == "str"]
    return found


def parametrized(definition: Definition) -> set[str]:
    """The parameters that a mark of pytest's gives values to."""
    return {name.strip() for text in texts_of(definition, PARAMETRIZED) for name in text.split(",")}
