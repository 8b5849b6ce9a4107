"""Readers of other programs' output: bytes → what they say, with nothing added. They know no tree; whoever calls them holds them against one."""
