import type { Steps } from '../../lib/slices.ts'
import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import { slugOfTitle } from '../text/slug.ts'
import { attributesOf, idAttribute, markedAttributes, widthClass, wordOf } from './change.ts'
import { writeCodeTag } from './code.ts'
import { escapeHtml } from './escape.ts'
import { iconOf } from './link.ts'
import { deeper, isBlank, isElement, isFull, put, putText, type Sheet } from './sheet.ts'

const styles = new Set(['info', 'success', 'warning', 'danger'])

/** Writes an element with content of blocks: the start tag, the content one level deeper, the end tag. */
function* boxed(sheet: Sheet, start: string, nodes: readonly MarkupNode[], end: string): Steps<void> {
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
  const id = attributes.includes(' id="') || title === '' ? '' : idAttribute(sheet, slugOfTitle(title))
  const label = escapeHtml(shown)
  put(sheet, `<details${attributes}${id} name="${name}" data-tab="${label}"${at === 0 ? ' open' : ''}>`)
  put(sheet, `<summary>${wordOf(sheet, tab)}${iconOf(sheet, icon)}${label}</summary>`)
  const { removed } = sheet
  sheet.removed ||= tab.attributes.change === 'removed'
  yield* boxed(sheet, '<div>\n', tab.nodes, '</div></details>\n')
  sheet.removed = removed
}

function* writeTabs(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { found, rest } = node.name === '%tab' ? { found: [node], rest: [] } : split(node.nodes, '%tab')
  if (found.length > 0) {
    const name = `tabs-${++sheet.tabs}`
    put(sheet, `<div${node.name === '%tab' ? ' class="tabs"' : attributesOf(sheet, node, 'tabs')}>\n`)
    for (const [at, tab] of found.entries()) {
      if (isFull(sheet)) break
      yield* writeTab(sheet, tab, name, at)
    }
    put(sheet, '</div>\n')
  }
  yield* sheet.write(rest)
}

/** Writes parts of a block, each as an element, and what stands between them after it. */
function* writeParts(
  sheet: Sheet,
  node: MarkupElement,
  { part, start, element, end }: { part: string; start: string; element: 'li' | 'div'; end: string },
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

function* writeUpdate(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { date = '', tags = '' } = node.attributes
  const names = tags
    .split(',')
    .map(tag => tag.trim().slice(0, 60))
    .filter(tag => tag !== '')
    .slice(0, 20)
  const shown = date.trim().slice(0, 40)
  const isDate = /^\d{4}-\d\d-\d\d/.test(shown)
  const attributes = attributesOf(sheet, node, 'update')
  const id = isDate && !attributes.includes(' id="') ? idAttribute(sheet, shown.slice(0, 10)) : ''
  const filter = names.length > 0 ? ` data-tags="${escapeHtml(names.join(','))}"` : ''
  put(sheet, `<article${attributes}${id}${filter}><header>`)
  if (shown !== '') put(sheet, isDate ? `<time datetime="${escapeHtml(shown)}">` : '<span>')
  putText(sheet, shown)
  if (shown !== '') put(sheet, isDate ? '</time>' : '</span>')
  if (names.length > 0)
    put(sheet, `<ul class="tags">${names.map(name => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`)
  yield* boxed(sheet, '</header>\n<div>\n', node.nodes, '</div></article>\n')
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
  '%updates': (sheet, node) =>
    boxed(sheet, `<div${attributesOf(sheet, node, 'updates')}>\n`, node.nodes, '</div>\n'),
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
