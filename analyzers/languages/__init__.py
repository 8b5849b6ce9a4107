"""One file a language: nodes in, facts out. Languages do not import each other."""
