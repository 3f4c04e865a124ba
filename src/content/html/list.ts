import type { Steps } from '../../lib/slices.ts'
import { isBlank, isInline } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode } from '../markup/tree.ts'
import { attributesOf, markedAttributes, wordOf } from './change.ts'
import { writeInlines } from './inline.ts'
import { deeper, isFull, put, type Sheet } from './sheet.ts'

const checkedOf = (item: MarkupNode): string | undefined =>
  isElement(item) && item.name === 'li' ? item.attributes.checked : undefined

/** Writes the box of a task and its first line as the label. Returns what follows. */
function writeTask(sheet: Sheet, item: MarkupElement): readonly MarkupNode[] {
  const { nodes } = item
  const [first] = nodes
  const end = nodes.findIndex(node => !isInline(node))
  const isParagraph = first !== undefined && isElement(first) && first.name === 'p' && !first.blocks
  const line = isParagraph ? first.nodes : nodes.slice(0, end === -1 ? nodes.length : end)
  const checked = item.attributes.checked === 'yes' ? ' checked' : ''

  put(sheet, `<label><input type="checkbox" disabled${checked}> `)
  writeInlines(sheet, line)
  put(sheet, '</label>')

  return nodes.slice(isParagraph ? 1 : line.length)
}

function* writeItem(sheet: Sheet, item: MarkupNode): Steps<void> {
  if (!isElement(item) || item.name !== 'li') {
    put(sheet, '<li>')
    yield* sheet.write([item], true)
  } else {
    put(sheet, `<li${markedAttributes(sheet, item)}>${wordOf(sheet, item)}`)
    const { removed } = sheet
    sheet.removed ||= item.attributes.change === 'removed'
    const rest = item.attributes.checked === undefined ? item.nodes : writeTask(sheet, item)
    yield* sheet.write(rest, true)
    sheet.removed = removed
  }
  put(sheet, '</li>\n')
}

function* writeItems(sheet: Sheet, items: readonly MarkupNode[]): Steps<void> {
  for (const item of items) {
    if (isFull(sheet)) return
    yield* writeItem(sheet, item)
  }
}

/** Writes a list. */
export function* writeList(sheet: Sheet, list: MarkupElement): Steps<void> {
  const items = list.nodes.filter(node => !isBlank(node))
  if (items.length === 0) return
  const tasks = items.some(item => checkedOf(item) !== undefined) ? 'tasks' : ''
  const start = /^\d{1,9}$/.exec(list.attributes.start ?? '')?.[0]
  const from =
    list.name === 'ol' && start !== undefined && start !== '1' ? ` start="${Number(start)}"` : ''

  put(sheet, `<${list.name}${attributesOf(sheet, list, tasks)}${from}>\n`)
  yield* deeper(sheet, writeItems(sheet, items))
  put(sheet, `</${list.name}>\n`)
}

/** Writes a list of terms. */
export function* writeTerms(sheet: Sheet, { nodes }: MarkupElement): Steps<void> {
  const items = nodes.filter(node => !isBlank(node))
  if (items.length === 0) return
  put(sheet, '<dl>\n')
  sheet.depth++

  for (const item of items) {
    if (isFull(sheet)) break
    const isTerm = isElement(item) && item.name === 'dt'
    const name = isTerm ? 'dt' : 'dd'
    const own = isElement(item) && (isTerm || item.name === 'dd')

    put(
      sheet,
      own ? `<${name}${markedAttributes(sheet, item)}>${wordOf(sheet, item)}` : `<${name}>`,
    )
    if (isTerm) writeInlines(sheet, item.nodes)
    else yield* sheet.write(own ? item.nodes : [item], true)
    put(sheet, `</${name}>\n`)
  }

  sheet.depth--
  put(sheet, '</dl>\n')
}
