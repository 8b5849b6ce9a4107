"""Alembic's entry: the store hands over an open connection, inside a transaction that it commits itself."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
