"""What `doctor` says of memories that come by themselves: which agents' hooks are there, what their programs allow, whether the way is open."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from knowledge.config import LEDGER_FILE, PUSH_OFF_FILE
from knowledge.errors import KnowledgeError
from knowledge.records.answers import Finding
from knowledge.repository.locate import Location, locate
from knowledge.surfaces.daemon.place import meeting_file
from knowledge.surfaces.hosts.host import CLIENT, OURS, Host
from knowledge.surfaces.hosts.table import HOSTS

_PROBE_SECONDS = 30


def findings(start: Path) -> tuple[Finding, ...]:
    """One for each agent whose hooks are there, and one for a call that goes the whole way."""
    try:
        location = locate(start)
    except KnowledgeError:
        return ()
    if location.workdir is None or not (location.common_dir / LEDGER_FILE).exists():
        return ()
    if (location.common_dir / PUSH_OFF_FILE).exists():
        return (Finding("warning", "push-off", "nothing is told to agents by itself", "knowledge push on"),)
    there = [host for host in HOSTS.values() if host.dialect is not None and _is_registered(location.workdir, host)]
    if not there:
        return (Finding("ok", "push", "no agent's hooks are here, so nothing comes by itself; `knowledge setup` writes them"),)
    return (*(_host(location.workdir, host) for host in there), _probe(location))


def _is_registered(root: Path, host: Host) -> bool:
    try:
        return OURS in (root / host.hooks).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _host(root: Path, host: Host) -> Finding:
    limits = "; ".join(host.dialect.limits) if host.dialect is not None else ""
    if str(CLIENT) not in (root / host.hooks).read_text(encoding="utf-8"):
        what = f"{host.title}: its hooks in {host.hooks} name another installation of this program"
        return Finding("warning", f"push-{host.name}", what, f"knowledge setup {host.name}")
    if host.is_trusted is not None and not host.is_trusted(root):
        what = f"{host.title}: no hook of {host.hooks} is known to be trusted; until a person trusts them they are silently left out"
        return Finding("warning", f"push-{host.name}-untrusted", what, f"start {host.name} here and trust them with /hooks")
    return Finding("ok", f"push-{host.name}", f"{host.title}: hooks in {host.hooks}. What it does not allow: {limits}")


def _probe(location: Location) -> Finding:
    """A moment that no agent had, marked as such, through client, daemon and advisers."""
    payload = json.dumps({"hook_event_name": "SessionStart", "session_id": "probe", "cwd": str(location.workdir), "source": "startup"})
    command = [sys.executable, "-I", "-S", str(CLIENT), "probe", str(location.common_dir), "start"]
    try:
        done = subprocess.run(command, input=payload.encode(), capture_output=True, check=False, timeout=_PROBE_SECONDS)
        answer = json.loads(done.stdout or b"null")
    except (OSError, ValueError, subprocess.TimeoutExpired) as failure:
        return Finding("warning", "push-probe", f"a probe of the hooks failed: {failure}", "knowledge status tells what came to nothing")
    if answer != {"probe": "answered"}:
        what = "a probe of the hooks was not answered" + ("" if meeting_file(location.common_dir).exists() else ": no daemon is there")
        return Finding("warning", "push-probe", what, "knowledge status tells what came to nothing")
    return Finding("ok", "push-probe", "a probe went the whole way through hook, daemon and advisers")
