"""Secrets are masked before a text is kept. A net with holes: it finds the usual shapes, and says nothing of the rest."""

from __future__ import annotations

import re

MASK = "[masked]"
_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b|\bglpat-[A-Za-z0-9_-]{20,}"
    r"|\bxox[abposr]-[A-Za-z0-9-]{10,}|\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b|\bAIza[0-9A-Za-z_-]{35}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|\bnpm_[A-Za-z0-9]{36}\b|\bpypi-[A-Za-z0-9_-]{40,}",
    re.DOTALL,
)
_ASSIGNED = re.compile(
    r"((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?key|비밀번호|암호|토큰)\w*[\"']?\s*[:=]\s*)"
    r"([\"'])([^\"'\n]{6,})\2",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"(?m)^(\s*(?:export\s+)?\w*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)\w*\s*=\s*)([^\s\"'#(){}\[\]]{6,})\s*$"
)
_URL = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@\"']+:)([^\s/@\"']+)(@)")
_HEADER = re.compile(r"(\b(?:authorization|x-api-key)[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)?\s*)([A-Za-z0-9+/=._-]{12,})", re.IGNORECASE)


def mask_value(key: str, text: str) -> str:
    """The value at a key path, masked where its key or its own shape says that it is a secret."""
    return mask(f"{key} = {text}").removeprefix(f"{key} = ")


def mask(text: str) -> str:
    """The text with what looks like a secret replaced by `[masked]`."""
    text = _WHOLE.sub(MASK, text)
    text = _URL.sub(rf"\1{MASK}\3", text)
    text = _HEADER.sub(rf"\1{MASK}", text)
    text = _ASSIGNED.sub(rf"\1\2{MASK}\2", text)
    return _LINE.sub(rf"\1{MASK}", text)
