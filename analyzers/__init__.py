"""Reading source code: bytes in, facts out.

Nothing here knows git, a database or anything of `knowledge`: a fact follows from a file's bytes alone, so it carries no path
and no revision and can be computed anywhere, once, for every tree that holds the same bytes.
"""
