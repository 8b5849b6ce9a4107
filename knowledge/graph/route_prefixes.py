"""Under which path a file's routers stand, as far as that file says: what they are made with, and where they are mounted.

Flask     Blueprint(…, url_prefix="/a"); app.register_blueprint(b, url_prefix="/v1") stands in its place
FastAPI   APIRouter(prefix="/a"); app.include_router(r, prefix="/v1") comes before it
Express   app.use("/a", router); app.use(router) and app.use(check, router) put nothing before it; what else stands before a router may be a path
Koa       new Router({ prefix: "/a" }); app.use(router.routes())
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analyzers.facts import Call, Expression, FileFacts

_MADE = {"Blueprint": "url_prefix", "APIRouter": "prefix", "Router": "prefix"}


IsHandler = Callable[[int, Expression], bool]
"""Whether what is given to `use` in a scope is a function or a router, so that it is no path."""


def prefixes(facts: FileFacts, is_handler: IsHandler) -> tuple[dict[str, str], frozenset[str]]:
    """Variable → the path that its routes begin with; and the routers that are mounted elsewhere, or twice, so that it may be another.

    Variables without such a path are left out.
    """
    found = made(facts)
    routers = frozenset(found)
    mounted: dict[str, list[str]] = {}
    for call in facts.calls:
        for expression, prefix in mounts(call, found, is_handler):
            if expression.kind == "name":
                mounted.setdefault(expression.name, []).append(prefix)
    certain = {name: several[0] for name, several in mounted.items() if len(set(several)) == 1}
    found.update(certain)
    return {name: prefix.rstrip("/") for name, prefix in found.items() if prefix.rstrip("/")}, routers - certain.keys()


def made(facts: FileFacts) -> dict[str, str]:
    """The variables that hold a router, each with the path that it is made with: "" for none."""
    found: dict[str, str] = {}
    for binding in facts.bindings:
        value = binding.value
        if binding.kind == "assignment" and value is not None and value.kind in ("call", "new") and value.parts:
            keyword = _MADE.get(value.parts[0].name)
            if keyword is not None:
                found[binding.name] = path_text(named(value, keyword) or _option(value, keyword)).rstrip("/")
    return found


def mounts(call: Call, routers: Mapping[str, str], is_handler: IsHandler) -> list[tuple[Expression, str]]:
    """What a call mounts: the router, and the path that its routes begin with then. routers: those with a path of their own."""
    parts = call.expression.parts
    if len(parts) < 2 or parts[0].kind != "attribute":
        return []
    first = parts[1]
    own = routers.get(first.name, "") if first.kind == "name" else ""
    match parts[0].name:
        case "register_blueprint" if first.kind == "name":
            return [(first, path_text(named(call.expression, "url_prefix")) or own)]
        case "include_router" if first.kind == "name":
            return [(first, path_text(named(call.expression, "prefix")).rstrip("/") + own)]
        case "use":
            return _used(call, routers, is_handler)
    return []


def _used(call: Call, routers: Mapping[str, str], is_handler: IsHandler) -> list[tuple[Expression, str]]:
    first = call.expression.parts[1]
    prefix = path_text(first)
    given = call.expression.parts[2:] if prefix else call.expression.parts[1:]
    is_path = not prefix and len(given) > 1 and _router(first) in (None, first) and first.name not in routers and not is_handler(call.scope, first)
    mounted = [router for part in given if (router := _router(part)) is not None] if not is_path else []
    return [(router, prefix.rstrip("/") + (routers.get(router.name, "") if router.kind == "name" else "")) for router in mounted]


def _router(expression: Expression) -> Expression | None:
    """What may be a router: `router`, `module.router`, `require("./router")`, with Koa the one of `router.routes()`; None for anything else."""
    if expression.kind == "call" and expression.parts and expression.parts[0].kind == "attribute" and expression.parts[0].name == "routes":
        expression = expression.parts[0].parts[0]
    is_member = expression.kind == "attribute" and expression.parts[0].kind == "name"
    return expression if expression.kind == "name" or is_member or required(expression) else None


def required(expression: Expression) -> str:
    """The module of `require("module")`; "" for anything else."""
    parts = expression.parts if expression.kind == "call" else ()
    is_required = len(parts) == 2 and (parts[0].kind, parts[0].name, parts[1].kind) == ("name", "require", "literal")
    return parts[1].text.strip("\"'`") if is_required else ""


def _option(call: Expression, key: str) -> Expression | None:
    """What stands at a key of the object that is a call's one argument."""
    options = call.parts[1] if len(call.parts) == 2 else None
    if options is None or options.kind != "collection" or key not in options.keywords or len(options.keywords) != len(options.parts):
        return None
    return options.parts[options.keywords.index(key)]


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
