import { sourcesOf } from '../markup/blocks.ts'
import { isSpace } from '../markup/lines.ts'
import { wordsTree } from '../markup/parse.ts'
import {
  isBlockName,
  type MarkupElement,
  type MarkupNode,
  pixels,
  wordsIn,
} from '../markup/tree.ts'
import { withEmoji } from '../text/emoji.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { writeAnchor } from './anchors.ts'
import {
  breakableIn,
  linked,
  linkOf,
  literal,
  marked,
  quietly,
  type Sheet,
  write,
  writeWords,
} from './sheet.ts'

/** The Typst functions that mark words, by the names of elements. */
const marks: Readonly<Record<string, string>> = {
  strong: 'strong',
  b: 'strong',
  em: 'emph',
  i: 'emph',
  cite: 'emph',
  dfn: 'emph',
  var: 'emph',
  s: 'strike',
  del: 'strike',
  strike: 'strike',
  u: 'underline',
  ins: 'underline',
  sub: 'sub',
  sup: 'super',
  small: 'smaller',
  button: 'strong',
}

const codes = ['code', 'tt', 'samp', '#formula']
const dropped = ['select', 'option', 'source', 'template', 'noscript', 'textarea', 'title']

/** The names of text and background colours in the preamble. */
const colors = new Set(
  'red orange yellow green blue purple pink gray primary info success warning danger tint'.split(
    ' ',
  ),
)

function colorIn(style: string | undefined, property: string): string {
  const found = new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*\\$?([a-z]{1,12})`, 'i').exec(
    (style ?? '').slice(0, 200),
  )
  const name = (found?.[1] ?? '').toLowerCase()
  return colors.has(name) ? literal(name) : 'none'
}

function writeCode(sheet: Sheet, text: string): void {
  const shown = text.replace(/[\r\n\t]+/g, ' ')
  if (shown === '') return
  const code = breakableIn(sheet, shown, true)
  const before = code.startsWith('box();') ? 'box();' : ''
  write(sheet, `${before}mono({[];${code.slice(before.length)}});`)
  sheet.spaced = false
}

function fileName(target: string): string {
  const path = target.replace(/[?#].*$/s, '').replace(/\/$/, '')
  return path.slice(path.lastIndexOf('/') + 1)
}

function writeLink(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  if (attributes.id ?? attributes.name) writeAnchor(sheet, attributes.id ?? attributes.name ?? '')
  const { href } = attributes
  const link = href === undefined || sheet.marks.includes('a') ? undefined : linkOf(sheet, href)
  if (nodes.length === 0) return

  if (!link) {
    writeInlines(sheet, nodes)
    return
  }

  const title = 'page' in link && !link.anchor ? sheet.printing.titles.get(link.page) : undefined
  const mention = attributes.title === 'mention' || attributes['data-mention'] !== undefined
  const own = title !== undefined && (mention || nodes.map(wordsIn).join('') === fileName(href!))

  sheet.marks.push('a')
  linked(sheet, link, () => (own ? writeWords(sheet, title) : writeInlines(sheet, nodes)))
  sheet.marks.pop()
}

/** Returns the words in place of an image that is not shown: its text, or its name. */
export const insteadOfImage = ({ src = '', alt }: MarkupElement['attributes']): string =>
  alt || (/^data:/i.test(src) ? 'image' : nameOfTarget(src))

/** Writes an image within a line: as high as the line, or up to a few lines high. */
export function writeInlineImage(sheet: Sheet, { attributes }: MarkupElement): void {
  const image = sheet.printing.book.image(sheet.origin.file, attributes.src ?? '')
  if (!image) {
    writeWords(sheet, insteadOfImage(attributes))
    return
  }

  sheet.printing.images.add(image.name)
  const size = attributes['data-size'] === 'line' ? 'line-image' : 'inline-image'
  const width = pixels(attributes.width) ?? image.width

  write(sheet, `${size}(${literal(image.name)}, ${width ?? 'none'});`)
  sheet.spaced = false
}

function writeNote(sheet: Sheet, name: string): void {
  const { printing, origin } = sheet
  const text = origin.notes.get(name)
  if (text === undefined || sheet.noteless) return

  const noted = sheet.noted.get(origin.notes) ?? new Map<string, string>()

  sheet.noted.set(origin.notes, noted)
  const known = noted.get(name)

  if (known !== undefined) {
    write(sheet, `footnote(label(${literal(known)}));`)
    return
  }

  const label = `n-${++printing.notes}`

  noted.set(name, label)
  const { marks } = sheet

  sheet.marks = []
  sheet.spaced = true
  write(sheet, '[#footnote({[];')
  quietly(sheet, false, () => writeInlines(sheet, wordsTree(text).nodes))
  write(sheet, `})#label(${literal(label)})];`)
  sheet.marks = marks
  sheet.spaced = false
}

function writeStyled(sheet: Sheet, { attributes, nodes, name }: MarkupElement): void {
  const { style } = attributes
  const color = colorIn(style, 'color')
  const behind = colorIn(style, 'background-color')
  const body = () => writeInlines(sheet, nodes)

  if (color !== 'none' || behind !== 'none') marked(sheet, 'tinted', body, [color, behind])
  else if (name === 'mark') marked(sheet, 'tinted', body, ['none', '"yellow"'])
  else body()
}

function writeEmoji(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const words = nodes.map(wordsIn).join('')
  const code = Number.parseInt(/^[0-9a-f]{1,6}/i.exec(attributes['data-code'] ?? '')?.[0] ?? '', 16)
  writeWords(
    sheet,
    words !== '' || !(code > 31 && code <= 0x10ffff) ? words : String.fromCodePoint(code),
  )
}

type Writer = (sheet: Sheet, node: MarkupElement) => void

function writeCheckbox(sheet: Sheet, { attributes }: MarkupElement): void {
  if (attributes.type !== 'checkbox') return
  write(sheet, `check(${attributes.checked === undefined ? 'false' : 'true'});`)
  sheet.spaced = false
}

function writeBreak(sheet: Sheet): void {
  write(sheet, 'linebreak();')
  sheet.spaced = true
}

const writeCodeOf: Writer = (sheet, node) => writeCode(sheet, wordsIn(node))

/** Elements whose name alone decides how they are written. */
const writers: ReadonlyMap<string, Writer> = new Map([
  ...dropped.map((name): [string, Writer] => [name, () => {}]),
  ...codes.map((name): [string, Writer] => [name, writeCodeOf]),
  ['br', writeBreak],
  ['img', writeInlineImage],
  ['a', writeLink],
  ['#note', (sheet, { attributes }) => writeNote(sheet, attributes.name ?? '')],
  ['input', writeCheckbox],
  ['kbd', (sheet, { nodes }) => marked(sheet, 'key', () => writeInlines(sheet, nodes))],
  ['mark', writeStyled],
])

const sources = new Set(['iframe', 'video', 'audio'])

const isIcon = ({ name, attributes }: MarkupElement): boolean =>
  name === 'i' && (attributes.class ?? '').startsWith('fa-')

function writeElement(sheet: Sheet, node: MarkupElement): void {
  const { name, attributes, nodes } = node
  const writer = writers.get(name)
  if (writer) {
    writer(sheet, node)
    return
  }

  if (isIcon(node)) return

  const mark = Object.hasOwn(marks, name) ? marks[name] : undefined

  if (name === 'span' && attributes.style) writeStyled(sheet, node)
  else if (attributes['data-tag'] === 'emoji') writeEmoji(sheet, node)
  else if (sources.has(name)) writeSource(sheet, node)
  else if (mark) marked(sheet, mark, () => writeInlines(sheet, nodes))
  else {
    // A block within a line starts a new line.
    if (isBlockName(name) && !sheet.spaced) writeBreak(sheet)
    writeInlines(sheet, nodes)
  }
}

/** Writes the address of a frame or a recording as a link; the name of a file of the space. */
function writeSource(sheet: Sheet, node: MarkupElement): void {
  const [source] = sourcesOf(node)
  if (source === undefined) {
    writeInlines(sheet, node.nodes)
    return
  }

  const link = linkOf(sheet, source)
  linked(sheet, link, () => writeWords(sheet, link ? source : nameOfTarget(source)))
}

/** Writes the content of a line. */
export function writeInlines(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  for (const [at, node] of nodes.entries()) {
    if (typeof node === 'string') writeWords(sheet, withEmoji(node))
    else if (node.name === '#wrap') {
      if (isSpace(nodes[at - 1], nodes[at + 1])) writeWords(sheet, ' ')
    } else writeElement(sheet, node)
  }
}
