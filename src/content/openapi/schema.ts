import type { Callable } from './call.ts'
import { shortJson } from './json.ts'
import {
  choicesOf,
  type Flattened,
  firstValue,
  flattenAllOf,
  hasBelow,
  partsWithBelow,
  propertiesOf,
  typesOf,
} from './schema-parts.ts'
import { asSentence, code, lineMarkdown, lostText, words } from './text.ts'
import { clip, follow, isObject, listIn, nameOfRef, ownIn, textIn } from './value.ts'

export type HrefOfSchema = (name: string) => string | undefined

/**
 * The state of a piece that is being written: its remaining budget, and caches shared by all
 * pieces.
 */
export type PieceState = {
  document: unknown
  /** Returns the address of the page of a schema, by its name; undefined without such a page. */
  hrefOfSchema?: HrefOfSchema | undefined
  /** How many levels of a schema are written out. */
  depth: number
  /** Schemas read before, by their reference or by the schema as written. */
  summaries: Map<unknown, SchemaSummary>
  /** Text made of schemas before: the lines below them, and examples. */
  made: SchemaCache
  /** How many properties and choices may still be written. */
  nodes: number
  /** How many of them this piece had at its start. */
  share: number
  /** How many characters may still be written. */
  chars: number
  /** Something was left out. */
  cut: boolean
  /** The call of an operation, and its example as it is written. */
  call?: (Callable & { sample: string }) | undefined
}

/** Lines by the target of a schema's reference; examples by side, size and reference. */
type SchemaCache = { lines: Map<unknown, Lines>; examples: Map<string, string> }

type Lines = { lines: readonly string[]; depth: number; from: string; nodes: number; chars: number }

/**
 * Limits: levels of nesting, choices of one schema, allowed values, characters of a description.
 */
export const deepest = 10
const mostChoices = 100
const mostValues = 40
const mostWords = 2_000

/** A schema as written, and the target of its reference with all parts. */
type ResolvedSchema = Flattened & { ref?: string | undefined; written: unknown; never?: boolean }

/** A schema and its text, computed once for all places that use the schema. */
type SchemaSummary = ResolvedSchema & {
  label: string
  /** Its description and the rules for its values, on one line. */
  words: string
  /** Returns whether it has properties, choices or items. */
  below: boolean
  children?: readonly Child[]
}

function resolveSchema(document: unknown, written: unknown): ResolvedSchema {
  if (written === false) return { parts: [], lost: [], written, never: true }
  const { value, ref, lost } = follow(document, written)
  if (lost !== undefined) return { parts: [], lost: [lost], written }
  return { ...flattenAllOf(document, value), ref: ref ?? wrappedRef(document, value), written }
}

/**
 * Returns the reference of a schema that only adds words to another one, as `allOf` with one
 * reference does; undefined for others.
 */
function wrappedRef(document: unknown, schema: unknown): string | undefined {
  const all = listIn(ownIn(schema, 'allOf'))
  if (all.length !== 1 || hasBelow([schema])) return undefined
  return follow(document, all[0]).ref
}

/**
 * Returns the `$ref` of a schema that has no other keys, which means the same everywhere; undefined
 * for others.
 */
export function bareRef(written: unknown): string | undefined {
  if (!isObject(written)) return undefined
  const ref = ownIn(written, '$ref')
  if (typeof ref !== 'string') return undefined
  for (const name in written) if (name !== '$ref') return undefined
  return ref
}

function summarize(state: PieceState, written: unknown): SchemaSummary {
  const key = bareRef(written) ?? written
  const known = state.summaries.get(key)
  if (known) return known

  const resolved = resolveSchema(state.document, written)
  const made: SchemaSummary = {
    ...resolved,
    label: labelOf(state, resolved),
    words: [descriptionOf(resolved), ...rulesText(resolved.parts)]
      .filter(part => part !== '')
      .join(' '),
    below: hasBelow(resolved.parts),
  }

  state.summaries.set(key, made)

  return made
}

/** Returns the kind of value that a schema takes, in a few words of Markdown. */
export const typeText = (state: PieceState, written: unknown): string =>
  summarize(state, written).label

type Labelling = Pick<PieceState, 'document' | 'hrefOfSchema'>

function labelOf(state: Labelling, resolved: ResolvedSchema, depth = 0): string {
  const { parts, ref, lost, never } = resolved
  if (never) return 'nothing'
  if (parts.length === 0 && lost.length > 0) return lostText(lost[0]!)
  const name = ref === undefined ? '' : schemaName(state, ref)
  const kind = kindOf(state, parts, depth)
  if (name === '') return kind || 'any value'
  return kind === '' || kind === 'object' ? name : `${name}, ${kind}`
}

const schemaPrefix = '#/components/schemas/'

/** Returns the name of a schema, as a link if the schema has a page. */
function schemaName({ hrefOfSchema }: Labelling, ref: string): string {
  const name = nameOfRef(ref)
  const href = ref.startsWith(schemaPrefix) ? hrefOfSchema?.(name) : undefined
  const shown = code(clip(name, 100))
  return href === undefined ? shown : `[${shown}](${href})`
}

function kindOf(state: Labelling, parts: readonly unknown[], depth: number): string {
  const fixed = firstValue(parts, 'const')
  if (fixed !== undefined) return `always ${code(shortJson(fixed))}`
  const types = typesOf(parts)
  const format = firstValue(parts, 'format')
  const names = types.map(type => {
    if (type === 'array') return arrayText(state, parts, depth)
    const known = /^\w+$/.test(type) ? type : code(type)
    return typeof format === 'string' && type !== 'null' && format !== ''
      ? `${known} (${words(clip(format, 50))})`
      : known
  })
  if (names.length > 0) return names.join(' or ')
  if (choicesOf(parts).length === 0) return ''

  return listIn(firstValue(parts, 'oneOf')).length > 0 ? 'one of' : 'any of'
}

function arrayText(state: Labelling, parts: readonly unknown[], depth: number): string {
  const items = firstValue(parts, 'items')
  if (items === undefined || depth > 3) return 'array'
  const inner = labelOf(state, resolveSchema(state.document, items), depth + 1)
  return inner === 'any value' ? 'array' : `array of ${inner}`
}

/** Returns a schema's rules for values besides their type, as sentences of Markdown. */
export function rulesText(parts: readonly unknown[]): string[] {
  const rules: string[] = []
  const values = listIn(firstValue(parts, 'enum'))
  if (values.length > 0) {
    const shown = values.slice(0, mostValues).map(value => code(shortJson(value)))
    const more = values.length > mostValues ? ` and ${values.length - mostValues} more` : ''
    rules.push(`Allowed: ${shown.join(', ')}${more}.`)
  }

  const rule = (label: string, name: string) => {
    const value = firstValue(parts, name)
    const isPlain =
      typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    if (isPlain) rules.push(`${label}: ${code(shortJson(value))}.`)
  }
  const standard = firstValue(parts, 'default')
  if (standard !== undefined) rules.push(`Default: ${code(shortJson(standard))}.`)
  rule('At least', 'minimum')
  rule('At most', 'maximum')
  rule('More than', 'exclusiveMinimum')
  rule('Less than', 'exclusiveMaximum')
  rule('Multiple of', 'multipleOf')
  rule('Min length', 'minLength')
  rule('Max length', 'maxLength')
  rule('Min items', 'minItems')
  rule('Max items', 'maxItems')
  rule('Pattern', 'pattern')
  const discriminator = textIn(firstValue(parts, 'discriminator'), 'propertyName')
  if (discriminator) rules.push(`Discriminator: ${code(discriminator)}.`)

  return rules
}

type Child = { name: string; schema: unknown; required?: boolean }

/**
 * Returns the children of a schema: its properties, additional properties and choices, or else its
 * items.
 */
function childrenOf(state: PieceState, { parts }: ResolvedSchema): Child[] {
  const { properties, required } = propertiesOf(parts)
  const children: Child[] = []
  for (const [name, schema] of properties)
    children.push({
      name: code(clip(name, 200)) || '(empty name)',
      schema,
      required: required.has(name),
    })

  const other = firstValue(parts, 'additionalProperties')
  if (isObject(other)) children.push({ name: 'any other name', schema: other })
  for (const [at, schema] of choicesOf(parts).slice(0, mostChoices).entries())
    children.push({ name: `choice ${at + 1}${kindOfChoice(state, schema)}`, schema })

  for (const [at, schema] of listIn(firstValue(parts, 'prefixItems'))
    .slice(0, mostChoices)
    .entries())
    children.push({ name: `item ${at + 1}`, schema })

  const items = firstValue(parts, 'items')
  if (items === undefined || children.length > 0) return children

  const { below, words } = summarize(state, items)

  return below || words !== '' ? [{ name: 'each', schema: items }] : []
}

/**
 * Returns the fixed text that tells an inline choice from the others, such as the value of its
 * `type`, in brackets; '' if it has none. A choice with a name needs none.
 */
function kindOfChoice(state: PieceState, schema: unknown): string {
  const { parts, ref } = summarize(state, schema)
  if (ref !== undefined) return ''
  const { properties } = propertiesOf(parts)
  for (const property of properties.values()) {
    const value = ownIn(follow(state.document, property).value, 'const')
    if (typeof value === 'string' && value !== '') return ` (${code(clip(value, 50))})`
  }
  return ''
}

/**
 * Returns the description beside the reference, or else that of the schema, as one line that ends a
 * sentence.
 */
function descriptionOf({ parts, written }: ResolvedSchema): string {
  const text = textIn(written, 'description', mostWords) || firstValue(parts, 'description')
  if (typeof text !== 'string' || text.trim() === '') return ''
  return asSentence(lineMarkdown(clip(text, mostWords)))
}

/**
 * Returns the children of a schema as the lines of a nested list. `ref` is the reference to the
 * schema when `written` is the target of the reference.
 */
export function schemaLines(state: PieceState, written: unknown, ref?: string): string[] {
  const lines: string[] = []
  const top = summarize(state, written)
  for (const ref of top.parts.length > 0 ? top.lost : []) lines.push(`- ${lostText(ref)}`)
  lines.push(...linesBelow(state, top, ref ?? top.ref ?? ''))
  return lines
}

/**
 * Returns the lines below the target of the reference `from`. Reuses the lines of an earlier piece
 * where they fit.
 */
function linesBelow(state: PieceState, top: SchemaSummary, from: string): readonly string[] {
  const key = top.parts[0]
  const known = state.made.lines.get(key)
  const isSame = known?.depth === state.depth && known.from === from

  if (isSame && known.nodes <= state.nodes && known.chars < state.chars) {
    state.nodes -= known.nodes
    state.chars -= known.chars
    return known.lines
  }

  const lines: string[] = []
  const { nodes, chars, depth, cut } = state

  state.cut = false
  const trail: Trail = { refs: new Set([from]), parts: new Set(partsWithBelow(top.parts)) }
  writeChildren(state, top, lines, 0, trail)

  if (!state.cut && key !== undefined) {
    const took = { nodes: nodes - state.nodes, chars: chars - state.chars }
    state.made.lines.set(key, { lines, depth, from, ...took })
  }

  state.cut ||= cut

  return lines
}

/**
 * What a list of lines has expanded: all references so far, each of which is expanded once, and the
 * parts of the schemas around the current line. A schema can contain itself under another reference.
 */
type Trail = { refs: Set<string>; parts: Set<unknown> }

/** Returns whether a schema was expanded above and is only named here. */
function isExpanded({ below, ref, parts }: SchemaSummary, above: Trail): boolean {
  if (!below) return false
  if (ref !== undefined && above.refs.has(ref)) return true
  const own = partsWithBelow(parts)
  return own.length > 0 && own.every(part => above.parts.has(part))
}

/** Writes the lines below a schema. */
function writeChildren(
  state: PieceState,
  parent: SchemaSummary,
  lines: string[],
  level: number,
  above: Trail,
): void {
  if (!parent.below) return

  if (level >= state.depth) {
    state.cut = true
    return
  }

  parent.children ??= childrenOf(state, parent)

  for (const child of parent.children) {
    if (state.nodes-- <= 0 || state.chars <= 0) {
      state.cut = true
      return
    }

    const below = summarize(state, child.schema)
    const known = isExpanded(below, above)
    const line = `${'  '.repeat(level)}- ${lineOf(child, below, known)}`

    state.chars -= line.length
    lines.push(line)
    if (known || !below.below) continue
    if (below.ref !== undefined) above.refs.add(below.ref)
    const own = partsWithBelow(below.parts).filter(part => !above.parts.has(part))
    for (const part of own) above.parts.add(part)
    writeChildren(state, below, lines, level + 1, above)
    for (const part of own) above.parts.delete(part)
  }
}

function lineOf(
  child: Child,
  { parts, written, label, words }: SchemaSummary,
  known: boolean,
): string {
  const flags = [
    label,
    ...(child.required ? ['required'] : []),
    ...(firstValue(parts, 'readOnly') === true ? ['read only'] : []),
    ...(firstValue(parts, 'writeOnly') === true ? ['write only'] : []),
    ...(firstValue(parts, 'deprecated') === true || ownIn(written, 'deprecated') === true
      ? ['deprecated']
      : []),
    ...(known ? ['as above'] : []),
  ]
  return `${child.name}: ${flags.join(', ')}${words === '' ? '' : ` — ${words}`}`
}

/** Returns the type of a schema and the rules for its values, as one line. */
export function headLine(state: PieceState, written: unknown): string {
  const { parts, label } = summarize(state, written)
  return [`Type: ${label}.`, ...rulesText(parts)].join(' ')
}
