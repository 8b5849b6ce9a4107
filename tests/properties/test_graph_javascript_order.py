"""What is kept for all files of a tree does not depend on which file was resolved first, and an updated graph equals one from scratch."""

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.graph.build import holds, resolve_all
from knowledge.graph.resolve import resolve_file
from tests.graph_trees import Incremental, edges_of, resolve_cold, tree_of

PATHS = ["a.ts", "b.ts", "c/index.ts", "d.js"]
MODULES = ["./a", "./b", "./c", "./d", "../a"]
NAMES = ["One", "Two", "go"]
"""Few, so that the pieces speak of one another."""
DECLARATIONS = [
    "export function {a}(): {b} {{ return new {b}(); }}\n",
    "export function {a}(x: {b}) {{ return x.{c}(); }}\n",
    "export function {a}<T extends {b}>(x: T): T {{ x.{c}(); return x; }}\n",
    "export function {a}<T>(f: () => T): T {{ return f(); }}\n",
    "export function {a}(x) {{ return x; }}\nconst {b} = {a}({c});\n{b}();\n",
    "export class {a} {{ {b}(): this {{ return this.{c}(); }} {c}() {{ return this; }} }}\n",
    "export class {a}<T> extends {b} {{ constructor(private {c}: T) {{ super(); }} get(): T {{ return this.{c}; }} }}\n",
    "export class {a} {{ {b} = () => this.{c}(); static {c}() {{ return {b}; }} }}\n",
    "export interface {a} extends {b} {{ {c}(): {a}; }}\n",
    "export interface {a}<T> {{ {b}: T; {c}(f: (x: T) => void): {a}<T>; }}\n",
    "export type {a} = {b} | {{ {c}(): void }};\n",
    "export type {a}<T> = {{ [K in keyof T]: {b} }};\n",
    "export const {a}: {b}<{c}> = make();\n{a}.{c}((x) => x.save());\n",
    "export const {a} = {{ {b}() {{ return {c}(); }}, {c}: {b} }};\n",
    "export const {a} = () => {b}({c});\n",
    "export const {a} = {b}(() => new {c}());\n{a}.{b}();\n",
    "export default class {{ {a}() {{ {b}(); }} }}\n",
    "export namespace {a} {{ export function {b}() {{ {c}(); }} }}\n",
    "function {a}() {{}}\n{a}.prototype.{b} = function () {{ this.{c}(); }};\nmodule.exports = {a};\n",
    "for (const {a} of {b}()) {a}.{c}();\n",
    "export interface {a} {{\n  (x: {b}): {c}\n  <T>(f: (x: T) => {a}): T\n  new (): {b}\n}}\n",
    "export const {a} = make<{b}>() as {c};\n{a}((x) => x.{b}());\nnew {a}().{c}();\n",
    "export const {a}: {b} & {{ {c}: 1 }} = (x) => x.{c}();\n",
    "export const {a} = {{ {b}, {c}: {b}, ...{c} }};\n{a}.{b}();\n{a}.{c}();\n",
    "export type {a}<T> = T extends [infer A, ...infer B] ? {a}<B> : {b};\nexport let {c}: {a}<[{b}]>;\n{c}.{b}();\n",
    "export default {{ {a}, {b}: {c}.{a} }};\n",
]
LINKS = [
    "import {{ {a} }} from '{m}';\n{a}().{b}();\n",
    "import {{ {a} as {b} }} from '{m}';\nexport const {c} = new {b}();\n{c}.{a}();\n",
    "import type {{ {a} }} from '{m}';\nexport function {b}(x: {a}) {{ x.{c}(); }}\n",
    "import * as {a} from '{m}';\n{a}.{b}.{c}();\nexport {{ {a} }};\n",
    "import {a} from '{m}';\nexport default {a};\n",
    "export * from '{m}';\n",
    "export * as {a} from '{m}';\n",
    "export {{ {a}, {b} as default }} from '{m}';\n",
    "const {{ {a}, {b} }} = require('{m}');\n{a}({b});\nexports.{c} = {a};\n",
    "module.exports = {{ {a}: require('{m}'), {b}() {{ return this.{a}; }} }};\n",
]
KINDS = ("insert", "replace", "remove", "empty")


def history(seed):
    """A tree, as the pieces of each file, and edits of it. All are made of a few kinds of piece, so that they have to do with one another."""
    random = Random(seed)
    kinds, modules = [*random.sample(DECLARATIONS, 2), *random.sample(LINKS, 2)], random.sample(MODULES, 2)

    def piece():
        a, b, c = random.choices(NAMES, k=3)
        return random.choice(kinds).format(a=a, b=b, c=c, m=random.choice(modules))

    tree = {path: tuple(piece() for _ in range(random.randint(0, 4))) for path in PATHS}
    return tree, [(random.choice(PATHS), random.randint(0, 4), random.choice(KINDS), piece()) for _ in range(6)]


def texts(tree):
    """Files by path; one without pieces does not exist."""
    return {path: "".join(found) for path, found in tree.items() if found}


def edited(tree, edit):
    """The tree after one edit: a piece put in, replaced or taken out, or a file emptied."""
    path, at, kind, piece = edit
    rest = {"insert": (piece, *tree[path][at:]), "replace": (piece, *tree[path][at + 1 :]), "remove": tree[path][at + 1 :], "empty": ()}[kind]
    return {**tree, path: (*(tree[path][:at] if kind != "empty" else ()), *rest)}


seeds = st.integers(0, 1 << 40)
"""Histories are drawn evenly: small ones say nothing here."""
SLOW = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(seeds)
def test_files_come_out_the_same_in_any_order(seed):
    """Each file as if it were the only one that is resolved: edges, limitations and reads."""
    files = texts(history(seed)[0])
    alone = {path: resolve_file(path, tree_of(files)) for path in sorted(path.encode() for path in files)}
    order = list(alone)
    Random(seed).shuffle(order)
    assert {found.path: found for found in resolve_all(tree_of(files), order)} == alone


@SLOW
@given(seeds)
def test_edits_lead_to_what_comes_from_scratch(seed):
    """Whatever is edited: the updated edges are those of a new tree, and what was not resolved anew still holds."""
    tree, edits = history(seed)
    incremental = Incremental(texts(tree))
    for edit in edits:
        tree = edited(tree, edit)
        files = texts(tree)
        incremental.change(files)
        assert edges_of(incremental.resolutions) == edges_of(resolve_cold(files))
        new = tree_of(files)
        assert all(holds(found.reads, new) for found in incremental.resolutions.values())
