import { type AnyNode, Parser, tokTypes } from 'acorn'
import { expressionFault } from './budget.ts'
import { arityOf, namesOf, takesFunction } from './methods.ts'

/** The maximum length of an expression in characters. */
export const mostCharacters = 1024
const deepest = 64

/** The key of a value that is spread into a record. */
export const spread = Symbol('spread')

/**
 * A node of a parsed expression; there are no other kinds. `at` is the offset at which it begins.
 */
export type Part = { at: number } & (
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'name'; name: string }
  | { kind: 'template'; texts: string[]; parts: Part[] }
  | { kind: 'list'; items: { of: Part; spread: boolean }[] }
  | { kind: 'record'; entries: { key: string | typeof spread; value: Part }[] }
  | { kind: 'member'; of: Part; key: Part; optional: boolean }
  | { kind: 'call'; of: Part; method: string; optional: boolean; given: Part[] }
  | {
      kind: 'each'
      of: Part
      method: string
      optional: boolean
      names: string[]
      body: Part
      given: Part[]
    }
  | { kind: 'chain'; of: Part }
  | { kind: 'unary'; operator: string; of: Part }
  | { kind: 'binary'; operator: string; left: Part; right: Part }
  | { kind: 'logical'; operator: string; left: Part; right: Part }
  | { kind: 'choice'; test: Part; met: Part; unmet: Part }
  | { kind: 'sequence'; parts: Part[] }
)

/** A name that an expression takes from its scope, with its offset. */
type FreeName = { name: string; at: number }

export type Expression = { root: Part; freeNames: readonly FreeName[] }

/**
 * The context of a part: its depth, the parameters in scope, and the list of free names found so
 * far.
 */
type Around = { depth: number; bound: readonly string[]; free: FreeName[] }

type Given<T extends AnyNode['type']> = Extract<AnyNode, { type: T }>
type Readers = { [T in AnyNode['type']]?: (node: Given<T>, around: Around) => Part }

/**
 * Parses one expression in a subset of JavaScript: literals, templates, lists, records, own
 * members, operators without side effects, and calls of the methods listed in `methods.ts`. Throws
 * 'invalid', with `detail.position`, for everything else and for expressions that are too long or
 * nested too deeply.
 */
export function parseExpression(text: string): Expression {
  if (text.length > mostCharacters) {
    throw expressionFault(
      `An expression can have at most ${mostCharacters} characters`,
      mostCharacters,
    )
  }

  if (text.trim() === '') throw expressionFault('The expression is empty', 0)
  const free: FreeName[] = []
  const root = read(readSyntax(text), { depth: 0, bound: [], free })
  return { root, freeNames: free }
}

/**
 * The parser, which rejects a regular expression at its first character, before its pattern is
 * parsed.
 */
const Syntax = Parser.extend(
  Base =>
    class extends Base {
      readRegexp(): never {
        const { start } = this as unknown as { start: number }
        throw expressionFault('An expression cannot contain a regular expression', start)
      }
    } as typeof Parser,
)

function readSyntax(text: string): AnyNode {
  const options = { ecmaVersion: 2022, sourceType: 'module', preserveParens: true } as const
  let from = 0
  try {
    const node = Syntax.parseExpressionAt(text, 0, options)
    from = node.end
    const rest = Syntax.tokenizer(text.slice(from), options)
    const next = rest.getToken()
    if (next.type !== tokTypes.eof) {
      throw expressionFault('Unexpected text after the expression', from + next.start)
    }
    return node as AnyNode
  } catch (error) {
    // The parser recurses as deep as the text nests. It reports a stack overflow as a syntax error,
    // at a depth that depends on the stack of the caller.
    if (error instanceof RangeError || /stack space/.test(String(error))) throw tooDeep(0)
    if (!(error instanceof SyntaxError)) throw error
    const { pos = 0 } = error as { pos?: number }
    throw expressionFault(error.message.replace(/ \(\d+:\d+\)$/, ''), from + pos)
  }
}

const tooDeep = (at: number) =>
  expressionFault(`An expression can be nested at most ${deepest} levels deep`, at)
const cannot = (what: string, { start }: AnyNode) =>
  expressionFault(`An expression cannot contain ${what}`, start)

function read(node: AnyNode, around: Around): Part {
  if (around.depth >= deepest) throw tooDeep(node.start)
  const reader = readers[node.type] as ((node: AnyNode, around: Around) => Part) | undefined
  if (!reader) throw cannot(others[node.type] ?? 'this', node)
  return reader(node, { ...around, depth: around.depth + 1 })
}

const unaries = new Set(['!', '-', '+', '~', 'typeof', 'void'])
const binaries = new Set('== != === !== < <= > >= in + - * / % ** & | ^ << >> >>>'.split(' '))

const readers: Readers = {
  Literal(node) {
    const { value, start } = node
    if (typeof value === 'bigint') throw cannot('a number that ends in "n"', node)
    return { kind: 'literal', value: value as string | number | boolean | null, at: start }
  },
  Identifier({ name, start }, { bound, free }) {
    if (name !== 'undefined' && !bound.includes(name)) free.push({ name, at: start })
    return { kind: 'name', name, at: start }
  },
  TemplateLiteral: ({ quasis, expressions, start }, around) => ({
    kind: 'template',
    texts: quasis.map(({ value }) => value.cooked ?? ''),
    parts: readAll(expressions, around),
    at: start,
  }),
  ArrayExpression(node, around) {
    const items = node.elements.map(item => {
      if (!item) throw cannot('a list with a gap', node)
      const isSpread = item.type === 'SpreadElement'
      return { of: read(isSpread ? item.argument : item, around), spread: isSpread }
    })
    return { kind: 'list', items, at: node.start }
  },
  ObjectExpression: ({ properties, start }, around) => ({
    kind: 'record',
    entries: properties.map(entry => readEntry(entry, around)),
    at: start,
  }),
  ParenthesizedExpression: ({ expression }, around) => read(expression, around),
  ChainExpression: ({ expression, start }, around) => ({
    kind: 'chain',
    of: read(expression, around),
    at: start,
  }),
  MemberExpression: ({ object, property, computed, optional, start }, around) => ({
    kind: 'member',
    of: read(object, around),
    key:
      !computed && property.type === 'Identifier'
        ? { kind: 'literal', value: property.name, at: property.start }
        : read(property, around),
    optional,
    at: start,
  }),
  CallExpression: readCall,
  UnaryExpression(node, around) {
    const { operator, argument, start } = node
    if (!unaries.has(operator)) throw cannot(`"${operator}"`, node)
    return { kind: 'unary', operator, of: read(argument, around), at: start }
  },
  BinaryExpression(node, around) {
    const { operator, left, right, start } = node
    if (!binaries.has(operator)) throw cannot(`"${operator}"`, node)
    return {
      kind: 'binary',
      operator,
      left: read(left, around),
      right: read(right, around),
      at: start,
    }
  },
  LogicalExpression: ({ operator, left, right, start }, around) => ({
    kind: 'logical',
    operator,
    left: read(left, around),
    right: read(right, around),
    at: start,
  }),
  ConditionalExpression: ({ test, consequent, alternate, start }, around) => ({
    kind: 'choice',
    test: read(test, around),
    met: read(consequent, around),
    unmet: read(alternate, around),
    at: start,
  }),
  SequenceExpression: ({ expressions, start }, around) => ({
    kind: 'sequence',
    parts: readAll(expressions, around),
    at: start,
  }),
}

/** The names of unsupported syntax for messages. */
const others: { [T in AnyNode['type']]?: string } = {
  ArrowFunctionExpression: 'a function, except in a call such as "some"',
  AssignmentExpression: 'an assignment',
  AwaitExpression: '"await"',
  ClassExpression: 'a class',
  FunctionExpression: 'a function, except in a call such as "some"',
  ImportExpression: '"import"',
  MetaProperty: '"import"',
  NewExpression: '"new"',
  PrivateIdentifier: 'a private name',
  SpreadElement: '"...", except in a list or a record',
  TaggedTemplateExpression: 'a template with a tag',
  ThisExpression: '"this"',
  UpdateExpression: '"++" or "--"',
}

const readAll = (nodes: readonly AnyNode[], around: Around): Part[] =>
  nodes.map(node => read(node, around))

function readEntry(node: AnyNode, around: Around): { key: string | typeof spread; value: Part } {
  if (node.type === 'SpreadElement') return { key: spread, value: read(node.argument, around) }
  if (node.type !== 'Property') throw cannot('this', node)
  const { key, computed, kind, method } = node
  if (computed || kind !== 'init' || method)
    throw cannot('a record with anything other than names and values', node)
  if (key.type === 'Identifier') return { key: key.name, value: read(node.value, around) }
  if (key.type === 'Literal' && (typeof key.value === 'string' || typeof key.value === 'number')) {
    return { key: String(key.value), value: read(node.value, around) }
  }
  throw cannot('a record with anything other than names and values', node)
}

function readCall(node: Given<'CallExpression'>, around: Around): Part {
  const { callee, start: at } = node
  if (
    callee.type !== 'MemberExpression' ||
    callee.computed ||
    callee.property.type !== 'Identifier'
  ) {
    throw cannot('a call of anything other than a named method', node)
  }

  const { name: method, start } = callee.property
  if (node.optional)
    throw cannot('"?." before the arguments of a call: write it before the method name', node)

  const arity = arityOf(method)
  if (!arity) throw expressionFault(`There is no method "${method}"`, start)

  const count = node.arguments.length

  if (count < arity[0] || count > arity[1]) {
    const wanted = arity[0] === arity[1] ? `${arity[0]}` : `${arity[0]} to ${arity[1]}`
    throw expressionFault(`"${method}" takes ${wanted} arguments, not ${count}`, start)
  }

  const of = read(callee.object, around)
  const { optional } = callee
  const [first, ...others] = node.arguments
  if (!first || !takesFunction(method)) {
    return { kind: 'call', of, method, optional, given: readAll(node.arguments, around), at }
  }

  const given = readAll(others, around)

  return { kind: 'each', of, method, optional, given, ...readFunction(first, method, around), at }
}

function readFunction(
  node: AnyNode,
  method: string,
  around: Around,
): { names: string[]; body: Part } {
  if (
    node.type !== 'ArrowFunctionExpression' ||
    node.async ||
    node.body.type === 'BlockStatement'
  ) {
    throw expressionFault(`"${method}" takes a function such as "x => x.id"`, node.start)
  }

  const names = node.params.map(param => {
    if (param.type !== 'Identifier')
      throw cannot('a function with parameters other than plain names', param)
    return param.name
  })
  if (names.length > namesOf(method))
    throw cannot('a function with more parameters than the item and its index', node)

  return { names, body: read(node.body, { ...around, bound: [...around.bound, ...names] }) }
}
