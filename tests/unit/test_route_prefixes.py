"""Routes whose router is mounted where the file does not say: the answer tells it, in each language."""

import pytest

from tests.graph_trees import resolve_cold

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
        ("a.js", _EXPRESS + 'router.get("/a", list);\napp.use(router.routes());\n', False),
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
