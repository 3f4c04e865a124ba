import type { Steps } from '../../lib/slices.ts'
import { isBlank } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode } from '../markup/tree.ts'
import { slugOfTitle } from '../text/slug.ts'
import { takeId } from './anchors.ts'
import { attributesOf, idAttribute, markedAttributes, widthClass, wordOf } from './change.ts'
import { withCallsBelow, writeCodeTag } from './code.ts'
import { escapeHtml } from './escape.ts'
import { iconOf } from './link.ts'
import { deeper, endPiece, isFull, put, putText, type Sheet } from './sheet.ts'

const styles = new Set(['info', 'success', 'warning', 'danger'])

/**
 * Writes an element with content of blocks: the start tag, the content one level deeper, the end
 * tag.
 */
function* boxed(
  sheet: Sheet,
  start: string,
  nodes: readonly MarkupNode[],
  end: string,
): Steps<void> {
  put(sheet, start)
  yield* deeper(sheet, sheet.write(nodes))
  put(sheet, end)
}

/** Splits nodes into the elements of one name and the rest. */
const split = (
  nodes: readonly MarkupNode[],
  name: string,
): { found: MarkupElement[]; rest: MarkupNode[] } => ({
  found: nodes.filter(isElement).filter(node => node.name === name),
  rest: nodes.filter(node => !(isElement(node) && node.name === name) && !isBlank(node)),
})

function* writeHint(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { style = '', icon } = node.attributes
  const kind = styles.has(style) ? style : 'info'
  const start = `<div${attributesOf(sheet, node, 'hint', kind)} role="note">${iconOf(sheet, icon)}<div>\n`
  yield* boxed(sheet, start, node.nodes, '</div></div>\n')
}

function* writeTab(sheet: Sheet, tab: MarkupElement, name: string, at: number): Steps<void> {
  const { title = '', icon } = tab.attributes
  const shown = title.trim().slice(0, 300) || String(at + 1)
  const attributes = markedAttributes(sheet, tab)
  const id =
    attributes.includes(' id="') || title === '' ? '' : idAttribute(sheet, slugOfTitle(title))
  const label = escapeHtml(shown)

  put(
    sheet,
    `<details${attributes}${id} name="${name}" data-tab="${label}"${at === 0 ? ' open' : ''}>`,
  )
  put(sheet, `<summary>${wordOf(sheet, tab)}${iconOf(sheet, icon)}${label}</summary>`)
  const { removed } = sheet

  sheet.removed ||= tab.attributes.change === 'removed'
  yield* boxed(sheet, '<div>\n', tab.nodes, '</div></details>\n')
  sheet.removed = removed
}

function* writeTabs(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { found, rest } =
    node.name === '%tab' ? { found: [node], rest: [] } : split(node.nodes, '%tab')
  if (found.length > 0) {
    const name = `tabs-${++sheet.tabs}`
    put(
      sheet,
      `<div${node.name === '%tab' ? ' class="tabs"' : attributesOf(sheet, node, 'tabs')}>\n`,
    )

    yield* withCallsBelow(sheet, found, function* () {
      for (const [at, tab] of found.entries()) {
        if (isFull(sheet)) break
        yield* writeTab(sheet, tab, name, at)
      }
      put(sheet, '</div>\n')
    })
  }
  yield* sheet.write(rest)
}

/** Writes parts of a block, each as an element, and what stands between them after it. */
function* writeParts(
  sheet: Sheet,
  node: MarkupElement,
  {
    part,
    start,
    element,
    end,
  }: { part: string; start: string; element: 'li' | 'div'; end: string },
): Steps<void> {
  const { found, rest } = split(node.nodes, part)
  if (found.length > 0) {
    put(sheet, start)

    for (const inner of found) {
      if (isFull(sheet)) break
      const { width, valign = '' } = inner.attributes
      const align = valign === 'middle' || valign === 'bottom' ? valign : ''
      const opening = `<${element}${markedAttributes(sheet, inner, widthClass(width), align)}>`
      const { removed } = sheet
      sheet.removed ||= inner.attributes.change === 'removed'
      yield* boxed(sheet, opening + wordOf(sheet, inner), inner.nodes, `</${element}>\n`)
      sheet.removed = removed
    }

    put(sheet, end)
  }

  yield* sheet.write(rest)
}

function* writeStepper(sheet: Sheet, node: MarkupElement): Steps<void> {
  const start = `<ol${attributesOf(sheet, node, 'steps')}>\n`
  yield* writeParts(sheet, node, { part: '%step', start, element: 'li', end: '</ol>\n' })
}

function* writeColumns(sheet: Sheet, node: MarkupElement): Steps<void> {
  const start = `<div${attributesOf(sheet, node, 'columns')}>\n`
  yield* writeParts(sheet, node, { part: '%column', start, element: 'div', end: '</div>\n' })
}

/** Returns the tags of an update: at most 20. */
const tagsOf = ({ attributes: { tags = '' } }: MarkupElement): string[] =>
  tags
    .split(',')
    .map(tag => tag.trim().slice(0, 60))
    .filter(tag => tag !== '')
    .slice(0, 20)

const dateStyles = { full: 'long', short: 'medium', numeric: 'short' } as const

function* writeUpdates(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { dates } = sheet
  const { format = '' } = node.attributes
  sheet.dates = Object.hasOwn(dateStyles, format) ? dateStyles[format as 'full'] : 'long'
  put(sheet, `<div${attributesOf(sheet, node, 'updates')}>\n`)
  if (dates === undefined) putTagFilter(sheet, node)
  yield* sheet.write(node.nodes)
  put(sheet, '</div>\n')
  sheet.dates = dates
}

/** The most tags that a filter offers. */
const mostTags = 30

/** Writes links that limit the updates of a page to those with a tag. */
function putTagFilter(sheet: Sheet, { nodes }: MarkupElement): void {
  const filter = sheet.options.tags
  const found = nodes
    .filter(isElement)
    .flatMap(node => (node.name === '%update' ? tagsOf(node) : []))
  const tags = [...new Set(found)].slice(0, mostTags)
  if (!filter || tags.length < 2) return

  const item = (tag: string | undefined, shown: string) => {
    const current = tag === filter.chosen ? ' aria-current="true"' : ''
    return `<li><a href="${escapeHtml(filter.hrefOf(tag))}"${current}>${escapeHtml(shown)}</a></li>`
  }
  const items = [item(undefined, filter.all), ...tags.map(tag => item(tag, tag))]

  put(
    sheet,
    `<nav aria-label="${escapeHtml(filter.label)}"><ul class="tags">${items.join('')}</ul></nav>\n`,
  )
}

/** Formats of dates by language and length: making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns the date of an update in words; as it is written if it is none, or the language is not
 * known.
 */
function dateWords({ options: { lang }, dates = 'long' }: Sheet, date: string): string {
  const at = Date.parse(date.slice(0, 10))
  if (lang === undefined || Number.isNaN(at)) return date
  const key = `${lang} ${dates}`
  const format =
    formats.get(key) ?? new Intl.DateTimeFormat(lang, { dateStyle: dates, timeZone: 'UTC' })
  if (formats.size > 100) formats.clear()
  formats.set(key, format)
  return format.format(at)
}

/** Writes the date of an update and its tags. */
function putUpdateHead(sheet: Sheet, date: string, tags: readonly string[]): void {
  put(sheet, '<header>')

  if (isDate(date)) {
    put(sheet, `<time datetime="${escapeHtml(date)}">`)
    putText(sheet, dateWords(sheet, date))
    put(sheet, '</time>')
  } else if (date !== '') {
    put(sheet, '<span>')
    putText(sheet, date)
    put(sheet, '</span>')
  }

  if (tags.length > 0)
    put(sheet, `<ul class="tags">${tags.map(name => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`)
  put(sheet, '</header>\n')
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text)

function* writeUpdate(sheet: Sheet, node: MarkupElement): Steps<void> {
  const tags = tagsOf(node)
  const chosen = sheet.options.tags?.chosen
  if (chosen !== undefined && !tags.includes(chosen)) return

  const date = (node.attributes.date ?? '').trim().slice(0, 40)
  const attributes = attributesOf(sheet, node, 'update')
  const own = attributes.includes(' id="') ? node.attributes.id : undefined
  const made =
    own === undefined && isDate(date) && !sheet.removed ? takeId(sheet.ids, date.slice(0, 10)) : ''
  const filter = tags.length > 0 ? ` data-tags="${escapeHtml(tags.join(','))}"` : ''

  put(sheet, `<article${attributes}${made && ` id="${escapeHtml(made)}"`}${filter}>`)
  putUpdateHead(sheet, date, tags)
  const from = endPiece(sheet)

  yield* boxed(sheet, '<div>\n', node.nodes, '</div>')
  const to = endPiece(sheet)

  put(sheet, '</article>\n')
  const id = own ?? made
  if (id !== '' && isDate(date)) keepUpdate(sheet, { id, date, tags, from, to })
}

/** Keeps an update for feeds, in place of those within it. */
function keepUpdate({ updates }: Sheet, update: Sheet['updates'][number]): void {
  while ((updates.at(-1)?.from ?? -1) > update.from) updates.pop()
  updates.push(update)
}

function* writePrompt(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { description = '', icon, defaultexpanded: shown = '' } = node.attributes
  const open = shown === 'hidden' ? '' : ' open'
  const label = escapeHtml(description.trim().slice(0, 300) || 'Prompt')
  const start = `<details${attributesOf(sheet, node, 'prompt')}${open}><summary>${iconOf(sheet, icon)}${label}</summary><div>\n`
  yield* boxed(sheet, start, node.nodes, '</div></details>\n')
}

/** Writes a line with a name in bold and some details, and then the content of the tag. */
function* writeNamed(
  sheet: Sheet,
  node: MarkupElement,
  name: string,
  details: (string | undefined)[],
): Steps<void> {
  const words = details.filter(each => each).join(', ')
  if (name !== '') {
    put(sheet, `<p><strong>${escapeHtml(name.slice(0, 500))}</strong>`)
    putText(sheet, words && ` ${words.slice(0, 1000)}`)
    put(sheet, '</p>\n')
  }
  yield* sheet.write(node.nodes)
}

function* writeSwagger(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { method = '', path = '', baseurl = '', summary = '' } = node.attributes
  if (summary !== '') put(sheet, `<p><strong>${escapeHtml(summary.slice(0, 500))}</strong></p>\n`)
  const called = `${method.toUpperCase()} ${baseurl}${path}`.trim().slice(0, 1000)
  if (called !== '') put(sheet, `<p><code>${escapeHtml(called)}</code></p>\n`)
  yield* sheet.write(node.nodes)
}

type Writer = (sheet: Sheet, node: MarkupElement) => Steps<void>

const writers: Readonly<Record<string, Writer>> = {
  '%hint': writeHint,
  '%tabs': writeTabs,
  '%tab': writeTabs,
  '%code': function* (sheet, node) {
    if (!writeCodeTag(sheet, node)) yield* sheet.write(node.nodes)
  },
  '%stepper': writeStepper,
  '%columns': writeColumns,
  '%updates': writeUpdates,
  '%update': writeUpdate,
  '%prompt': writePrompt,
  '%swagger': writeSwagger,
  '%swagger-parameter': (sheet, node) => {
    const { name = '', in: where, type, required } = node.attributes
    return writeNamed(sheet, node, name, [where, type, required === 'true' ? 'required' : ''])
  },
  '%swagger-response': (sheet, node) =>
    writeNamed(sheet, node, node.attributes.status ?? '', [node.attributes.description]),
}

/** Returns the writer of a tag with content; undefined for one that has none of its own. */
export const boxWriter = (name: string): Writer | undefined =>
  Object.hasOwn(writers, name) ? writers[name] : undefined
