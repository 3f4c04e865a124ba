import { invalid } from '../../errors.ts'
import { escapeWords, formatTarget } from '../markdown/plain-text.ts'
import { type DocumentNode, inlines, targetOf, type Writing, wordsOf } from './inline.ts'

/** What a client sends as an object may be anything. */
type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

const onOneLine = (text: string): string =>
  text
    .trim()
    .replace(/\\?\n/g, '<br>')
    .replace(/(?<!\\)\|/g, '\\|')

const reference = (writing: Writing, value: unknown): string => {
  const ref = typeof value === 'object' && value !== null && 'ref' in value ? value.ref : value
  const target = targetOf(writing, ref)
  return target === null
    ? ''
    : `[${escapeWords(target.split('/').at(-1) || target)}](${formatTarget(target)})`
}

/** Of a table being written: its fragments that no cell has shown yet. */
type Fragments = Map<unknown, DocumentNode>

const cell = (writing: Writing, fragments: Fragments, definition: Fields, value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (definition.type === 'text') {
    const fragment = fragments.get(value)
    if (!fragment) return ''
    // Each belongs to one cell: a table in a table that shows it often would have no end.
    fragments.delete(value)
    const simple = (fragment.nodes ?? []).every(({ type }) => type === 'paragraph')
    const nodes = fragment.nodes ?? []
    return simple
      ? nodes.map(line => inlines(writing, line.nodes).trim()).join('<br>')
      : writing.blocks(nodes)
  }
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
    return Array.isArray(value) ? escapeWords(value.map(wordsOf).join(', ')) : reference(writing, value)
  return escapeWords(String(value))
}

const sides = new Map<unknown, string>([
  ['center', ':---:'],
  ['right', '---:'],
])

/** A short document may have rows and columns without cells, of which there would be millions. */
const mostCells = 50_000

/** Gives a table block, cards too, as a GFM table of its visible columns; rows go by their order index. */
export const table = (writing: Writing, node: DocumentNode): string => {
  const data = node.data ?? {}
  const definitions = new Map(Object.entries(fieldsOf(data.definition)).map(([id, of]) => [id, fieldsOf(of)]))
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
    throw invalid(`The document has a table of more than ${mostCells} cells, which is not taken.`)
  const fragments: Fragments = new Map((node.fragments ?? []).map(part => [part.fragment, part]))
  const line = (cells: string[]) => `| ${cells.map(onOneLine).join(' | ')} |`
  return [
    line(columns.map(id => escapeWords(wordsOf(definitions.get(id)?.title)))),
    `| ${columns.map(id => sides.get(definitions.get(id)?.textAlignment) ?? '---').join(' | ')} |`,
    ...rows.map(row =>
      line(columns.map(id => cell(writing, fragments, fieldsOf(definitions.get(id)), row.values.get(id)))),
    ),
  ].join('\n')
}
