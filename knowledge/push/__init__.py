"""Memory that comes by itself: which tool calls a memory stands in the way of. Pure, and quick to import: hooks call it."""
