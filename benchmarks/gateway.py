"""What the gateway adds to a call: the same server asked directly and through `knowledge gateway`, on standard input and output.

Milliseconds, median of calls in turn, so that the load of the machine is the same for both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mirrors import ROOT, arguments, git, report

sys.path.insert(0, str(ROOT))

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from knowledge.operations.project import open_project

SERVER = ROOT / "tests" / "upstream_server.py"
_WARM = 5


def client(*words: str) -> Client[StdioTransport]:
    """A client of a command."""
    return Client(StdioTransport(words[0], list(words[1:]), env=dict(os.environ)))


async def measure(home: Path, count: int) -> dict[str, float]:
    """Medians of both ways, and the median difference."""
    behind = f"{sys.executable} {SERVER}"
    through = client(sys.executable, "-m", "knowledge", "-C", str(home), "gateway", "--upstream", behind)
    async with client(*behind.split()) as plain, through as gate:
        took: dict[str, list[float]] = {"direct": [], "gateway": []}
        for number in range(count + _WARM):
            for name, one in (("direct", plain), ("gateway", gate)):
                began = time.perf_counter()
                await one.call_tool("run", {"task": f"write poem {number}"})
                if number >= _WARM:
                    took[name].append(1_000 * (time.perf_counter() - began))
    added = [after - before for before, after in zip(took["direct"], took["gateway"], strict=True)]
    medians = {name: round(statistics.median(values), 2) for name, values in took.items()}
    return medians | {"added_p50_ms": round(statistics.median(added), 2), "added_p95_ms": round(statistics.quantiles(added, n=20)[-1], 2)}


def main() -> None:
    """Print the medians."""
    asked = arguments(__doc__ or "", more=_more)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "project"
        git(Path(folder), "init", "--quiet", str(home))
        with open_project(home, create=True):
            pass
        figures = {"calls": asyncio.run(measure(home, asked.count))}
    report(asked, figures, list(figures["calls"]))


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=200, help="calls each way")


if __name__ == "__main__":
    main()
