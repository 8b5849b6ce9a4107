// What TypeScript's own checker says of every call in a tree: `node callgraph_typescript.js TREE`, one JSON object a line.
//
// {"path", "start": byte offset of the callee's last name, "name", "targets": [{"path", "start": byte offset of the declared name, "is_local"}]}
// A target outside of the tree has no path. No targets: the checker does not know (`any`), so the call is not judged. Needs `typescript` where
// NODE_PATH leads. Types of packages that are not installed are unknown to it.
const ts = require("typescript");
const fs = require("fs");
const path = require("path");

const root = path.resolve(process.argv[2]);
const SOURCE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;

function* walk(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const name = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") yield* walk(name);
    else if (entry.isFile() && SOURCE.test(name)) yield name;
  }
}

// Packages of the tree by name, as a workspace links them: their sources, not what is built from them.
function workspaces() {
  const found = {};
  const visit = (directory, depth) => {
    const file = path.join(directory, "package.json");
    const sources = ["src/index.ts", "src/index.tsx", "index.ts"].map((entry) => path.join(directory, entry)).filter(fs.existsSync);
    if (fs.existsSync(file) && sources.length) {
      try {
        const name = JSON.parse(fs.readFileSync(file, "utf8")).name;
        if (typeof name === "string" && !found[name]) found[name] = [sources[0]];
      } catch {}
    }
    for (const entry of depth < 3 ? fs.readdirSync(directory, { withFileTypes: true }) : [])
      if (entry.isDirectory() && entry.name !== "node_modules") visit(path.join(directory, entry.name), depth + 1);
  };
  visit(root, 0);
  return found;
}

const files = [...walk(root)];
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve,
  allowJs: true, checkJs: false, strict: true, noEmit: true, skipLibCheck: true, esModuleInterop: true, experimentalDecorators: true,
  allowImportingTsExtensions: true, types: [], paths: workspaces(),
});
const checker = program.getTypeChecker();
const byteOffsets = new Map();

function byteOffset(file, position) {
  if (!byteOffsets.has(file)) {
    const text = file.text;
    let table = null;
    if (Buffer.byteLength(text) !== text.length) {
      table = new Uint32Array(text.length + 1);
      let at = fs.readFileSync(file.fileName)[0] === 0xef ? 3 : 0;
      for (let i = 0; i < text.length; i++) {
        table[i] = at;
        const code = text.charCodeAt(i);
        at += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
      }
      table[text.length] = at;
    }
    byteOffsets.set(file, table);
  }
  const table = byteOffsets.get(file);
  return table ? table[position] : position;
}

const isInside = (name) => !path.relative(root, name).startsWith("..") && !name.includes("node_modules");

function nameOf(expression) {
  let at = expression;
  while (
    ts.isParenthesizedExpression(at) || ts.isNonNullExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at) ||
    ts.isTypeAssertionExpression(at) || ts.isExpressionWithTypeArguments(at)
  )
    at = at.expression;
  if (ts.isIdentifier(at) || at.kind === ts.SyntaxKind.SuperKeyword) return at;
  return ts.isPropertyAccessExpression(at) ? at.name : null;
}

const followed = (symbol) => (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

function target(declaration) {
  const file = declaration.getSourceFile();
  if (!file || !isInside(file.fileName)) return { path: null };
  if (ts.isShorthandPropertyAssignment(declaration)) {
    // `{ open }`: what the name means there.
    const value = followed(checker.getShorthandAssignmentValueSymbol(declaration));
    const inner = value?.declarations?.at(-1);
    if (inner && inner !== declaration) return target(inner);
  }
  let name = declaration.name;
  if (ts.isConstructorDeclaration(declaration)) name = declaration.parent.name;
  else if (ts.isBinaryExpression(declaration)) name = nameOf(declaration.left);
  const value = declaration.initializer;
  const isVariable = ts.isParameter(declaration) || ts.isBindingElement(declaration) || ts.isVariableDeclaration(declaration);
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : null;
  const isTop = statement !== null && statement !== undefined && (ts.isSourceFile(statement) || ts.isModuleBlock(statement));
  const isNamed = value !== undefined && (ts.isFunctionExpression(value) || ts.isArrowFunction(value) || ts.isClassExpression(value));
  // A member of a type that is written out where it is used has no name to be called by.
  const isNameless = ts.isTypeElement(declaration) && ts.isTypeLiteralNode(declaration.parent) && !ts.isTypeAliasDeclaration(declaration.parent.parent);
  const start = byteOffset(file, (name ?? declaration).getStart(file));
  const isLocal = isNameless || (isVariable && !isTop && !(isNamed && ts.isVariableDeclaration(declaration)));
  return { path: path.relative(root, file.fileName), start, is_local: isLocal };
}

function callee(node) {
  if (ts.isCallExpression(node)) return node.expression.kind === ts.SyntaxKind.ImportKeyword ? null : node.expression;
  if (ts.isNewExpression(node)) return node.expression;
  if (ts.isTaggedTemplateExpression(node)) return node.tag;
  if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) return node.expression;
  if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node))
    return ts.isIdentifier(node.tagName) && /^[a-z]/.test(node.tagName.text) ? null : node.tagName;
  return null;
}

const wanted = new Set(files);
for (const file of program.getSourceFiles()) {
  if (!wanted.has(path.normalize(file.fileName))) continue;
  const visit = (node) => {
    const called = callee(node);
    const token = called && nameOf(called);
    if (token) {
      let symbol = checker.getSymbolAtLocation(token);
      if (token.kind === ts.SyntaxKind.SuperKeyword) symbol = checker.getTypeAtLocation(token).symbol ?? symbol;
      symbol = followed(symbol);
      let declarations = symbol?.declarations ?? [];
      if (symbol && !declarations.length) declarations = checker.getRootSymbols(symbol).flatMap((part) => part.declarations ?? []);
      const row = { path: path.relative(root, file.fileName), start: byteOffset(file, token.getStart(file)), name: token.getText(file) };
      console.log(JSON.stringify({ ...row, targets: declarations.map(target) }));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
