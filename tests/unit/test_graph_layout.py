"""Which file a module name or specifier means, seen from another file (knowledge/graph/layout.py)."""

import pytest

from analyzers.facts import FileFacts
from knowledge.graph.layout import Layout, decode, encode, relative_stem
from knowledge.graph.python_names import Names
from knowledge.graph.reads import Tree, View
from knowledge.graph.values import UNKNOWN, External, Module


class Files:
    """A tree of texts without facts."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = {name.encode(): text.encode() for name, text in files.items()}

    def paths(self):
        return self._files.keys()

    def language(self, path: bytes) -> str:
        return ""

    def outline(self, path: bytes) -> FileFacts | None:
        return self.facts(path)

    def facts(self, path: bytes) -> FileFacts | None:
        return None

    def interface(self, path: bytes) -> str:
        return ""

    def definers(self, name: str):
        return ()

    def text(self, path: bytes) -> bytes | None:
        return self._files.get(path)


def layout_of(*paths: str, **files: str) -> Layout:
    return Layout(Files(dict.fromkeys(paths, "") | files))


def tree_of(files: dict[str, str]) -> Tree:
    return Tree(Files(files))


def find(files: dict[str, str], importer: str, module: str, level: int = 0) -> str:
    """What `import module` means in `importer`: a path, `external:package`, or "" where it is not known."""
    view = View(tree_of(files), importer.encode())
    flow = Names(view, lambda place, binding: UNKNOWN).module(importer.encode(), level, module)
    if not flow.values:
        return ""
    value = flow.values[0]
    sure = "" if flow.is_certain else "?"
    return sure + (value.path.decode() if isinstance(value, Module) else f"external:{value.package}" if isinstance(value, External) else "")


SRC = dict.fromkeys(
    ["src/app/__init__.py", "src/app/db.py", "src/app/web/__init__.py", "src/app/web/views.py", "tests/test_db.py", "tests/tools.py"], ""
)


@pytest.mark.parametrize(
    ("importer", "level", "module", "expected"),
    [
        ("src/app/web/views.py", 0, "app.db", "src/app/db.py"),
        ("src/app/web/views.py", 0, "app", "src/app/__init__.py"),
        ("src/app/web/views.py", 1, "", "src/app/web/__init__.py"),
        ("src/app/web/views.py", 2, "db", "src/app/db.py"),
        ("src/app/web/views.py", 2, "missing", ""),
        ("src/app/web/views.py", 6, "db", ""),
        ("src/app/web/views.py", 0, "os.path", "external:os"),
        ("src/app/web/views.py", 0, "requests", "external:requests"),
        ("tests/test_db.py", 0, "app.web.views", "src/app/web/views.py"),
        ("tests/test_db.py", 0, "tools", "tests/tools.py"),
        ("src/app/db.py", 0, "tools", "?tests/tools.py"),
    ],
)
def test_python_modules_of_a_src_layout(importer: str, level: int, module: str, expected: str) -> None:
    """Source directories, relative imports, the importer's own directory; a lone module elsewhere in the project is only a guess."""
    assert find(SRC, importer, module, level) == expected


def test_a_name_in_another_project_is_not_found_by_its_name_alone() -> None:
    """Two services with a package of the same name each see their own; a third one that declares a dependency sees that."""
    files = {
        "a/pyproject.toml": "[project]\nname = 'service-a'\n", "a/shared/__init__.py": "", "a/main.py": "",
        "b/pyproject.toml": "[project]\nname = 'Service.B'\n", "b/shared/__init__.py": "", "b/main.py": "", "b/only_b.py": "",
        "c/pyproject.toml": "[project]\nname = 'c'\ndependencies = ['service_b >= 1']\n", "c/main.py": "",
    }  # fmt: skip
    assert find(files, "a/main.py", "shared") == "a/shared/__init__.py"
    assert find(files, "b/main.py", "shared") == "b/shared/__init__.py"
    assert find(files, "a/main.py", "only_b") == "external:only_b"
    assert find(files, "c/main.py", "shared") == "b/shared/__init__.py"


def test_a_nested_project_sees_the_one_around_it() -> None:
    """An example with its own project file imports the package that it is an example of."""
    files = {"pyproject.toml": "[project]\nname='flask'", "src/flask/__init__.py": "", "examples/x/pyproject.toml": "", "examples/x/app.py": ""}
    assert find(files, "examples/x/app.py", "flask") == "src/flask/__init__.py"


def test_namespace_packages_and_stubs() -> None:
    """A directory without `__init__` is a namespace; source comes before its stub; a package before a module of the same name."""
    files = dict.fromkeys(["ns/one/mod.py", "ns/one/mod.pyi", "ns/two.pyi", "both.py", "both/__init__.py", "main.py"], "")
    assert find(files, "main.py", "ns") == "ns/"
    assert find(files, "main.py", "ns.one.mod") == "ns/one/mod.py"
    assert find(files, "main.py", "ns.two") == "ns/two.pyi"
    assert find(files, "main.py", "both") == "both/__init__.py"


@pytest.mark.parametrize(
    "text",
    [
        "[tool.setuptools.packages.find]\nwhere = ['code']",
        "[tool.setuptools.package-dir]\n'' = 'code'",
        "[tool.poetry]\nname='x'\npackages = [{include='app', from='code'}]",
        "[tool.hatch.build.targets.wheel]\npackages = ['code/app']",
        "[tool.pytest.ini_options]\npythonpath = ['code']",
        "[tool.mypy]\nmypy_path = '$MYPY_CONFIG_FILE_DIR/code'",
        "[tool.uv.build-backend]\nmodule-root = 'code'",
    ],
)
def test_source_directories_are_read_from_pyproject(text: str) -> None:
    """Every build tool's way to say where the packages are."""
    files = {"pyproject.toml": text, "code/app/__init__.py": "", "main.py": ""}
    assert find(files, "main.py", "app") == "code/app/__init__.py"


def test_source_directories_are_read_from_setup_files_without_running_them() -> None:
    """setup.cfg's package_dir and setup.py's literal arguments."""
    assert find({"setup.cfg": "[options]\npackage_dir =\n    = code\n", "code/app.py": "", "m.py": ""}, "m.py", "app") == "code/app.py"
    assert find({"setup.py": "setup(name='x', package_dir={'': 'code'})", "code/app.py": "", "m.py": ""}, "m.py", "app") == "code/app.py"


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "package.json", "tsconfig.json"])
def test_a_broken_project_file_says_nothing(name: str) -> None:
    """Project files that do not parse, or that nest without end, are as good as empty."""
    for text in ("[[[", "{" * 5000, '{"compilerOptions": {"paths": 3, "baseUrl": []}, "exports": 7, "workspaces": {"a": 1}}', "\x00\xff"):
        layout = Layout(Files({name: text, "app.py": "", "x.ts": ""}))
        assert layout.package_of(b"app.py") == "."
        assert layout.javascript.stems_for(b"x.ts", "./y") == (b"y",)


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (["flask/app.py", "flask/__init__.py"], "flask/app.py", "flask"),
        (["src/flask/app.py", "src/flask/__init__.py"], "src/flask/app.py", "flask"),
        (["src/single.py", "src/other.py"], "src/single.py", "."),
        (["one/pyproject.toml", "one/tool.py"], "one/tool.py", "one"),
        (["single.py"], "single.py", "."),
        (["tests/unit/test_x.py"], "tests/unit/test_x.py", "tests"),
        (["one/pyproject.toml", "one/src/app/x.py"], "one/src/app/x.py", "one:app"),
        (["packages/zod/package.json", "packages/zod/src/a.ts"], "packages/zod/src/a.ts", "packages/zod"),
        (["docs/guide.md"], "docs/guide.md", "docs"),
        (["README.md"], "README.md", "."),
    ],
)
def test_package_of(files: list[str], path: str, expected: str) -> None:
    """The package of a file: the same before and after `flask/` moves to `src/flask/`."""
    assert layout_of(*files).package_of(path.encode()) == expected


def javascript(files: dict[str, str], importer: str, specifier: str) -> str:
    """The file that a specifier means, "" where it is outside."""
    layout = Layout(Files(files)).javascript
    found = (layout.file_of(stem) for stem in layout.stems_for(importer.encode(), specifier))
    return next((path.decode() for path in found if path is not None), "")


WEB = dict.fromkeys(
    ["src/a.ts", "src/b.tsx", "src/c.d.ts", "src/dir/index.ts", "src/old.js", "src/d.mts", "src/data.json", "lib/x.js", "lib/index.js"], ""
)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("./a", "src/a.ts"), ("./a.js", "src/a.ts"), ("./a.ts", "src/a.ts"), ("./b.js", "src/b.tsx"), ("./c", "src/c.d.ts"),
        ("./dir", "src/dir/index.ts"), ("./dir/index.js", "src/dir/index.ts"), ("./old", "src/old.js"), ("./d.mjs", "src/d.mts"),
        ("./data.json", "src/data.json"), ("../lib/x", "lib/x.js"), ("../lib", "lib/index.js"), (".", ""), ("./missing", ""), ("../../out", ""),
        ("react", ""), ("node:fs", ""), ("https://x/y.js", ""), ("", ""),
    ],
)  # fmt: skip
def test_relative_specifiers(specifier: str, expected: str) -> None:
    """Extensions, index files, compiled extensions that stand for sources; nothing outside the repository."""
    assert javascript(WEB, "src/main.ts", specifier) == expected


def test_tsconfig_paths_follow_the_extends_chain() -> None:
    """Comments, trailing commas, baseUrl, and patterns inherited from a file that is extended."""
    files = {
        "tsconfig.base.json": '{ // shared\n "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"], "@only": ["src/only.ts"],}, } }',
        "app/tsconfig.json": '{"extends": "../tsconfig.base.json", /* "paths": no */ }',
        "src/x.ts": "", "src/only.ts": "", "lib/y.ts": "", "app/main.ts": "",
    }  # fmt: skip
    assert javascript(files, "app/main.ts", "@/x") == "src/x.ts"
    assert javascript(files, "app/main.ts", "@only") == "src/only.ts"
    assert javascript(files, "app/main.ts", "lib/y") == "lib/y.ts"
    assert javascript(files, "app/main.ts", "@/missing") == ""


def test_tsconfig_that_only_refers_to_others() -> None:
    """What a configuration beside it says counts, its own paths first; one in another directory is asked by the files that are there."""
    files = {
        "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.node.json"}, {"path": "./tsconfig.app.json"}, {"path": "./other"}]}',
        "tsconfig.node.json": '{"include": ["vite.config.ts"]}',
        "tsconfig.app.json": '{"extends": "./tsconfig.base.json", "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        "tsconfig.base.json": '{"compilerOptions": {"paths": {"@/*": ["./wrong/*"]}}}',
        "other/tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["./*"]}}}',
        "src/x.ts": "", "wrong/x.ts": "", "other/y.ts": "",
    }  # fmt: skip
    assert javascript(files, "src/main.ts", "@/x") == "src/x.ts"
    assert javascript(files, "src/main.ts", "~/y") == ""
    assert javascript(files, "other/main.ts", "~/y") == "other/y.ts"


def test_tsconfig_of_a_declared_package_may_be_extended() -> None:
    """A workspace keeps its settings in a package; `${configDir}` is where they are used."""
    files = {
        "config/package.json": '{"name": "@acme/config"}',
        "config/base.json": '{"compilerOptions": {"paths": {"@/*": ["${configDir}/src/*"]}}}',
        "app/package.json": '{"devDependencies": {"@acme/config": "workspace:*"}}', "app/tsconfig.json": '{"extends": "@acme/config/base.json"}',
        "lone/package.json": "{}", "lone/tsconfig.json": '{"extends": "@acme/config/base.json"}',
        "app/src/x.ts": "", "lone/src/x.ts": "",
    }  # fmt: skip
    assert javascript(files, "app/src/main.ts", "@/x") == "app/src/x.ts"
    assert javascript(files, "lone/src/main.ts", "@/x") == ""


def test_packages_of_a_monorepo() -> None:
    """Exports (also built ones, found again in src/), self-reference, and no package that is not declared."""
    files = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/core/package.json": '{"name": "@acme/core", "exports": {'
        '".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}, "./u/*": "./src/u/*.ts"}}',
        "packages/core/src/index.ts": "", "packages/core/src/u/one.ts": "", "packages/core/src/self.ts": "",
        "packages/app/package.json": '{"name": "app", "dependencies": {"@acme/core": "workspace:*"}}', "packages/app/main.ts": "",
        "packages/other/package.json": '{"name": "other"}', "packages/other/main.ts": "",
    }  # fmt: skip
    assert javascript(files, "packages/app/main.ts", "@acme/core") == "packages/core/src/index.ts"
    assert javascript(files, "packages/app/main.ts", "@acme/core/u/one") == "packages/core/src/u/one.ts"
    assert javascript(files, "packages/core/src/self.ts", "@acme/core") == "packages/core/src/index.ts"
    assert javascript(files, "packages/other/main.ts", "@acme/core") == ""


def test_a_loop_of_extends_ends() -> None:
    """Two tsconfig files that extend each other."""
    loop = {"a/tsconfig.json": '{"extends": "../b/tsconfig.json"}', "b/tsconfig.json": '{"extends": "../a/tsconfig.json"}'}
    files = {**loop, "a/x.ts": "", "a/y.ts": ""}
    assert javascript(files, "a/x.ts", "./y") == "a/y.ts"


@pytest.mark.parametrize(
    "path",
    [
        "src/app/web/views.py", "ns/one/mod.py", "src/dir/index.ts", "src/a.ts", "src/d.mts", "x.js", "main.pyi", "out-stubs/sub/mod.pyi",
        "out-stubs/__init__.pyi",
    ],
)  # fmt: skip
def test_adding_a_path_changes_only_the_questions_that_it_names(path: str) -> None:
    """Every module question whose answer differs once `path` is there is among `module_keys(path)`."""
    rest = ["src/app/__init__.py", "src/b.ts", "main.py", "src/dir/other.ts"]
    before, after = layout_of(*rest), layout_of(*rest, path)
    keys = set(after.module_keys(path.encode()))
    asked = keys | {key for other in rest for key in after.module_keys(other.encode())}
    stems = {path.rpartition(".")[0], path.rpartition("/")[0], path.rpartition("/")[0].rpartition("/")[0]}
    asked |= {f"{kind}:{stem}{end}" for kind in ("python", "javascript") for stem in stems for end in ("", ".js", ".mjs", "/index")}
    asked |= {f"python:{stem.replace('-stubs', '')}" for stem in stems} | {"stubs:"}
    asked |= {f"python-top:{part}" for part in path.replace("-stubs", "").replace(".", "/").split("/")}
    changed = {key for key in asked if before.answer(key) != after.answer(key)}
    assert changed
    assert changed <= keys


def test_relative_stems_stay_inside() -> None:
    """More dots than directories lead nowhere."""
    assert relative_stem(b"a/b/c.py", 1, "d.e") == b"a/b/d/e"
    assert relative_stem(b"a/b/c.py", 3, "") == b""
    assert relative_stem(b"a/b/c.py", 4, "x") is None


def test_paths_that_are_not_text_keep_their_bytes() -> None:
    """A key holds any path and gives its bytes back."""
    layout = Layout(Files({}))
    odd = b"d\xff/m.py"
    assert encode(decode(odd)) == odd
    assert decode(odd).encode("utf-8")
    assert layout.answer("python:" + decode(odd[:-3])) == ()


def test_packages_of() -> None:
    """A set about the project as a whole has members in all its Python packages; one about a package has none in loose modules."""
    layout = layout_of("app/__init__.py", "app/a.py", "tool.py", "web/package.json", "web/x.ts")
    assert layout.packages_of(b"app/a.py") == ("app", ".")
    assert layout.packages_of(b"tool.py") == (".",)
    assert layout.packages_of(b"web/x.ts") == ("web",)


@pytest.mark.parametrize("name", ["/etc/passwd", "/", "..", "a//b", "a b", "\x00", "-stubs", "."])
def test_a_module_that_has_no_name_is_nowhere(name: str) -> None:
    """Texts that are imported by `import_module` may be anything."""
    layout = layout_of("a.py", "b-stubs/__init__.pyi")
    assert layout.answer("python:" + name) in ((), (b"b-stubs/__init__.pyi",))
    assert layout.answer("python-top:" + name) == ()
