"""Which sides of the code a free statement speaks of, told by its words."""

from __future__ import annotations

import pytest

from knowledge.claims.aspects import aspects_of, called_in

ROWS = [
    ("login checks the password", ""),
    ("createSession is only called after login", "callers"),
    ("createSession은 로그인 성공 후에만 호출되고, 반환된 세션은 Redis에 저장된다.", "callers"),
    ("nobody else calls put, as far as I can see", "callers"),
    ("only Store.put calls Buffer.flush, which is slow", "callers"),
    ("`a.py::f`만 `g`를 부르므로 순서는 정해져 있다", "callers"),
    ("put calls flush when the buffer is full", ""),
    ("no other module imports redis directly, I think", "importers imports"),
    ("put은 flush에서만 부르는 것이 아니라 값을 돌려준다", ""),
    ("put is not only called from flush, but returns what it wrote", ""),
    ("put은 어디서도 부르는 것이 아니라 flush에서만 호출된다", "callers"),
    ("store imports redis lazily", "imports"),
    ("all subclasses of Base override run", "subclasses"),
    ("the second parameter of f is ignored", "header"),
    ("f의 기본값은 설정에서 온다", "header"),
    ("f is defined in the same file as g", "place"),
    ("behaviour of f (strict: body and decorators)", "as written"),
    ("behaviour of f together with what it calls ({g})", "as written"),
    ("behaviour of f (annotations, casts, local names aside)", ""),
    ("f의 전체 동작", "as written"),
    ("the parser keeps the behaviour of old versions", ""),
]


@pytest.mark.parametrize(("statement", "expected"), ROWS)
def test_words_tell_what_a_statement_speaks_of(statement: str, expected: str) -> None:
    """Sets need a universal word; what is set aside is not spoken of; the behaviour as a whole is held as it is written."""
    found = aspects_of(statement)
    told = [
        *found.questions,
        *(["imports"] if found.is_of_imports else []),
        *(["header"] if found.is_of_header else []),
        *(["place"] if found.is_of_place else []),
        *(["as written"] if found.is_as_written else []),
    ]
    assert " ".join(told) == expected


@pytest.mark.parametrize(
    ("statement", "called"),
    [
        ("Only `Command.main` calls `Command.make_context`, which parses", "make_context"),
        ("because only main invokes the make_context(), it is parsed once", "make_context"),
        ("main만 `Command.make_context`를 호출하므로 한 번이다", "make_context"),
        ("main()만 make_context()를 직접 부른다고 본다", "make_context"),
        ("make_context is only called after login", ""),
        ("make_context는 로그인 뒤에만 호출된다", ""),
    ],
)
def test_what_is_called_is_told_from_who_calls(statement: str, called: str) -> None:
    """In the active voice the set of callers is that of what stands as the object."""
    assert called_in(statement) == called
