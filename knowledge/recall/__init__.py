"""Finding claims by what a text says: terms, chunks, glossary, scores. Pure, and quick to import: agent hooks call it."""
