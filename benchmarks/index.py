"""What indexing costs beside parsing alone, measured in one run: CPU seconds of this process and its children, imports excluded.

ratio: index / bare tree-sitter parse of the same files; names are resolved when a question needs them. full_ratio: the same with all names resolved
(`knowledge index --full`, what a question for callers waits for once). unchanged_ratio: indexing again with nothing changed / index.
one_file_cpu_ms: indexing after one file changed with no name resolved (median of seven files, warm process); one_file_full_cpu_ms: with all names
resolved. peak_mb, full_peak_mb: the largest resident set of this process until the one and the other.
Figures are meant for repositories with 5 MB of source and more; smaller ones are dominated by fixed costs.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, bare_clone, git, report, repositories

sys.path.insert(0, str(ROOT))

from analyzers.parsing import parse
from analyzers.registry import LANGUAGES, language_of
from knowledge.operations.indexing import index
from knowledge.operations.project import open_project
from knowledge.repository.interface import Repository, Tree
from knowledge.repository.opening import open_repository


def cpu() -> float:
    """CPU seconds so far of this process and its finished children."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)


def peak_mb() -> float:
    """The largest resident set of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sources(tree: Tree) -> list[tuple[str, str]]:
    """(blob id, language) of every file that is parsed by a grammar."""
    found = []
    for path, entry in tree.entries().items():
        language = language_of(path)
        if entry.kind in ("file", "executable") and language and LANGUAGES[language].kind == "code":
            found.append((entry.blob_id, language))
    return found


def parse_cost(tree: Tree) -> tuple[float, int]:
    """CPU seconds of parsing every source file once, and how many bytes they have."""
    contents = [(tree.read(blob), language) for blob, language in sources(tree)]
    started = cpu()
    for content, language in contents:
        if len(content) < 2_000_000:
            parse(content, language)
    return cpu() - started, sum(len(c) for c, _ in contents)


def measure(source: Path, workplace: Path) -> dict[str, Any]:
    """The figures of one repository."""
    here = bare_clone(source, workplace / "here", git(source, "rev-parse", "HEAD"))
    parse_seconds, size = parse_cost(open_repository(here).tree("HEAD"))
    with open_project(here, create=True) as project:
        started = cpu()
        answer = index(project, "HEAD")
        full = cpu() - started
    with open_project(here) as project:
        started = cpu()
        index(project, "HEAD")
        again = cpu() - started
        single = [one_file(project.repository, here, project, n) for n in range(7)]
    peak = peak_mb()
    with open_project(here) as project:
        started = cpu()
        index(project, "HEAD", is_full=True)
        resolving = cpu() - started
        resolved = [one_file(project.repository, here, project, n) for n in range(7, 14)]
    return {
        "files": answer.files,
        "source_mb": size / 1e6,
        "parse_cpu_s": parse_seconds,
        "index_cpu_s": full,
        "ratio": full / parse_seconds,
        "full_ratio": (full + resolving) / parse_seconds,
        "unchanged_ratio": again / full,
        "one_file_cpu_ms": 1000 * statistics.median(single),
        "one_file_full_cpu_ms": 1000 * statistics.median(resolved),
        "peak_mb": peak,
        "full_peak_mb": peak_mb(),
    }


def one_file(repository: Repository, here: Path, project: Any, number: int) -> float:
    """CPU seconds of indexing after one more function was added to one source file."""
    tree = repository.tree("HEAD")
    paths = sorted(p for p, e in tree.entries().items() if language_of(p) in ("python", "typescript", "javascript") and e.kind == "file")
    path = paths[(number * 7919) % len(paths)]
    entry = tree.entry(path)
    assert entry is not None
    addition = b"\n\ndef added_for_measuring():\n    return 1\n" if path.endswith(b".py") else b"\n\nfunction addedForMeasuring() { return 1 }\n"
    blob = subprocess.run(
        ["git", "-C", str(here), "hash-object", "-w", "--stdin"], input=tree.read(entry.blob_id) + addition, capture_output=True, check=True
    )
    name = Path(tempfile.mkdtemp()) / "index"
    env = {
        "GIT_INDEX_FILE": str(name),
        "PATH": "/usr/bin:/bin",
        "GIT_AUTHOR_NAME": "b",
        "GIT_AUTHOR_EMAIL": "b@b",
        "GIT_COMMITTER_NAME": "b",
        "GIT_COMMITTER_EMAIL": "b@b",
    }
    for words in (["read-tree", "HEAD"], ["update-index", "--cacheinfo", f"100644,{blob.stdout.decode().strip()},{path.decode()}"]):
        subprocess.run(["git", "-C", str(here), *words], check=True, env=env)
    written = subprocess.run(["git", "-C", str(here), "write-tree"], check=True, env=env, capture_output=True, text=True).stdout.strip()
    shutil.rmtree(name.parent)
    revision = subprocess.run(
        ["git", "-C", str(here), "commit-tree", written, "-p", "HEAD", "-m", "one"], check=True, env=env, capture_output=True, text=True
    )
    started = time.process_time()
    index(project, revision.stdout.strip())
    return time.process_time() - started


def main() -> None:
    """Measure every repository under --mirror."""
    asked = arguments(__doc__ or "")
    figures = {}
    for name, path in repositories(asked):
        workplace = Path(tempfile.mkdtemp(prefix="knowledge-index-"))
        try:
            figures[name] = measure(path, workplace)
        finally:
            shutil.rmtree(workplace)
    first = ["files", "source_mb", "parse_cpu_s", "index_cpu_s", "ratio", "full_ratio", "unchanged_ratio"]
    report(asked, figures, [*first, "one_file_cpu_ms", "one_file_full_cpu_ms", "peak_mb", "full_peak_mb"])


if __name__ == "__main__":
    main()
