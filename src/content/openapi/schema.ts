import { shortJson } from './json.ts'
import { choicesOf, type Merged, merge, propertiesOf, said, typesOf } from './schema-parts.ts'
import { asSentence, code, lineMarkdown, words } from './text.ts'
import { clip, follow, isObject, listIn, nameOfRef, objectIn, ownIn, textIn } from './value.ts'

/** What a piece may still hold, and how deep it goes. */
export type Writing = {
  document: unknown
  /** How many levels of a schema are written out. */
  depth: number
  /** What was read of schemas before, by the schema as it is written. */
  looks: Map<unknown, Look>
  /** What was made of schemas before: what stands below them, and examples. */
  made: Made
  /** How many properties and choices may still be written. */
  nodes: number
  /** How many of them this piece had. */
  share: number
  /** How many characters may still be written. */
  chars: number
  /** Something was left out. */
  cut: boolean
}

/** By what the reference to a schema leads to: its lines, and what they took; by reference and side: its example. */
export type Made = { lines: Map<unknown, Lines>; examples: Map<string, string> }

type Lines = { lines: readonly string[]; depth: number; from: string; nodes: number; chars: number }

/** Deepest nesting, most of the choices of one schema, most of its allowed values. */
export const deepest = 10
const mostChoices = 100
const mostValues = 40
const mostWords = 2_000

/** A schema as it is written: what its reference leads to, with all parts. */
type Opened = Merged & { ref?: string | undefined; written: unknown; never?: boolean }

/** A schema, and what is written of it: worked out once, however many places it is written in. */
type Look = Opened & {
  label: string
  /** What it says of itself and of its values, on one line. */
  words: string
  /** Whether anything stands below it. */
  below: boolean
  children?: readonly Child[]
}

function open(document: unknown, written: unknown): Opened {
  if (written === false) return { parts: [], lost: [], written, never: true }
  const { value, ref, lost } = follow(document, written)
  if (lost !== undefined) return { parts: [], lost: [lost], written }
  return { ...merge(document, value), ref, written }
}

/** A reference that says nothing of its own is the same wherever it is written. */
export function bareRef(written: unknown): string | undefined {
  if (!isObject(written)) return undefined
  const ref = ownIn(written, '$ref')
  if (typeof ref !== 'string') return undefined
  for (const name in written) if (name !== '$ref') return undefined
  return ref
}

function look(writing: Writing, written: unknown): Look {
  const key = bareRef(written) ?? written
  const known = writing.looks.get(key)
  if (known) return known
  const opened = open(writing.document, written)
  const made: Look = {
    ...opened,
    label: labelOf(writing.document, opened),
    words: [descriptionOf(opened), ...rulesText(opened.parts)].filter(part => part !== '').join(' '),
    below: hasBelow(opened),
  }
  writing.looks.set(key, made)
  return made
}

/** What kind of value a schema takes, in a few words of Markdown. */
export const typeText = (writing: Writing, written: unknown): string => look(writing, written).label

function labelOf(document: unknown, opened: Opened, depth = 0): string {
  const { parts, ref, lost, never } = opened
  if (never) return 'nothing'
  if (parts.length === 0 && lost.length > 0) return `${code(clip(lost[0]!, 200))} (not found)`
  const name = ref === undefined ? '' : code(clip(nameOfRef(ref), 100))
  const kind = kindOf(document, parts, depth)
  if (name === '') return kind || 'any value'
  return kind === '' || kind === 'object' ? name : `${name}, ${kind}`
}

function kindOf(document: unknown, parts: readonly unknown[], depth: number): string {
  const fixed = said(parts, 'const')
  if (fixed !== undefined) return `always ${code(shortJson(fixed))}`
  const types = typesOf(parts)
  const format = said(parts, 'format')
  const names = types.map(type => {
    if (type === 'array') return arrayText(document, parts, depth)
    const known = /^\w+$/.test(type) ? type : code(type)
    return typeof format === 'string' && type !== 'null' && format !== ''
      ? `${known} (${words(clip(format, 50))})`
      : known
  })
  if (names.length > 0) return names.join(' or ')
  if (choicesOf(parts).length === 0) return ''
  return listIn(said(parts, 'oneOf')).length > 0 ? 'one of' : 'any of'
}

function arrayText(document: unknown, parts: readonly unknown[], depth: number): string {
  const items = said(parts, 'items')
  if (items === undefined || depth > 3) return 'array'
  const inner = labelOf(document, open(document, items), depth + 1)
  return inner === 'any value' ? 'array' : `array of ${inner}`
}

/** What a schema says of its values besides their type, as sentences of Markdown. */
export function rulesText(parts: readonly unknown[]): string[] {
  const rules: string[] = []
  const values = listIn(said(parts, 'enum'))
  if (values.length > 0) {
    const shown = values.slice(0, mostValues).map(value => code(shortJson(value)))
    const more = values.length > mostValues ? ` and ${values.length - mostValues} more` : ''
    rules.push(`Allowed: ${shown.join(', ')}${more}.`)
  }
  const rule = (label: string, name: string) => {
    const value = said(parts, name)
    const isPlain = typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    if (isPlain) rules.push(`${label}: ${code(shortJson(value))}.`)
  }
  const standard = said(parts, 'default')
  if (standard !== undefined) rules.push(`Default: ${code(shortJson(standard))}.`)
  rule('At least', 'minimum')
  rule('At most', 'maximum')
  rule('More than', 'exclusiveMinimum')
  rule('Less than', 'exclusiveMaximum')
  rule('Multiple of', 'multipleOf')
  rule('Shortest', 'minLength')
  rule('Longest', 'maxLength')
  rule('Fewest', 'minItems')
  rule('Most', 'maxItems')
  rule('Pattern', 'pattern')
  const discriminator = textIn(said(parts, 'discriminator'), 'propertyName')
  if (discriminator) rules.push(`Told apart by ${code(discriminator)}.`)
  return rules
}

type Child = { name: string; schema: unknown; required?: boolean }

/** What stands below a schema: its properties, its other keys, its choices, or those of its items. */
function childrenOf(writing: Writing, { parts }: Opened): Child[] {
  const { properties, required } = propertiesOf(parts)
  const children: Child[] = []
  for (const [name, schema] of properties)
    children.push({ name: code(clip(name, 200)) || '(empty name)', schema, required: required.has(name) })
  const other = said(parts, 'additionalProperties')
  if (isObject(other)) children.push({ name: 'any other name', schema: other })
  for (const [at, schema] of choicesOf(parts).slice(0, mostChoices).entries())
    children.push({ name: `choice ${at + 1}`, schema })
  for (const [at, schema] of listIn(said(parts, 'prefixItems')).slice(0, mostChoices).entries())
    children.push({ name: `item ${at + 1}`, schema })
  const items = said(parts, 'items')
  if (items === undefined || children.length > 0) return children
  const { below, words } = look(writing, items)
  return below || words !== '' ? [{ name: 'each', schema: items }] : []
}

const hasBelow = ({ parts }: Opened): boolean =>
  parts.some(part => Object.keys(objectIn(ownIn(part, 'properties'))).length > 0) ||
  choicesOf(parts).length > 0 ||
  isObject(said(parts, 'additionalProperties')) ||
  said(parts, 'prefixItems') !== undefined ||
  said(parts, 'items') !== undefined

/** What a schema and its reference say in words, on one line that ends a sentence. */
function descriptionOf({ parts, written }: Opened): string {
  const text = textIn(written, 'description', mostWords) || said(parts, 'description')
  if (typeof text !== 'string' || text.trim() === '') return ''
  return asSentence(lineMarkdown(clip(text, mostWords)))
}

/**
 * The lines of a list of what stands below a schema; its first level is not indented. `ref` is the reference that leads
 * to it, when it is written where that leads.
 */
export function schemaLines(writing: Writing, written: unknown, ref?: string): string[] {
  const lines: string[] = []
  const top = look(writing, written)
  for (const ref of top.parts.length > 0 ? top.lost : []) lines.push(`- ${code(clip(ref, 200))} (not found)`)
  lines.push(...linesBelow(writing, top, ref ?? top.ref ?? ''))
  return lines
}

/** The lines of what stands below a schema to which the reference `from` leads: the same ones again, where they fit. */
function linesBelow(writing: Writing, top: Look, from: string): readonly string[] {
  const key = top.parts[0]
  const known = writing.made.lines.get(key)
  const isSame = known?.depth === writing.depth && known.from === from
  if (isSame && known.nodes <= writing.nodes && known.chars < writing.chars) {
    writing.nodes -= known.nodes
    writing.chars -= known.chars
    return known.lines
  }
  const lines: string[] = []
  const { nodes, chars, depth, cut } = writing
  writing.cut = false
  writeChildren(writing, top, lines, 0, new Set([from]))
  if (!writing.cut && key !== undefined) {
    const took = { nodes: nodes - writing.nodes, chars: chars - writing.chars }
    writing.made.lines.set(key, { lines, depth, from, ...took })
  }
  writing.cut ||= cut
  return lines
}

/** `above` has the references that this list has followed: what it has written once it does not write again. */
function writeChildren(
  writing: Writing,
  parent: Look,
  lines: string[],
  level: number,
  above: Set<string>,
): void {
  if (!parent.below) return
  if (level >= writing.depth) {
    writing.cut = true
    return
  }
  parent.children ??= childrenOf(writing, parent)
  for (const child of parent.children) {
    if (writing.nodes-- <= 0 || writing.chars <= 0) {
      writing.cut = true
      return
    }
    const below = look(writing, child.schema)
    const known = below.below && below.ref !== undefined && above.has(below.ref)
    const line = `${'  '.repeat(level)}- ${lineOf(child, below, known)}`
    writing.chars -= line.length
    lines.push(line)
    if (known || !below.below) continue
    if (below.ref !== undefined) above.add(below.ref)
    writeChildren(writing, below, lines, level + 1, above)
  }
}

function lineOf(child: Child, { parts, written, label, words }: Look, known: boolean): string {
  const flags = [
    label,
    ...(child.required ? ['required'] : []),
    ...(said(parts, 'readOnly') === true ? ['read only'] : []),
    ...(said(parts, 'writeOnly') === true ? ['write only'] : []),
    ...(said(parts, 'deprecated') === true || ownIn(written, 'deprecated') === true ? ['deprecated'] : []),
    ...(known ? ['as above'] : []),
  ]
  return `${child.name}: ${flags.join(', ')}${words === '' ? '' : ` — ${words}`}`
}

/** What is to be known of a schema itself, in one line: its type, and the rules for its values. */
export function headLine(writing: Writing, written: unknown): string {
  const { parts, label } = look(writing, written)
  return [`Type: ${label}.`, ...rulesText(parts)].join(' ')
}
