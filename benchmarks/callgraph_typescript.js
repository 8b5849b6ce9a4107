// What TypeScript's own checker says of every call in a tree: `node callgraph_typescript.js TREE`, one JSON object a line.
//
// {"path", "start": byte offset of the callee's last name, "name", "targets": [{"path", "start": byte offset of the declared name, "is_local"}],
//  "behind": [a target], "is_signature": whether all targets only say what can be called}
// behind: what the declared names are only further names of: `{ create: createMiddleware }`, `const get = all`, `module.exports = require("./lib")`.
// A target outside of the tree has no path. No targets: the checker does not know (`any`), so the call is not judged; a call by a variable that a
// function is assigned to has no row at all. Needs `typescript` where NODE_PATH leads. Types of packages that are not installed are unknown to it.
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

const packages = workspaces();
const files = [...walk(root)];
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve,
  allowJs: true, checkJs: false, strict: true, noEmit: true, skipLibCheck: true, esModuleInterop: true, experimentalDecorators: true,
  allowImportingTsExtensions: true, types: [], paths: packages,
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
    const meant = followed(checker.getShorthandAssignmentValueSymbol(declaration));
    const inner = meant?.declarations?.at(-1);
    if (inner && inner !== declaration) return target(inner);
  }
  let name = declaration.name;
  if (ts.isConstructorDeclaration(declaration)) name = declaration.parent.name;
  else if (ts.isBinaryExpression(declaration)) name = nameOf(declaration.left);
  const initial = declaration.initializer;
  const isVariable = ts.isParameter(declaration) || ts.isBindingElement(declaration) || ts.isVariableDeclaration(declaration);
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : null;
  const isTop = statement !== null && statement !== undefined && (ts.isSourceFile(statement) || ts.isModuleBlock(statement));
  const isNamed = initial !== undefined && (ts.isFunctionExpression(initial) || ts.isArrowFunction(initial) || ts.isClassExpression(initial));
  // A member of a type that is written out where it is used has no name to be called by.
  const isNameless = ts.isTypeElement(declaration) && ts.isTypeLiteralNode(declaration.parent) && !ts.isTypeAliasDeclaration(declaration.parent.parent);
  const start = byteOffset(file, (name ?? declaration).getStart(file));
  const isLocal = isNameless || (isVariable && !isTop && !(isNamed && ts.isVariableDeclaration(declaration)));
  return { path: path.relative(root, file.fileName), start, is_local: isLocal };
}

function unwrapped(expression) {
  let at = expression;
  while (ts.isParenthesizedExpression(at) || ts.isNonNullExpression(at) || ts.isAsExpression(at) || ts.isSatisfiesExpression(at)) at = at.expression;
  return at;
}

const isCode = (node) => ts.isFunctionExpression(node) || ts.isArrowFunction(node) || ts.isClassExpression(node);
const isRequire = (node) =>
  ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require" && node.arguments.length === 1;

// The expression that is all that a declaration gives its name to; null where the name can be given to something else later.
function value(declaration) {
  if (ts.isVariableDeclaration(declaration)) return ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const ? declaration.initializer : null;
  if (ts.isPropertyAssignment(declaration)) return declaration.initializer;
  if (ts.isBinaryExpression(declaration)) return declaration.right;
  return ts.isExportAssignment(declaration) ? declaration.expression : null;
}

// What a function gives back where it has one `return` and no other way out.
function onlyReturn(declaration) {
  const body = declaration?.body;
  if (!body) return null;
  if (!ts.isBlock(body)) return unwrapped(body);
  const found = [];
  const visit = (node) => {
    if (ts.isReturnStatement(node)) found.push(node.expression);
    else if (!ts.isFunctionLike(node) && !ts.isClassLike(node)) ts.forEachChild(node, visit);
  };
  visit(body);
  return found.length === 1 && found[0] ? unwrapped(found[0]) : null;
}

// The declarations behind a declaration whose value is a plain name, a member, a module, or a call of a function that returns a plain name; none where
// the value is anything else.
function behind(declaration, depth = 0) {
  const given = depth < 8 ? value(declaration) : null;
  const named = given && unwrapped(given);
  if (!named) return [];
  if (isCode(named)) return named.name ? [named] : [];
  let symbol = null;
  if (ts.isCallExpression(named) && !isRequire(named)) {
    const returned = onlyReturn(checker.getResolvedSignature(named)?.declaration);
    if (returned && isCode(returned)) return returned.name ? [returned] : [];
    if (returned && ts.isIdentifier(returned)) symbol = followed(checker.getSymbolAtLocation(returned));
  } else if (ts.isIdentifier(named) || ts.isPropertyAccessExpression(named)) symbol = followed(checker.getSymbolAtLocation(named));
  else if (isRequire(named)) symbol = followed(checker.getSymbolAtLocation(named.arguments[0])?.exports?.get("export="));
  const next = (symbol?.declarations ?? []).filter((one) => one !== declaration);
  return next.flatMap((one) => [one, ...behind(one, depth + 1)]);
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

// Variables that are a function or a class and are assigned another: which of them runs, the checker does not know.
const startsAsCode = (symbol) => (symbol?.declarations ?? []).some((one) => ts.isVariableDeclaration(one) && one.initializer && isCode(one.initializer));
// A `declare module "package"` of a fixture hides the package itself where all files are read as one program.
function isShadow(declaration) {
  for (let at = declaration.parent; at; at = at.parent) if (ts.isModuleDeclaration(at) && ts.isStringLiteral(at.name)) return at.name.text in packages;
  return false;
}
const isSignature = (node) => ts.isPropertySignature(node) || ts.isMethodSignature(node);
const reassigned = new Set();
const wanted = new Set(files);
const sources = program.getSourceFiles().filter((file) => wanted.has(path.normalize(file.fileName)));
for (const file of sources) {
  const visit = (node) => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && ts.isIdentifier(node.left)) {
      const variable = checker.getSymbolAtLocation(node.left);
      if (isCode(unwrapped(node.right)) || startsAsCode(variable)) reassigned.add(variable);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function firstName(expression) {
  let at = unwrapped(expression);
  while (ts.isPropertyAccessExpression(at)) at = unwrapped(at.expression);
  return ts.isIdentifier(at) ? at : null;
}

for (const file of sources) {
  const visit = (node) => {
    const called = callee(node);
    const token = called && nameOf(called);
    const first = called && firstName(called);
    if (token && !(first && reassigned.has(followed(checker.getSymbolAtLocation(first))))) {
      let symbol = checker.getSymbolAtLocation(token);
      if (token.kind === ts.SyntaxKind.SuperKeyword) symbol = checker.getTypeAtLocation(token).symbol ?? symbol;
      symbol = followed(symbol);
      let declarations = symbol?.declarations ?? [];
      if (symbol && !declarations.length) declarations = checker.getRootSymbols(symbol).flatMap((part) => part.declarations ?? []);
      const row = { path: path.relative(root, file.fileName), start: byteOffset(file, token.getStart(file)), name: token.getText(file) };
      if (declarations.some(isShadow)) return ts.forEachChild(node, visit);
      const judged = { targets: declarations.map(target), is_signature: declarations.every(isSignature) };
      console.log(JSON.stringify({ ...row, ...judged, behind: declarations.flatMap((one) => behind(one)).map(target) }));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
