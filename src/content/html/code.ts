import type { MarkupElement, MarkupNode } from '../markup/tree.ts'
import { attributesOf } from './change.ts'
import { escapeHtml } from './escape.ts'
import { highlighted, languageLabel, linesOf } from './highlight.ts'
import { isElement, isFull, put, putText, type Sheet } from './sheet.ts'

/** How code is shown, from the attributes of its tag. */
type Look = { title: string; numbers: boolean; wrap: boolean; expandable: boolean }

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
    else if (node.name === 'br' || node.name === 'wrap') parts.push({ text: '\n', mark })
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

/** Returns the parts without the line break at the end, and for HTML without the one after the start tag. */
function trimmed(parts: Part[], isHtml: boolean): Part[] {
  const [first] = parts
  const last = parts.at(-1)
  if (isHtml && first) first.text = first.text.replace(/^\n/, '')
  if (last) last.text = last.text.replace(/\n$/, '')
  return parts
}

function putCode(sheet: Sheet, parts: readonly Part[], language: string, numbers: boolean): void {
  const marks = parts.some(({ mark }) => mark !== '') ? lineMarks(parts) : []
  const text = parts.map(part => part.text).join('')
  if (marks === undefined) putParts(sheet, parts)
  else if (numbers || marks.length > 0) putLines(sheet, linesOf(highlighted(text, language, sheet)), marks)
  else if (languageLabel(language) === undefined) putText(sheet, text)
  else put(sheet, highlighted(text, language, sheet))
}

/** Returns the language of a `<pre>`; '' if it names none. */
function languageOf({ attributes, nodes }: MarkupElement): string {
  if (attributes.lang !== undefined) return attributes.lang
  const inner = nodes.find((node): node is MarkupElement => isElement(node) && node.name === 'code')
  const classes = `${attributes.class ?? ''} ${inner?.attributes.class ?? ''}`
  return /(?:^|\s)lang(?:uage)?-(\S+)/.exec(classes)?.[1] ?? ''
}

function openFigure(sheet: Sheet, node: MarkupElement, language: string, look: Look): void {
  const { lang: _, ...attributes } = node.attributes
  const classes = ['code', look.numbers && 'numbers', look.wrap && 'wrap', look.expandable && 'expandable']
  const label = languageLabel(language)
  const shown = attributesOf(sheet, { ...node, attributes }, ...classes.filter(name => name !== false))
  put(sheet, `<figure${shown}${label ? ` data-lang="${label}"` : ''}>`)
  const title = look.title.trim().slice(0, 300)
  if (title !== '') put(sheet, `<figcaption>${escapeHtml(title)}</figcaption>`)
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false'

/** Writes a `<pre>`, with the attributes of the tag around it. A diagram is shown in a frame if the site has one. */
export function writePre(sheet: Sheet, pre: MarkupElement, tag: Readonly<Record<string, string>> = {}): void {
  const language = languageOf(pre)
  const isHtml = pre.attributes.lang === undefined
  const parts = trimmed(partsIn(pre.nodes, '', []), isHtml)
  if (language.toLowerCase() === 'mermaid' && parts.every(({ mark }) => mark === '')) {
    writeDiagram(sheet, parts.map(({ text }) => text).join(''))
    return
  }
  const own = pre.attributes
  const overflow = tag.overflow ?? own['data-overflow']
  const look: Look = {
    title: tag.title ?? own['data-title'] ?? own.title ?? '',
    numbers: /^(?:true|\d+)$/.test(tag.linenumbers ?? own['data-line-numbers'] ?? ''),
    wrap: overflow === 'wrap',
    expandable: isOn(tag.expandable ?? own['data-expandable']),
  }
  openFigure(sheet, pre, language, look)
  put(sheet, '<pre tabindex="0"><code>')
  putCode(sheet, parts, language, look.numbers)
  put(sheet, '</code></pre></figure>\n')
}

/** Writes the tag around a block of code, or its content if it is something else. Returns whether it was code. */
export function writeCodeTag(sheet: Sheet, { attributes, nodes }: MarkupElement): boolean {
  const filled = nodes.filter(node => isElement(node) || node.trim() !== '')
  const [pre] = filled
  if (filled.length !== 1 || !pre || !isElement(pre) || pre.name !== 'pre') return false
  writePre(sheet, pre, attributes)
  return true
}

/** Writes a diagram: a frame that shows it, and its source. */
export function writeDiagram(sheet: Sheet, source: string): void {
  const address = sheet.options.diagram?.(sheet.diagrams.length)
  sheet.diagrams.push(source)
  const label = escapeHtml(sheet.options.words.diagram)
  put(sheet, '<figure class="diagram">')
  if (address !== undefined)
    put(
      sheet,
      `<iframe sandbox="allow-scripts" src="${escapeHtml(address)}" title="${label}" loading="lazy"></iframe>` +
        `<details><summary>${label}</summary>`,
    )
  put(sheet, '<pre tabindex="0"><code>')
  putText(sheet, source)
  put(sheet, `</code></pre>${address === undefined ? '' : '</details>'}</figure>\n`)
}
