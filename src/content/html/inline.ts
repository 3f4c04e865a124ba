import { sourcesOf } from '../markup/blocks.ts'
import { isSpace } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { withEmoji } from '../text/emoji.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { attributesOf, closeChange, idAttribute, openChange } from './change.ts'
import { escapeHtml } from './escape.ts'
import { writeFormula } from './formula.ts'
import { writeImage, writePicture, writeRecording } from './image.ts'
import { brokenClass, iconOf, linkTo, openLink, signOf } from './link.ts'
import { writeNoteMark } from './note-mark.ts'
import type { HtmlLink } from './page-html.ts'
import { isFull, put, putText, type Sheet } from './sheet.ts'

/** Elements that are written as they are, or by the name that means the same. */
const marks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'strong b em i cite dfn var s del u ins sub sup small kbd mark q abbr samp bdi bdo'
      .split(' ')
      .map(name => [name, name]),
  ),
  strike: 's',
  tt: 'code',
}

const dropped = new Set(
  'select option source template noscript textarea title object param map area base link meta embed col'.split(
    ' ',
  ),
)

const colors = new Set(
  'red orange yellow green blue purple pink gray primary info success warning danger tint'.split(
    ' ',
  ),
)

/** Returns the class for a colour in a style; '' if it has none that is known. */
function colorIn(style: string | undefined, property: string, prefix: string): string {
  const found = new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*\\$?([a-z]{1,12})`, 'i').exec(
    (style ?? '').slice(0, 200),
  )
  const name = (found?.[1] ?? '').toLowerCase()
  return colors.has(name) ? prefix + name : ''
}

const colorsIn = ({ attributes: { style } }: MarkupElement): string[] => [
  colorIn(style, 'color', 'c-'),
  colorIn(style, 'background-color', 'bg-'),
]

function wrapped(sheet: Sheet, name: string, attributes: string, node: MarkupElement): void {
  put(sheet, `<${name}${attributes}>`)
  writeInlines(sheet, node.nodes)
  put(sheet, `</${name}>`)
}

function writeMark(sheet: Sheet, node: MarkupElement): void {
  const name = marks[node.name]!
  const { title } = node.attributes
  const more = name === 'abbr' && title ? ` title="${escapeHtml(title.slice(0, 300))}"` : ''
  const classes = name === 'mark' ? colorsIn(node) : []
  wrapped(sheet, name, attributesOf(sheet, node, ...classes) + more, node)
}

/**
 * Returns the emoji that an emoji span names by its code points; its words if the code points are
 * invalid. Returns undefined if its words are neither empty nor a name such as `:wave:`, and for
 * other spans.
 */
function emojiOf({ attributes, nodes }: MarkupElement): string | undefined {
  const { 'data-tag': tag, 'data-code': code = '' } = attributes
  const words = nodes.map(wordsIn).join('')
  if (tag !== 'emoji' || !/^(?::[\w+-]{1,60}:)?$/.test(words)) return undefined

  if (/^[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,9}$/i.test(code)) {
    const points = code.split('-').map(each => Number.parseInt(each, 16))
    if (points.every(point => point > 31 && point <= 0x10ffff))
      return String.fromCodePoint(...points).toWellFormed()
  }

  return words
}

/**
 * Returns what a page shows instead of the words of an element: an emoji, or the title of a page.
 */
export function shownInstead(sheet: Sheet, node: MarkupElement): string | undefined {
  if (node.name === 'span') return emojiOf(node)
  // What it contains is for browsers that play nothing.
  if (node.name === 'video' || node.name === 'audio') return ''
  const link =
    node.name === 'a' && node.nodes.length > 0 ? linkTo(sheet, node.attributes.href) : undefined
  return link && titleOf(link, node)
}

function writeSpan(sheet: Sheet, node: MarkupElement): void {
  const { 'data-option': option } = node.attributes
  const emoji = emojiOf(node)
  if (emoji !== undefined) {
    putText(sheet, emoji)
    return
  }

  const attributes = attributesOf(
    sheet,
    node,
    ...colorsIn(node),
    option === undefined ? '' : 'option',
  )
  if (attributes === '') writeInlines(sheet, node.nodes)
  else wrapped(sheet, 'span', attributes, node)
}

function writeIcon(sheet: Sheet, node: MarkupElement): boolean {
  const name = /(?:^|\s)fa-([\w-]+)/.exec(node.attributes.class ?? '')?.[1]
  if (name === undefined) return false
  const svg = iconOf(sheet, name)
  const [color] = colorsIn(node)
  put(sheet, color && svg !== '' ? `<span class="${color}">${svg}</span>` : svg)
  return true
}

/**
 * Returns the title that a link shows instead of its words: of a mention, and where the words are
 * the name of the file.
 */
function titleOf(link: HtmlLink, { attributes, nodes }: MarkupElement): string | undefined {
  if (link.title === undefined || link.kind === 'external' || link.kind === 'anchor')
    return undefined
  if (attributes.title === 'mention' || attributes['data-mention'] !== undefined) return link.title
  const whole = link.kind === 'page' && !attributes.href!.includes('#')
  return whole && nodes.map(wordsIn).join('') === nameOfTarget(attributes.href!)
    ? link.title
    : undefined
}

/** Returns the classes of a link that is a button; none for other links. */
function buttonClasses({ attributes }: MarkupElement): string[] {
  const given = (attributes.class ?? '').split(/\s+/)
  if (!given.includes('button')) return []
  return ['button', given.includes('secondary') ? 'secondary' : 'primary']
}

/**
 * Writes the start tag of a link in the text, the icon of a button, and the sign of a page that is
 * mentioned.
 */
function openTextLink(sheet: Sheet, node: MarkupElement, link: HtmlLink): void {
  const { title, 'data-icon': icon } = node.attributes
  const hint = title && title !== 'mention' ? ` title="${escapeHtml(title.slice(0, 300))}"` : ''
  openLink(sheet, link, attributesOf(sheet, node, ...buttonClasses(node)) + hint)
  put(sheet, iconOf(sheet, icon))
}

function writeLink(sheet: Sheet, node: MarkupElement): void {
  const { href, id, name } = node.attributes
  if (href === undefined || sheet.linked) {
    writeUnlinked(sheet, node, id ?? name)
    return
  }

  const link = linkTo(sheet, href)
  const isMark = node.nodes.length === 0

  if (!link || isMark) {
    writeUnlinked(sheet, node, id ?? name, isMark ? '' : brokenClass(sheet))
    return
  }

  openTextLink(sheet, node, link)
  const title = titleOf(link, node)

  sheet.linked = true

  if (title === undefined) writeInlines(sheet, node.nodes)
  else {
    put(sheet, signOf(sheet, link))
    putText(sheet, title)
  }

  sheet.linked = false
  put(sheet, '</a>')
}

/** Writes the words of a link that leads nowhere, and the anchor that it may be. */
function writeUnlinked(
  sheet: Sheet,
  node: MarkupElement,
  id: string | undefined,
  broken = '',
): void {
  const anchor = idAttribute(sheet, id)
  const button = buttonClasses(node)
  const classes = [...button, broken].filter(name => name !== '').join(' ')
  const attributes = `${classes && ` class="${classes}"`}${anchor}`

  if (attributes === '') {
    writeInlines(sheet, node.nodes)
    return
  }

  put(
    sheet,
    `<span${attributes}>${iconOf(sheet, button.length > 0 ? node.attributes['data-icon'] : undefined)}`,
  )
  writeInlines(sheet, node.nodes)
  put(sheet, '</span>')
}

/** Writes a button that searches: with its `data-query`, or its words. Other buttons are words. */
function writeButton(sheet: Sheet, node: MarkupElement): void {
  const { 'data-action': action, 'data-query': query = '', 'data-icon': icon } = node.attributes
  if (sheet.linked || (action !== 'ask' && action !== 'search')) {
    writeUnlinked(
      sheet,
      { ...node, attributes: { ...node.attributes, class: 'button' } },
      undefined,
    )
    return
  }

  if (sheet.options.isCopy) return

  const classes = buttonClasses(node)
  const attributes = attributesOf(
    sheet,
    node,
    ...(classes.length > 0 ? classes : ['button', 'primary']),
  )
  const words = query || node.nodes.map(wordsIn).join('')

  put(sheet, `<button type="button"${attributes} data-query="${escapeHtml(words.slice(0, 500))}">`)
  put(sheet, iconOf(sheet, icon))
  sheet.linked = true
  writeInlines(sheet, node.nodes)
  sheet.linked = false
  put(sheet, '</button>')
}

/**
 * Options of a command. Kept together, because browsers break lines after hyphens and could leave
 * `--` alone.
 */
const options = /(?<!\S)(--?[A-Za-z0-9][\w-]{0,28})(?!\S)/

function writeCode(sheet: Sheet, node: MarkupElement): void {
  const isMarked = node.nodes.some(isElement)
  put(sheet, `<code${attributesOf(sheet, node)}>`)

  if (isMarked) {
    const { verbatim } = sheet
    sheet.verbatim = true
    writeInlines(sheet, node.nodes)
    sheet.verbatim = verbatim
  } else
    for (const [at, part] of wordsIn(node)
      .replace(/[\r\n\t]+/g, ' ')
      .split(options)
      .entries()) {
      if (at % 2 === 1) put(sheet, '<span class="whole">')
      putText(sheet, part)
      if (at % 2 === 1) put(sheet, '</span>')
    }

  put(sheet, '</code>')
}

/** Writes a player of a recording; the address of a frame and of other recordings as a link. */
function writeSource(sheet: Sheet, node: MarkupElement): void {
  if (node.name !== 'iframe' && writeRecording(sheet, node)) return
  const link = sheet.linked ? undefined : linkTo(sheet, sourcesOf(node)[0])
  if (!link) {
    writeInlines(sheet, node.nodes)
    return
  }
  openLink(sheet, link)
  putText(sheet, link.title ?? link.href)
  put(sheet, '</a>')
}

/** Writes ruby annotations: text above the characters. */
function writeRuby(sheet: Sheet, node: MarkupElement): void {
  put(sheet, `<ruby${attributesOf(sheet, node)}>`)

  for (const inner of node.nodes) {
    if (!isElement(inner)) putText(sheet, inner)
    else if (inner.name === 'rt') {
      put(sheet, '<rt>')
      putText(sheet, wordsIn(inner))
      put(sheet, '</rt>')
    } else if (inner.name !== 'rp') putText(sheet, wordsIn(inner))
  }

  put(sheet, '</ruby>')
}

type Writer = (sheet: Sheet, node: MarkupElement) => void

const writers: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ...Object.keys(marks).map((name): [string, Writer] => [name, writeMark]),
  ['br', sheet => put(sheet, '<br>')],
  ['wbr', sheet => put(sheet, '<wbr>')],
  ['code', writeCode],
  ['#formula', (sheet, node) => writeFormula(sheet, wordsIn(node), false)],
  ['math', (sheet, node) => writeFormula(sheet, wordsIn(node), false)],
  ['img', (sheet, node) => writeImage(sheet, node, 'inline')],
  ['picture', (sheet, node) => writePicture(sheet, node, 'inline')],
  ['a', writeLink],
  ['button', writeButton],
  ['span', writeSpan],
  ['ruby', writeRuby],
  ['#note', (sheet, { attributes }) => writeNoteMark(sheet, attributes.name ?? '')],
  [
    'input',
    (sheet, { attributes: { type, checked } }) => {
      if (type === 'checkbox') put(sheet, checked === undefined ? '☐' : '☑')
    },
  ],
  ...['iframe', 'video', 'audio'].map((name): [string, Writer] => [name, writeSource]),
])

function writeElement(sheet: Sheet, node: MarkupElement): void {
  const { name } = node
  if (dropped.has(name) || (name === 'i' && writeIcon(sheet, node))) return
  const opened = openChange(sheet, node, 'span')
  const writer = writers.get(name)
  if (writer) writer(sheet, node)
  else writeInlines(sheet, node.nodes)
  closeChange(sheet, opened)
}

/** Writes the content of a line. */
export function writeInlines(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  for (const [at, node] of nodes.entries()) {
    if (isFull(sheet)) return
    if (typeof node === 'string') putText(sheet, sheet.verbatim ? node : withEmoji(node))
    else if (node.name === '#wrap') {
      if (isSpace(nodes[at - 1], nodes[at + 1])) put(sheet, '\n')
    } else writeElement(sheet, node)
  }
}
