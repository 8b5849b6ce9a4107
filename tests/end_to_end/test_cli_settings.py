"""Who reads a setting: by a key's file and path, by its name, in files of every format, and never certain where the file is not known."""

from __future__ import annotations

import json
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.surfaces.cli.main import main

FILES = {
    "app.py": """\
import os
from flask import current_app


def connect(config):
    return config["db"]["host"], config.get("db.port"), os.environ["DATABASE_URL"]


def secret():
    current_app.config["SECRET"] = "새 비밀"
    return current_app.config["SECRET"]
""",
    "web/start.ts": 'import conf from "../conf/app.json";\nexport const start = () => conf.db.host + process.env.DATABASE_URL;\n',
    "conf/app.json": '{"db": {"host": "h"}, "name": "n"}\n',
    "conf/dev.yaml": "db:\n  host: h\n  port: 1\n이름: 값\n",
    "conf/local.toml": "[db]\nport = 2\n",
    "conf/old.ini": "[db]\nport = 3\n",
    ".env": "DATABASE_URL=x\nSECRET=y\n",
    "settings.py": 'SECRET = "z"\n',
}


@pytest.fixture
def run(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> Any:
    """Asks in a repository of FILES; the answer as JSON, an error as its object."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit("Begin")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0

    def ran(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        main(["-C", str(repo.path), *words, "--json"])
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer.get("error", answer)

    ran.repo = repo  # type: ignore[attr-defined]
    return ran


def uses(answer: dict[str, Any]) -> set[str]:
    """Each edge: who, what, how it is known, with how many rivals."""
    return {f"{e['subject']} → {e['object']} {e['confidence_kind']} {e['reason']} {e['rivals']}" for e in answer["edges"]}


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("conf/app.json::db.host", {"web/start.ts::start → conf/app.json::db.host resolved json-import 0",
                                    "app.py::connect → conf/app.json::db.host inferred settings-object 1"}),
        ("conf/dev.yaml::db.host", {"app.py::connect → conf/dev.yaml::db.host inferred settings-object 1"}),
        ("conf/local.toml::db.port", {"app.py::connect → conf/local.toml::db.port inferred settings-object 2"}),
        ("conf/old.ini::db.port", {"app.py::connect → conf/old.ini::db.port inferred settings-object 2"}),
        (".env::DATABASE_URL", {"app.py::connect → .env::DATABASE_URL inferred environment 0",
                                "web/start.ts::start → .env::DATABASE_URL inferred environment 0"}),
        ("settings.py::SECRET", {"app.py::secret → settings.py::SECRET inferred settings-module 0"}),
    ],
)  # fmt: skip
def test_readers_of_a_key_of_a_file(run: Any, key: str, wanted: set[str]) -> None:
    """Certain only where the code names the file; elsewhere a use of the key's name, with the other files that hold such a key as rivals."""
    answer = run("readers", key)
    assert uses(answer) == wanted
    assert any(text.startswith("setting-by-name:") for text in answer["limitations"])


def test_a_name_alone_brings_all_that_bear_it(run: Any) -> None:
    """A bare name means every key, constant and variable that is called so; each is counted."""
    answer = run("readers", "db.port")
    assert {edge["object"] for edge in answer["edges"]} == {
        "conf/dev.yaml::db.port", "conf/local.toml::db.port", "conf/old.ini::db.port", "external:configuration::db.port",
    }  # fmt: skip
    assert answer["notes"] == [f"readers of {key}: 1" for key in sorted({edge["object"] for edge in answer["edges"]})]
    assert "app.py::connect → external:environment::DATABASE_URL resolved environment 0" in uses(run("readers", "DATABASE_URL"))


def test_writers_are_told_from_readers(run: Any) -> None:
    """`app.config[...] = ...` writes."""
    assert "app.py::secret → .env::SECRET inferred settings-object 0" in uses(run("writers", ".env::SECRET"))
    assert run("writers", ".env::DATABASE_URL")["edges"] == []


def test_a_key_nobody_was_seen_to_read_says_what_is_not_seen(run: Any) -> None:
    """No bare "none": an unused key's answer carries what could hide its readers, in Korean files too."""
    answer = run("readers", "conf/dev.yaml::이름")
    assert (answer["edges"], answer["symbol"]) == ([], "conf/dev.yaml::이름")
    assert any(text.startswith("setting-by-name:") for text in answer["limitations"])


def test_an_unknown_key_is_an_error_with_near_ones(run: Any) -> None:
    """A mistyped key is no empty answer."""
    answer = run("readers", "db.hst")
    assert answer["code"] == "unknown-symbol" and "conf/app.json::db.host" in answer["suggestions"]
    assert run("readers", "conf/app.json::nope")["code"] == "unknown-symbol"


def test_keys_are_those_of_the_tree_that_is_asked(run: Any) -> None:
    """Old revisions and uncommitted files have their own keys and readers."""
    run.repo.write("conf/dev.yaml", "db:\n  socket: s\n")
    run.repo.write("app.py", 'def connect(config):\n    return config["db"]["socket"]\n')
    assert uses(run("readers", "conf/dev.yaml::db.socket")) == {"app.py::connect → conf/dev.yaml::db.socket inferred settings-object 0"}
    assert run("readers", "conf/dev.yaml::db.host")["code"] == "unknown-symbol"
    assert "app.py::connect → conf/dev.yaml::db.host inferred settings-object 1" in uses(run("readers", "conf/dev.yaml::db.host", "--at", "HEAD"))
