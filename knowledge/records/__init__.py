"""Frozen values that every layer shares. No IO, no behaviour beyond naming and comparing."""
