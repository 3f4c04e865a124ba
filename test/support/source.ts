import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import * as ast from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** The facts about a source file that the architecture test needs. */
export type Source = {
  /** Relative to the project's folder, with `/`. */
  path: string
  text: string
  /** The number of lines of code, without blank lines and comments. */
  lines: number
  imports: Import[]
  functions: SourceFunction[]
  /** The lines with a `JSON.parse` whose result is used without a type, that is, as \`any\`. */
  untypedParses: number[]
  /** The lines with `!` after a look-up: `map.get(key)!` or `list.find(test)!`. */
  assertedLookUps: number[]
  faults: SourceFault[]
}

/** A `new Fault`: the words and the sentences that it may get, with `…` for their values. */
export type SourceFault = { line: number; reasons: string[]; sentences: string[] }

/** `to` is a path in the project, a package, or a module of Node. */
export type Import = { to: string; type: boolean; names: string[] }

/**
 * A function of a source file. `lines` counts as it does for a file; `through` is true if its body
 * is one call with its own parameters in their order; `complexity` is its cyclomatic complexity
 * without nested functions; `blockArrow` is true for a named arrow function with a block at the top
 * level of its file.
 */
export type SourceFunction = {
  name: string
  line: number
  lines: number
  through: boolean
  complexity: number
  blockArrow: boolean
}

/** The TypeScript files below a folder, sorted. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .map(file => join(folder, file))
    .sort()

/**
 * Reads files with the TypeScript compiler. Its API is marked unstable, so the version is pinned
 * and nothing else uses it.
 */
export function readSources(paths: readonly string[]): Source[] {
  const api = new API({ cwd: process.cwd() })
  try {
    // What runs in browsers has other types than what runs on the server.
    const configs = [
      '.',
      'src/site/client',
      'src/workbench/client',
      'src/workbench/editor-client',
    ].map(folder => resolve(folder, 'tsconfig.json'))
    const projects = configs.flatMap(openProject =>
      api.updateSnapshot({ openProject }).getProjects(),
    )
    return paths.map(path => {
      for (const { program } of projects) {
        const file = program.getSourceFile(resolve(path))
        if (file) return readSource(path, file)
      }

      throw new Error(`${path} is not part of the project: see "include" in tsconfig.json.`)
    })
  } finally {
    api.close()
  }
}

function readSource(path: string, file: ast.SourceFile): Source {
  const text = readFileSync(path, 'utf8')
  const source: Source = {
    path: path.replaceAll('\\', '/'),
    text,
    lines: linesOfCode(text),
    imports: [],
    functions: [],
    untypedParses: [],
    assertedLookUps: [],
    faults: [],
  }

  const visit = (node: ast.Node): void => {
    const found = importOf(path, node)
    if (found) source.imports.push(found)
    if (isFunction(node)) source.functions.push(functionOf(file, node))
    if (isUntypedParse(file, node)) source.untypedParses.push(lineAt(file, node.getStart(file)))
    if (isAssertedLookUp(node)) source.assertedLookUps.push(lineAt(file, node.getStart(file)))
    if (ast.isNewExpression(node) && node.expression.getText(file) === 'Fault')
      source.faults.push(faultOf(file, node))
    node.forEachChild(visit)
  }

  visit(file)

  return source
}

function importOf(path: string, node: ast.Node): Import | undefined {
  if (ast.isImportDeclaration(node)) {
    const clause = node.importClause
    const bindings = clause?.namedBindings
    const named = bindings && ast.isNamedImports(bindings) ? [...bindings.elements] : []
    const all = named.length > 0 && named.every(element => element.isTypeOnly)
    const type = clause?.phaseModifier === ast.SyntaxKind.TypeKeyword || all

    return {
      to: target(path, node.moduleSpecifier),
      type,
      names: named.map(element => (element.propertyName ?? element.name).text),
    }
  }

  if (ast.isExportDeclaration(node) && node.moduleSpecifier) {
    return { to: target(path, node.moduleSpecifier), type: node.isTypeOnly, names: [] }
  }
  if (ast.isCallExpression(node) && node.expression.kind === ast.SyntaxKind.ImportKeyword) {
    return { to: target(path, node.arguments[0]!), type: false, names: [] }
  }

  return undefined
}

function target(path: string, specifier: ast.Node): string {
  const name = ast.isStringLiteral(specifier) ? specifier.text : '(computed)'
  return name.startsWith('.') ? normalize(join(dirname(path), name)).replaceAll('\\', '/') : name
}

type FunctionNode =
  | ast.ArrowFunction
  | ast.FunctionDeclaration
  | ast.FunctionExpression
  | ast.MethodDeclaration
  | ast.ConstructorDeclaration
  | ast.GetAccessorDeclaration

const isFunction = (node: ast.Node): node is FunctionNode =>
  ast.isArrowFunction(node) ||
  ast.isFunctionDeclaration(node) ||
  ast.isFunctionExpression(node) ||
  ast.isMethodDeclaration(node) ||
  ast.isConstructorDeclaration(node) ||
  ast.isGetAccessorDeclaration(node)

function functionOf(file: ast.SourceFile, node: FunctionNode): SourceFunction {
  const start = lineAt(file, node.getStart(file))
  const named = 'name' in node && node.name ? node.name : (node.parent as { name?: ast.Node }).name
  return {
    name: named?.getText(file) ?? '',
    line: start,
    lines: linesOfCode(node.getText(file)),
    through: handsOn(file, node),
    complexity: complexityOf(node),
    blockArrow: isBlockArrow(node),
  }
}

/** Returns the number of lines that are neither blank nor part of a comment of whole lines. */
const linesOfCode = (text: string): number =>
  text
    .replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
    .split('\n')
    .filter(line => !/^\s*(?:\/\/|$)/.test(line)).length

const lineAt = (file: ast.SourceFile, position: number): number =>
  file.text.slice(0, position).split('\n').length

/**
 * True for `JSON.parse`, unless `as` gives the result of the call a type, or the call is a
 * statement.
 */
function isUntypedParse(file: ast.SourceFile, node: ast.Node): boolean {
  if (!ast.isPropertyAccessExpression(node) || node.getText(file) !== 'JSON.parse') return false
  const call = node.parent
  if (!ast.isCallExpression(call) || call.expression !== node) return true
  return !ast.isAsExpression(call.parent) && !ast.isExpressionStatement(call.parent)
}

function faultOf(file: ast.SourceFile, node: ast.NewExpression): SourceFault {
  const [reason, message] = node.arguments ?? []
  return {
    line: lineAt(file, node.getStart(file)),
    reasons: reason ? textsIn(file, reason) : [],
    sentences: message ? textsIn(file, message) : [],
  }
}

/** Returns the texts that an expression may be; a name in braces if it is not written there. */
function textsIn(file: ast.SourceFile, node: ast.Expression): string[] {
  if (ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (ast.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].flatMap(each => textsIn(file, each))
  if (ast.isTemplateExpression(node))
    return [
      [node.head, ...node.templateSpans.map(span => span.literal)]
        .map(({ text }) => text)
        .join('…'),
    ]
  return [`{${node.getText(file).replace(/\s+/g, ' ')}}`]
}

function isAssertedLookUp(node: ast.Node): boolean {
  if (!ast.isNonNullExpression(node) || !ast.isCallExpression(node.expression)) return false
  const { expression: called } = node.expression
  return ast.isPropertyAccessExpression(called) && /^(?:get|find|findLast)$/.test(called.name.text)
}

function isBlockArrow(node: FunctionNode): boolean {
  const declaration = node.parent
  const atTop = declaration?.parent?.parent?.parent
  return (
    ast.isArrowFunction(node) &&
    ast.isBlock(node.body) &&
    ast.isVariableDeclaration(declaration) &&
    declaration.type === undefined &&
    atTop !== undefined &&
    ast.isSourceFile(atTop)
  )
}

const branches = new Set([
  ast.SyntaxKind.IfStatement,
  ast.SyntaxKind.ConditionalExpression,
  ast.SyntaxKind.ForStatement,
  ast.SyntaxKind.ForInStatement,
  ast.SyntaxKind.ForOfStatement,
  ast.SyntaxKind.WhileStatement,
  ast.SyntaxKind.DoStatement,
  ast.SyntaxKind.CaseClause,
  ast.SyntaxKind.CatchClause,
])
const shortCircuits = new Set([
  ast.SyntaxKind.AmpersandAmpersandToken,
  ast.SyntaxKind.BarBarToken,
  ast.SyntaxKind.QuestionQuestionToken,
])

/** Returns the number of independent paths through a function: 1, and 1 for each branch. */
function complexityOf(node: FunctionNode): number {
  let paths = 1
  const visit = (child: ast.Node): void => {
    if (isFunction(child)) return
    if (branches.has(child.kind)) paths++
    if (ast.isBinaryExpression(child) && shortCircuits.has(child.operatorToken.kind)) paths++
    child.forEachChild(visit)
  }

  node.forEachChild(visit)

  return paths
}

/** True for `(a, b) => call(a, b)`: a second name for an existing function. */
function handsOn(file: ast.SourceFile, node: FunctionNode): boolean {
  const parameters = node.parameters.map(parameter =>
    parameter.getText(file).split(/[?:=]/, 1)[0]!.trim(),
  )
  if (parameters.length === 0) return false
  const body = node.body && ast.isBlock(node.body) ? onlyReturn(node.body) : node.body
  const call = body && ast.isAwaitExpression(body) ? body.expression : body
  if (!call || !ast.isCallExpression(call) || !ast.isIdentifier(call.expression)) return false

  const given = call.arguments.map(argument => argument.getText(file))

  return (
    given.length === parameters.length && given.every((text, index) => text === parameters[index])
  )
}

function onlyReturn(block: ast.Block): ast.Node | undefined {
  const [first, second] = block.statements
  if (!first || second) return undefined
  return ast.isReturnStatement(first) || ast.isExpressionStatement(first)
    ? first.expression
    : undefined
}
