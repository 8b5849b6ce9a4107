"""Under which path a file's routers stand, as far as that file says: what they are made with, and where they are mounted.

Flask     Blueprint(…, url_prefix="/a"); app.register_blueprint(b, url_prefix="/v1") stands in its place
FastAPI   APIRouter(prefix="/a"); app.include_router(r, prefix="/v1") comes before it
Express   app.use("/a", router); app.use(router) puts nothing before it; what else stands before a router may be a path
Koa       app.use(router.routes())
"""

from __future__ import annotations

from analyzers.facts import Expression, FileFacts

_MADE = {"Blueprint": "url_prefix", "APIRouter": "prefix", "Router": ""}


def prefixes(facts: FileFacts) -> tuple[dict[str, str], frozenset[str]]:
    """Variable → the path that its routes begin with; and the routers that are mounted elsewhere, or twice, so that it may be another.

    Variables without such a path are left out.
    """
    found: dict[str, str] = {}
    routers: set[str] = set()
    for binding in facts.bindings:
        value = binding.value
        if binding.kind == "assignment" and value is not None and value.kind in ("call", "new") and value.parts:
            keyword = _MADE.get(value.parts[0].name)
            if keyword is not None:
                routers.add(binding.name)
                found[binding.name] = path_text(named(value, keyword))
    mounted: dict[str, list[str]] = {}
    for call in facts.calls:
        for name, prefix in _mounts(call.expression, found):
            mounted.setdefault(name, []).append(prefix)
    certain = {name: several[0] for name, several in mounted.items() if len(set(several)) == 1}
    found.update(certain)
    return {name: prefix.rstrip("/") for name, prefix in found.items() if prefix.rstrip("/")}, frozenset(routers - certain.keys())


def _mounts(call: Expression, made: dict[str, str]) -> list[tuple[str, str]]:
    """What a call mounts: (variable, the path that its routes begin with then)."""
    if not call.parts or call.parts[0].kind != "attribute" or len(call.parts) < 2:
        return []
    first = call.parts[1]
    match call.parts[0].name:
        case "register_blueprint" if first.kind == "name":
            return [(first.name, path_text(named(call, "url_prefix")) or made.get(first.name, ""))]
        case "include_router" if first.kind == "name":
            return [(first.name, path_text(named(call, "prefix")).rstrip("/") + made.get(first.name, ""))]
        case "use" if text := path_text(first):
            return [(name, text) for part in call.parts[2:] if (name := _router(part))]
        case "use" if len(call.parts) == 2 and (name := _router(first)):
            return [(name, "")]
    return []


def _router(expression: Expression) -> str:
    """The variable that is mounted: `router`, with Koa `router.routes()`; "" for anything else."""
    if expression.kind == "call" and expression.parts and expression.parts[0].kind == "attribute" and expression.parts[0].name == "routes":
        expression = expression.parts[0].parts[0]
    return expression.name if expression.kind == "name" else ""


def named(call: Expression, keyword: str) -> Expression | None:
    """The value of a call's keyword argument."""
    if keyword not in call.keywords:
        return None
    return call.parts[len(call.parts) - len(call.keywords) + call.keywords.index(keyword)]


def path_text(expression: Expression | None) -> str:
    """A literal path; "" for anything else."""
    if expression is None or expression.kind != "literal" or expression.name not in ("str", "template"):
        return ""
    text = expression.text.strip("\"'`")
    return text if text.startswith("/") else ""
