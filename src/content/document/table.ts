import { invalid } from '../../errors.ts'
import { escapeWords, formatTarget } from '../markdown/plain-text.ts'
import { type Alignment, tableOf } from '../markdown/write.ts'
import { type DocumentNode, inlines, targetOf, type Writing, wordsOf } from './inline.ts'

/** An object sent by a client, with fields of any type. */
type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

const onOneLine = (text: string): string =>
  text
    .trim()
    .replace(/\\?\n/g, '<br>')
    .replace(/(?<!\\)\|/g, '\\|')

function reference(writing: Writing, value: unknown): string {
  const ref = typeof value === 'object' && value !== null && 'ref' in value ? value.ref : value
  const target = targetOf(writing, ref)
  return target === null
    ? ''
    : `[${escapeWords(target.split('/').at(-1) || target)}](${formatTarget(target)})`
}

/** The fragments of a table that no cell has written yet. */
type Fragments = Map<unknown, DocumentNode>

function textCell(writing: Writing, fragments: Fragments, id: unknown): string {
  const nodes = fragments.get(id)?.nodes ?? []
  // A fragment is written once: tables that repeat nested tables would have exponential size.
  fragments.delete(id)
  const isSimple = nodes.every(({ type }) => type === 'paragraph')
  return isSimple
    ? nodes.map(line => inlines(writing, line.nodes).trim()).join('<br>')
    : writing.blocks(nodes)
}

function cell(writing: Writing, fragments: Fragments, definition: Fields, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (definition.type === 'text') return textCell(writing, fragments, value)

  if (definition.type === 'select' && Array.isArray(value)) {
    const options = Object.values(fieldsOf(definition.options)).filter(isFields)
    const labels = new Map(options.map(({ value, label }) => [value, wordsOf(label)]))
    return escapeWords(value.map(option => labels.get(option) ?? '').join(', '))
  }

  if (definition.type === 'files' && Array.isArray(value)) {
    return value.map(file => reference(writing, { kind: 'file', file })).join(' ')
  }
  if (definition.type === 'checkbox') return value === true ? '✓' : ''

  if (typeof value === 'object')
    return Array.isArray(value)
      ? escapeWords(value.map(wordsOf).join(', '))
      : reference(writing, value)

  return escapeWords(String(value))
}

const alignmentOf = (value: unknown): Alignment =>
  value === 'center' || value === 'right' ? value : 'left'

/** A short document may define many rows and columns, which make millions of empty cells. */
const mostCells = 50_000

/**
 * Returns a table block (cards too) as a GFM table of its visible columns, with rows sorted by
 * their order index.
 */
export function table(writing: Writing, node: DocumentNode): string {
  const data = node.data ?? {}
  const definitions = new Map(
    Object.entries(fieldsOf(data.definition)).map(([id, of]) => [id, fieldsOf(of)]),
  )
  const visible = fieldsOf(data.view).columns
  const columns = Array.isArray(visible)
    ? [...new Set(visible)].filter(id => definitions.has(id))
    : [...definitions.keys()]
  if (columns.length === 0) return ''

  const rows = Object.values(fieldsOf(data.records))
    .filter(isFields)
    .map(({ orderIndex, values }) => ({
      at: wordsOf(orderIndex),
      values: new Map(Object.entries(fieldsOf(values))),
    }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  if (rows.length * columns.length > mostCells)
    throw invalid(`The document has a table of more than ${mostCells} cells, which is too large.`)

  const fragments: Fragments = new Map((node.fragments ?? []).map(part => [part.fragment, part]))
  const head = columns.map(id => escapeWords(wordsOf(definitions.get(id)?.title)))
  const cells = rows.map(row =>
    columns.map(id => cell(writing, fragments, fieldsOf(definitions.get(id)), row.values.get(id))),
  )
  const alignments = columns.map(id => alignmentOf(definitions.get(id)?.textAlignment))

  return tableOf(
    head.map(onOneLine),
    cells.map(row => row.map(onOneLine)),
    alignments,
  )
}
