import type { Steps } from '../../lib/slices.ts'
import { languageOf } from '../markup/blocks.ts'
import { isBlank } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode } from '../markup/tree.ts'
import { attributesOf } from './change.ts'
import { escapeHtml } from './escape.ts'
import { highlighted, languageLabel, linesOf } from './highlight.ts'
import { isFull, put, putText, type Sheet } from './sheet.ts'

/** How code is shown, from the attributes of its tag. `lines` are the marked ones. */
type Look = { title: string; numbers: boolean; wrap: boolean; expandable: boolean; lines: string }

const markNames: Readonly<Record<string, 'mark' | 'ins' | 'del'>> = {
  strong: 'mark',
  b: 'mark',
  mark: 'mark',
  ins: 'ins',
  del: 'del',
}

/** A part of code with the element that marks it. */
type Part = { text: string; mark: 'mark' | 'ins' | 'del' | '' }

function partsIn(nodes: readonly MarkupNode[], mark: Part['mark'], parts: Part[]): Part[] {
  for (const node of nodes) {
    if (!isElement(node)) parts.push({ text: node, mark })
    else if (node.name === 'br' || node.name === '#wrap') parts.push({ text: '\n', mark })
    else partsIn(node.nodes, mark || (markNames[node.name] ?? ''), parts)
  }
  return parts
}

/** Returns the mark of each line; undefined if a mark begins or ends within a line. */
function lineMarks(parts: readonly Part[]): Part['mark'][] | undefined {
  const marks: Part['mark'][] = []
  let current: Part['mark'] | undefined
  for (const { text, mark } of parts) {
    for (const [at, piece] of text.split('\n').entries()) {
      if (at > 0) {
        marks.push(current ?? '')
        current = undefined
      }
      if (piece === '') continue
      if (current !== undefined && current !== mark) return undefined
      current = mark
    }
  }

  marks.push(current ?? '')

  return marks
}

/** Writes code line by line, each with its mark. */
function putLines(sheet: Sheet, lines: readonly string[], marks: readonly Part['mark'][]): void {
  for (const [at, line] of lines.entries()) {
    if (isFull(sheet)) return
    const name = marks[at] || 'span'
    put(sheet, `<${name} class="line">${line}${at < lines.length - 1 ? '\n' : ''}</${name}>`)
  }
}

function putParts(sheet: Sheet, parts: readonly Part[]): void {
  for (const { text, mark } of parts) {
    if (isFull(sheet)) return
    if (mark) put(sheet, `<${mark}>`)
    putText(sheet, text)
    if (mark) put(sheet, `</${mark}>`)
  }
}

/**
 * Returns the parts without the line break at the end, and for HTML without the one after the start
 * tag.
 */
function trimmed(parts: Part[], isHtml: boolean): Part[] {
  const [first] = parts
  const last = parts.at(-1)
  if (isHtml && first) first.text = first.text.replace(/^\n/, '')
  if (last) last.text = last.text.replace(/\n$/, '')
  return parts
}

/** Returns the mark of each line that a list such as "1,3-5" names; none for an empty list. */
function listedMarks(listed: string, count: number): Part['mark'][] {
  const marks: Part['mark'][] = []
  for (const range of listed === '' ? [] : listed.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number)
    for (let line = Math.max(1, from); line <= Math.min(to, count); line++) marks[line - 1] = 'mark'
  }
  return marks
}

function putCode(
  sheet: Sheet,
  parts: readonly Part[],
  language: string,
  { numbers, lines }: Look,
): void {
  const text = parts.map(part => part.text).join('')
  const marks = parts.some(({ mark }) => mark !== '')
    ? lineMarks(parts)
    : listedMarks(lines, text.split('\n').length)
  if (marks === undefined) putParts(sheet, parts)
  else if (numbers || marks.length > 0)
    putLines(sheet, linesOf(highlighted(text, language, sheet)), marks)
  else if (languageLabel(language) === undefined) putText(sheet, text)
  else put(sheet, highlighted(text, language, sheet))
}

function openFigure(sheet: Sheet, node: MarkupElement, language: string, look: Look): void {
  const { lang: _, ...attributes } = node.attributes
  const classes = [
    'code',
    look.numbers && 'numbers',
    look.wrap && 'wrap',
    look.expandable && 'expandable',
  ]
  const label = languageLabel(language)
  const shown = attributesOf(
    sheet,
    { ...node, attributes },
    ...classes.filter(name => name !== false),
  )

  put(sheet, `<figure${shown}${label ? ` data-lang="${label}"` : ''}>`)
  const title = look.title.trim().slice(0, 300)
  if (title !== '') put(sheet, `<figcaption>${escapeHtml(title)}</figcaption>`)
}

/** Code of at most this many lines is shown as a whole, though it may be expandable. */
const fewLines = 12

const isLong = (parts: readonly Part[]): boolean =>
  parts.reduce((lines, { text }) => lines + text.split('\n').length - 1, 1) > fewLines

/**
 * Writes the switch of a collapsed block: the style sheet shows all of the code above it while it
 * is open.
 */
function putSwitch(sheet: Sheet): void {
  const { showMore, showLess } = sheet.options.words
  put(
    sheet,
    `<details><summary><span>${escapeHtml(showMore)}</span><span>${escapeHtml(showLess)}</span></summary></details>`,
  )
}

type Attributes = Readonly<Record<string, string>>

const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false'

/**
 * Writes a `<pre>`, with the attributes of the tag around it. A diagram is shown in a frame if the
 * site has one.
 */
export function writePre(sheet: Sheet, pre: MarkupElement, tag: Attributes = {}): void {
  const language = languageOf(pre)
  const isHtml = pre.attributes.lang === undefined
  const parts = trimmed(partsIn(pre.nodes, '', []), isHtml)

  if (language.toLowerCase() === 'mermaid' && parts.every(({ mark }) => mark === '')) {
    writeDiagram(sheet, parts.map(({ text }) => text).join(''))
    return
  }

  const own = pre.attributes
  const look = lookOf(own, tag, isLong(parts))

  openFigure(sheet, pre, language, look)
  put(sheet, '<pre tabindex="0"><code>')
  putCode(sheet, parts, language, look)
  put(sheet, '</code></pre>')
  if (look.expandable) putSwitch(sheet)
  put(sheet, '</figure>\n')
  const isRemoved = sheet.removed || own.change === 'removed'
  if (language === 'sh' && !isRemoved && parts.every(({ mark }) => mark === ''))
    writeCall(sheet, parts.map(({ text }) => text).join(''))
}

/** Returns how a block of code looks by its own attributes and those of the tag around it. */
function lookOf(own: Attributes, tag: Attributes, isLong: boolean): Look {
  const overflow = tag.overflow ?? own['data-overflow']
  return {
    title: tag.title ?? own['data-title'] ?? own.title ?? '',
    numbers: /^(?:true|\d+)$/.test(tag.linenumbers ?? own['data-line-numbers'] ?? ''),
    lines: own.lines ?? '',
    wrap: overflow === 'wrap',
    expandable: isOn(tag.expandable ?? own['data-expandable']) && isLong,
  }
}

/** Writes what opens the form of a call, if the code is the example request of one. */
function writeCall(sheet: Sheet, sample: string): void {
  const call = isFull(sheet) ? undefined : sheet.options.callOf?.(sample)
  if (!call) return
  const label = `${escapeHtml(sheet.options.words.tryIt)}<span class="sr"> ${escapeHtml(call.title)}</span>`
  const html = `<div class="try with-script" data-call="${escapeHtml(call.data)}"><button type="button" class="btn" aria-expanded="false">${label}</button></div>\n`
  // The form belongs to all tabs with samples, whichever is open.
  if (sheet.belowTabs) sheet.belowTabs.push(html)
  else put(sheet, html)
}

/**
 * Writes tabs. If each of them has a block of code alone, as the samples of one request do, what
 * opens the form of a call stands below all of them.
 */
export function* withCallsBelow(
  sheet: Sheet,
  tabs: readonly MarkupElement[],
  write: () => Steps<void>,
): Steps<void> {
  const { belowTabs } = sheet
  const held: string[] = []
  if (tabs.every(isCodeAlone)) sheet.belowTabs = held
  yield* write()
  sheet.belowTabs = belowTabs
  for (const html of held) put(sheet, html)
}

function isCodeAlone({ nodes }: MarkupElement): boolean {
  const [pre, ...others] = nodes.filter(node => !isBlank(node))
  return others.length === 0 && pre !== undefined && isElement(pre) && pre.name === 'pre'
}

/**
 * Writes the tag around a block of code, or its content if it is something else. Returns whether it
 * was code.
 */
export function writeCodeTag(sheet: Sheet, { attributes, nodes }: MarkupElement): boolean {
  const filled = nodes.filter(node => !isBlank(node))
  const [pre] = filled
  if (filled.length !== 1 || !pre || !isElement(pre) || pre.name !== 'pre') return false
  writePre(sheet, pre, attributes)
  return true
}

/** Writes a diagram: a frame that shows it, and its source. */
export function writeDiagram(sheet: Sheet, source: string): void {
  const address = sheet.options.diagramFrame
  sheet.diagrams.push(source)
  const label = escapeHtml(sheet.options.words.diagram)
  put(sheet, '<figure class="diagram">')

  if (address !== undefined)
    put(
      sheet,
      `<iframe class="with-script" sandbox="allow-scripts" src="${escapeHtml(address)}" title="${label}" loading="lazy" data-failed="${escapeHtml(sheet.options.words.diagramFailed)}"></iframe>` +
        `<details><summary>${label}</summary>`,
    )

  put(sheet, '<pre tabindex="0"><code>')
  putText(sheet, source)
  put(sheet, `</code></pre>${address === undefined ? '' : '</details>'}</figure>\n`)
}
