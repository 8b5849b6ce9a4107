"""Reading git. The only user of pygit2; a `git` command backend stands behind the same interface for what libgit2 cannot open."""
