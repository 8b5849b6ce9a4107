"""A code knowledge runtime: claims about a repository that know when they are no longer true."""

__version__ = "0.1.0"
