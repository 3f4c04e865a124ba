import { type DocumentNode, inlines, targetOf, type Writing } from './document-inline.ts'
import { escapeWords, formatTarget } from './markdown-text.ts'

type Definition = {
  type?: string
  title?: string
  textAlignment?: string
  options?: { value: string; label: string }[]
}
type Row = { orderIndex?: string; values?: Record<string, unknown> }

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

const cell = (writing: Writing, node: DocumentNode, definition: Definition, value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (definition.type === 'text') {
    const fragment = (node.fragments ?? []).find(part => part.fragment === value)
    if (!fragment) return ''
    const simple = (fragment.nodes ?? []).every(({ type }) => type === 'paragraph')
    const nodes = fragment.nodes ?? []
    return simple
      ? nodes.map(line => inlines(writing, line.nodes).trim()).join('<br>')
      : writing.blocks(nodes)
  }
  if (definition.type === 'select' && Array.isArray(value)) {
    const label = (option: unknown) => definition.options?.find(known => known.value === option)?.label ?? ''
    return escapeWords(value.map(label).join(', '))
  }
  if (definition.type === 'files' && Array.isArray(value)) {
    return value.map(file => reference(writing, { kind: 'file', file })).join(' ')
  }
  if (definition.type === 'checkbox') return value === true ? '✓' : ''
  if (typeof value === 'object')
    return Array.isArray(value) ? escapeWords(value.join(', ')) : reference(writing, value)
  return escapeWords(String(value))
}

const sides: Record<string, string> = { center: ':---:', right: '---:' }

/** Gives a table block, cards too, as a GFM table of its visible columns; rows go by their order index. */
export const table = (writing: Writing, node: DocumentNode): string => {
  const data = node.data ?? {}
  const definitions = (data.definition ?? {}) as Record<string, Definition>
  const view = (data.view ?? {}) as { columns?: string[] }
  const columns = (view.columns ?? Object.keys(definitions)).filter(id => Object.hasOwn(definitions, id))
  if (columns.length === 0) return ''
  const rows = Object.values((data.records ?? {}) as Record<string, Row>).sort((a, b) =>
    (a.orderIndex ?? '') < (b.orderIndex ?? '') ? -1 : 1,
  )
  const line = (cells: string[]) => `| ${cells.map(onOneLine).join(' | ')} |`
  return [
    line(columns.map(id => escapeWords(definitions[id]!.title ?? ''))),
    `| ${columns.map(id => sides[definitions[id]!.textAlignment ?? ''] ?? '---').join(' | ')} |`,
    ...rows.map(row => line(columns.map(id => cell(writing, node, definitions[id]!, row.values?.[id])))),
  ].join('\n')
}
