"""Doors: command line and git hooks. Nothing imports these."""
