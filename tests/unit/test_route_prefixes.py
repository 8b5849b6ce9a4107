"""Routes whose router is mounted where the file does not say: the answer tells it, in each language."""

import pytest

from tests.graph_trees import Incremental, resolve_cold

_EXPRESS = 'const express = require("express");\nconst app = express();\nconst router = express.Router();\nfunction list(a, b) {}\n'
_FLASK = 'from flask import Blueprint, Flask\napp = Flask(__name__)\nrouter = Blueprint("r", __name__)\n'
_VIEW = '@router.get("/a")\ndef a():\n    pass\n'


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("a.js", _EXPRESS + 'router.get("/a", list);\nmodule.exports = router;\n', True),
        ("a.js", _EXPRESS + 'router.route("/a").get(list);\nmodule.exports = router;\n', True),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use("/x", router);\napp.use("/y", router);\n', True),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(prefix, router);\n', True),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use("/x", router);\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(router);\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(check, router);\n', True),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(list, router);\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(express.json(), router);\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(router.routes());\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(router.routes(), router.allowedMethods());\n', False),
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(prefix(), router);\n', True),
        ("a.js", _EXPRESS + 'app.get("/a", list);\nmodule.exports = router;\n', False),
        ("a.py", _FLASK + _VIEW, True),
        ("a.py", _FLASK + _VIEW + 'app.register_blueprint(router, url_prefix="/x")\n', False),
    ],
)
def test_a_router_that_is_mounted_elsewhere_is_told(path: str, text: str, told: bool) -> None:
    """Also where it is mounted twice, or under a path that is not written there; not where the file says it, and not of what mounts."""
    found = [limit.code for limit in resolve_cold({path: text})[path.encode()].limitations]
    assert ("mounted-elsewhere" in found) is told


def test_a_mounted_router_that_changes_brings_its_routes_up_to_date_where_it_is_mounted() -> None:
    """Also where nothing changes that other files can see by name: the path of a route, or a route that comes or goes."""
    mounting = 'const express = require("express");\nconst r = require("./r");\nconst app = express();\napp.use("/x", r);\n'
    trees: list[dict[str, str]] = [
        {"app.js": mounting, "r.js": _EXPRESS + rest}
        for rest in (
            'router.get("/a", list);\nmodule.exports = router;\n',
            'router.get("/b", list);\nmodule.exports = router;\n',
            'router.get("/b", list);\nrouter.post("/c", list);\nmodule.exports = router;\n',
            "module.exports = router;\n",
            'router.use("/s", require("./s"));\nmodule.exports = router;\n',
        )
    ]
    deep = 'const router = require("express").Router();\nfunction last(a, b) {}\nrouter.get("/d", last);\nmodule.exports = router;\n'
    trees += [{**trees[-1], "s.js": deep}, {**trees[-1], "s.js": deep.replace("/d", "/e")}, {"app.js": mounting}]
    routes = []
    kept = Incremental(trees[0])
    for files in trees:
        kept.change(files)
        assert kept.resolutions == resolve_cold(files)
        found = [edge for edge in kept.resolutions[b"app.js"].edges if edge.predicate == "handles"]
        routes.append(sorted(f"{edge.subject.qualified_name} {edge.object.qualified_name}" for edge in found))
    assert routes == [["GET /x/a list"], ["GET /x/b list"], ["GET /x/b list", "POST /x/c list"], [], [], ["GET /x/s/d last"], ["GET /x/s/e last"], []]
