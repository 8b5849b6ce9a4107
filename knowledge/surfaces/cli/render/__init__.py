"""Answers → lines, one file a family of answers; `table.py` says which."""
