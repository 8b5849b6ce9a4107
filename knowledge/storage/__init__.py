"""All SQL: the index (a cache), the ledger (the record), and hot reads."""
