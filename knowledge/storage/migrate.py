"""Bringing a database to the schema of this program. Alembic is only imported here, and here only when there is something to do."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.storage.files import Schema

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PACKAGE = Path(__file__).resolve().parent.parent


def scripts_folder() -> Path:
    """Where the migration scripts are: in the package (installed from a wheel) or at the top of a source checkout."""
    packaged = _PACKAGE / "migrations"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "migrations"


def upgrade(connection: Connection, schema: Schema, folder: Path | None = None) -> None:
    """Run every script of `schema` that the database does not have yet, on a connection whose transaction the caller has begun."""
    config = alembic_config(schema, folder)
    config.attributes["connection"] = connection
    importlib.import_module("alembic.command").upgrade(config, schema.version)


def alembic_config(schema: Schema, folder: Path | None = None):  # type: ignore[no-untyped-def]
    """Alembic's configuration for one of the two databases: the scripts of each are a folder of their own."""
    folder = folder or scripts_folder()
    config = importlib.import_module("alembic.config").Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("version_locations", str(folder / schema.name).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    return config
