"""What options may be chosen from, taken from the records."""

from __future__ import annotations

from typing import get_args

from knowledge.records.claims import ClaimKind, Status

STATUSES: tuple[str, ...] = get_args(Status)
KINDS: tuple[str, ...] = get_args(ClaimKind)
