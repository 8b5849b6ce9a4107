"""Every error that the product raises on purpose, drawn as a tree.

    KnowledgeError
    ├── UsageError                    what was asked cannot be meant                                  exit 2
    │   ├── UnknownRevisionError      no such commit, branch or tag
    │   ├── UnknownPathError          no such file in the tree
    │   ├── UnknownSymbolError        no definition of that name in the tree
    │   ├── UnknownTagError           no claim bears that tag, or the vocabulary has no such prefix
    │   ├── AmbiguousSymbolError      more than one definition fits
    │   ├── UnknownRecordError        no claim, evidence, event … with that id
    │   ├── InvalidRecordError        a record that says something impossible
    │   ├── InvalidPolicyError        a bank's vocabulary that cannot be taken
    │   ├── OutsideInputError         another program's output that cannot be read, or speaks of other content
    │   ├── NotAPersonError           only a person may do it, and nothing shows that one asks
    │   ├── OffRecordError            the session is not to be remembered
    │   └── LifecycleError            a step that the claim's lifecycle does not have
    ├── NotARepositoryError           there is no git repository here                                 exit 3
    ├── NotInitializedError           `knowledge init` was never run here                             exit 3
    ├── RepositoryReadError           git cannot read what was asked (missing or damaged object)      exit 4
    ├── AnalyzerStartError            the child process that parses files does not start              exit 6
    ├── OutsideToolError              another program is not installed, fails, or takes too long      exit 6
    └── StoreError                                                                                    exit 5
        ├── StoreLockedError          another process holds the database for too long
        ├── StoreReadOnlyError        the database's folder cannot be written
        ├── StoreCorruptError         the ledger is damaged (a damaged index is rebuilt, and told)
        └── StoreTooNewError          written by a newer version of this program

A message says what was given, what was expected and what to do; `suggestions` are near misses, best first.
"""

from __future__ import annotations

from collections.abc import Sequence


class KnowledgeError(Exception):
    """Root of all errors that are meant for the person or agent who asked."""

    exit_code = 1
    code = "error"

    def __init__(self, message: str, *, suggestions: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = tuple(suggestions)


class UsageError(KnowledgeError):
    exit_code = 2
    code = "usage"


class UnknownRevisionError(UsageError):
    code = "unknown-revision"


class UnknownPathError(UsageError):
    code = "unknown-path"


class UnknownSymbolError(UsageError):
    code = "unknown-symbol"


class UnknownTagError(UsageError):
    code = "unknown-tag"


class AmbiguousSymbolError(UsageError):
    code = "ambiguous-symbol"


class UnknownRecordError(UsageError):
    code = "unknown-record"


class InvalidRecordError(UsageError):
    code = "invalid-record"


class InvalidPolicyError(UsageError):
    code = "invalid-policy"


class OutsideInputError(UsageError):
    code = "outside-input"


class NotAPersonError(UsageError):
    code = "not-a-person"


class OffRecordError(UsageError):
    code = "off-record"


class LifecycleError(UsageError):
    code = "lifecycle"


class NotARepositoryError(KnowledgeError):
    exit_code = 3
    code = "not-a-repository"


class NotInitializedError(KnowledgeError):
    exit_code = 3
    code = "not-initialized"


class RepositoryReadError(KnowledgeError):
    exit_code = 4
    code = "repository-read"


class AnalyzerStartError(KnowledgeError):
    exit_code = 6
    code = "analyzer-start"


class OutsideToolError(KnowledgeError):
    exit_code = 6
    code = "outside-tool"


class StoreError(KnowledgeError):
    exit_code = 5
    code = "store"


class StoreLockedError(StoreError):
    code = "store-locked"


class StoreReadOnlyError(StoreError):
    code = "store-read-only"


class StoreCorruptError(StoreError):
    code = "store-corrupt"


class StoreTooNewError(StoreError):
    code = "store-too-new"
