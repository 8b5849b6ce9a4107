"""Python: facts and hashes."""

from analyzers.languages.python.outline import facts
from analyzers.languages.python.structure import digests

__all__ = ["digests", "facts"]
