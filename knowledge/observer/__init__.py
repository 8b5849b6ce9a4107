"""What runs in the environment of the tests: `knowledge_observer`, a package without any dependency on the rest.

Its folder is put on the path of a command that is run under observation; nothing here imports it, for it needs pytest.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
MODULE = "knowledge_observer"
FORMAT = 1
TO, ROOT, HOW = "KNOWLEDGE_OBSERVE_TO", "KNOWLEDGE_OBSERVE_ROOT", "KNOWLEDGE_OBSERVE"
"""Environment variables by which the plugin is told what to do; as it has them itself."""
