import type { MarkupElement } from '../markup/tree.ts'
import { isFitId, takeFreeId } from './anchors.ts'
import { escapeHtml } from './escape.ts'
import { put, type Sheet } from './sheet.ts'

const kinds = ['added', 'edited', 'removed', 'moved'] as const

/**
 * How an element differs from an earlier version of the page; `id` is the anchor of the mark, `''`
 * without a number.
 */
type Change = { kind: (typeof kinds)[number]; id: string }

/** Returns how an element differs; undefined for one that is the same. */
export function changeOf({ attributes }: MarkupElement): Change | undefined {
  const kind = kinds.find(each => each === attributes.change)
  if (!kind) return undefined
  const number = /^\d{1,9}$/.exec(attributes['change-id'] ?? '')?.[0]
  return { kind, id: number === undefined ? '' : `change-${number}` }
}

/** Returns the visually hidden word for a change; '' for an element that is the same. */
export function wordOf(sheet: Sheet, node: MarkupElement): string {
  const change = changeOf(node)
  return change ? `<span class="sr">${escapeHtml(sheet.options.words[change.kind])}</span> ` : ''
}

const language = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/

/** Returns the id of an element as an attribute, if the id is free; otherwise ''. */
export function idAttribute(sheet: Sheet, id: string | undefined): string {
  if (!isFitId(id) || sheet.removed || !takeFreeId(sheet.ids, id)) return ''
  return ` id="${escapeHtml(id)}"`
}

/**
 * Returns the attributes of an element that do not depend on its name: classes, id, direction and
 * language.
 */
export function attributesOf(sheet: Sheet, node: MarkupElement, ...classes: string[]): string {
  const { id, dir, lang } = node.attributes
  const names = classes.filter(name => name !== '')
  let html = names.length > 0 ? ` class="${names.join(' ')}"` : ''
  html += idAttribute(sheet, id)
  if (dir === 'rtl' || dir === 'ltr' || dir === 'auto') html += ` dir="${dir}"`
  if (lang !== undefined && language.test(lang)) html += ` lang="${lang}"`
  return html
}

/**
 * Returns the anchor of a change as an attribute; '' for the second time that content with a change
 * is included.
 */
function anchorOf(sheet: Sheet, { id }: Change): string {
  if (id === '' || sheet.marks.has(id)) return ''
  sheet.marks.add(id)
  return ` id="${id}"`
}

/**
 * Returns the same attributes with those of a change: for elements that nothing can be around, such
 * as rows.
 */
export function markedAttributes(sheet: Sheet, node: MarkupElement, ...classes: string[]): string {
  const change = changeOf(node)
  if (!change) return attributesOf(sheet, node, ...classes)
  const { id, ...attributes } = node.attributes
  const own = change.id === '' ? idAttribute(sheet, id) : anchorOf(sheet, change)
  return attributesOf(sheet, { ...node, attributes }, ...classes, 'change', change.kind) + own
}

/**
 * An element that was opened around a changed one, and whether the content around it is removed.
 */
type Opened = { name: string; removed: boolean }

/**
 * Opens an element around a changed one, with a word for screen readers. Returns undefined for an
 * element that is the same.
 */
export function openChange(
  sheet: Sheet,
  node: MarkupElement,
  name: 'div' | 'span',
): Opened | undefined {
  const change = changeOf(node)
  if (!change) return undefined
  put(
    sheet,
    `<${name} class="change ${change.kind}"${anchorOf(sheet, change)}>${wordOf(sheet, node)}`,
  )
  const { removed } = sheet

  sheet.removed ||= change.kind === 'removed'

  return { name, removed }
}

/** Closes the result of `openChange`. */
export function closeChange(sheet: Sheet, opened: Opened | undefined): void {
  if (!opened) return
  put(sheet, `</${opened.name}>`)
  sheet.removed = opened.removed
}

/** Returns the class for the alignment of an element; '' for the start of the line. */
export function alignOf({ attributes: { align } }: MarkupElement): string {
  const found = align?.trim().toLowerCase()
  return found === 'center' || found === 'right' ? found : ''
}

/** Returns the class for a width in percent: w10 to w90 in steps of ten; '' for other widths. */
export function widthClass(width: string | undefined): string {
  const percent = Number(/^\s*(\d{1,3})(?:\.\d+)?%\s*$/.exec(width ?? '')?.[1] ?? 0)
  const share = Math.max(1, Math.round(percent / 10))
  return percent > 0 && share < 10 ? `w${share * 10}` : ''
}
