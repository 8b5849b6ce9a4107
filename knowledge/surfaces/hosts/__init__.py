"""Agents' programs, one file each: what they need to be told so that they ask and record. Adding one is adding its file to `table.py`."""
