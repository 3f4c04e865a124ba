import { hasWords, languageOf, takeNamed } from '../markup/blocks.ts'
import { blocksAndLines, isBlank, onlyImage } from '../markup/lines.ts'
import { imageIn, type MarkupElement, type MarkupNode, pixels, wordsIn } from '../markup/tree.ts'
import { headingLabel, isHeadingMark } from './anchors.ts'
import { writeBox } from './box.ts'
import { insteadOfImage, writeInlineImage, writeInlines } from './inline.ts'
import { writeListing } from './listing.ts'
import {
  boxed,
  call,
  hasRoom,
  linked,
  linkOf,
  literal,
  quietly,
  type Sheet,
  write,
  writeWords,
} from './sheet.ts'
import { writeTable } from './table.ts'

/** Returns the image of a line that has nothing else; undefined for other lines. */
function imageOf(line: readonly MarkupNode[]): MarkupElement | undefined {
  const only = onlyImage(line)
  return only && imageIn(only)
}

/** Writes an image as a block, with its caption. */
function writeImage(sheet: Sheet, image: MarkupElement, caption: readonly MarkupNode[]): void {
  const { book, images } = sheet.printing
  const { src = '', alt = '', width } = image.attributes
  const file = book.image(sheet.origin.file, src)
  if (file) images.add(file.name)

  const percent = /^\s*(\d{1,3})(?:\.\d+)?%\s*$/.exec(width ?? '')
  const share = percent ? `${Math.min(100, Math.max(5, Number(percent[1])))}%` : undefined
  const size = share ?? pixels(width) ?? file?.width ?? 'none'
  const link = file ? undefined : linkOf(sheet, src)

  call(
    sheet,
    `picture(${file ? literal(file.name) : 'none'}, ${size}, ${literal(alt.slice(0, 500))}, `,
    () => {
      sheet.spaced = true
      if (!file) {
        linked(sheet, link, () => writeWords(sheet, insteadOfImage(image.attributes)))
        if (caption.length > 0) write(sheet, 'linebreak();')
      }
      quietly(sheet, false, () => writeInlines(sheet, caption))
    },
  )
}

/** Writes a line between blocks: a paragraph, or an image. */
function writeLine(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  if (nodes.every(isBlank)) return
  const image = imageOf(nodes)
  if (image) {
    const { title } = image.attributes
    writeImage(sheet, image, title ? [title] : [])
    return
  }

  sheet.spaced = true
  call(sheet, 'par(', () => writeInlines(sheet, nodes))
}

/** Writes a sequence of blocks and the lines between them. */
export function writeBlocks(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  for (const part of blocksAndLines(nodes))
    if (Array.isArray(part)) writeLine(sheet, part)
    else writeBlock(sheet, part)
}

function writeAligned(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const { align } = attributes
  if (align !== 'center' && align !== 'right') {
    writeBlocks(sheet, nodes)
    return
  }
  boxed(sheet, `align(${align}, `, () => writeBlocks(sheet, nodes))
}

function writeHeading(sheet: Sheet, heading: MarkupElement): void {
  const nodes = heading.nodes.filter(node => !isHeadingMark(node))
  if (!hasWords(nodes)) {
    writeLine(sheet, nodes)
    return
  }

  sheet.spaced = true
  const size = Math.min(6, Math.max(2, Number(heading.name[1])))
  const words = () => quietly(sheet, false, () => writeInlines(sheet, nodes))

  if (sheet.quiet) {
    call(sheet, 'minor(', words)
    return
  }

  const label = headingLabel(sheet, heading)
  sheet.printing.headings.push(label)

  write(sheet, `[#section(${Math.min(30, sheet.level + size - 2)}, "h${size}", {[];`)
  words()
  write(sheet, `})#label(${literal(label)})];\n`)
}

const contentOf = (item: MarkupNode): readonly MarkupNode[] =>
  typeof item !== 'string' && item.name === 'li' ? item.nodes : [item]

const checkedOf = (item: MarkupNode): string | undefined =>
  typeof item === 'string' ? undefined : item.attributes.checked

/** The Typst code around a list and around each item. */
type ListForm = {
  opening: string
  closing: string
  item: (item: MarkupNode) => string
  itemEnd: string
}

function listForm(sheet: Sheet, list: MarkupElement, items: readonly MarkupNode[]): ListForm {
  if (items.some(item => checkedOf(item) !== undefined)) {
    const item = (each: MarkupNode) => `(${taskState(each)}, {[];`
    return { opening: 'tasks(', closing: ');', item, itemEnd: '}), ' }
  }

  if (list.name === 'ul' && sheet.listed) {
    // Item by item: the time is proportional to their number, at any depth.
    const marker = sheet.depth % 2 === 0 ? '·' : '–'
    return { opening: '', closing: '', item: () => `deep([${marker}], {[];`, itemEnd: '});' }
  }

  const isLoose = items.some(item =>
    contentOf(item).some(node => typeof node !== 'string' && node.name === 'p'),
  )
  const start = /^\d{1,9}$/.exec(list.attributes.start ?? '')?.[0] ?? '1'
  const opening = list.name === 'ol' ? `enum(start: ${Number(start)}, ` : 'list('

  return {
    opening: `${opening}tight: ${!isLoose}, `,
    closing: ');',
    item: () => '{[];',
    itemEnd: '}, ',
  }
}

function taskState(item: MarkupNode): string {
  const checked = checkedOf(item)
  if (checked === 'yes') return 'true'
  return checked ? 'false' : 'none'
}

function writeList(sheet: Sheet, list: MarkupElement): void {
  const items = list.nodes.filter(node => !isBlank(node))
  if (items.length === 0) return

  if (!hasRoom(sheet)) {
    for (const item of items) writeBlocks(sheet, contentOf(item))
    return
  }

  const form = listForm(sheet, list, items)
  const { listed } = sheet

  // Within an item a list is close to the text; elsewhere it is spaced like a paragraph.
  const gap = listed ? '' : 'parbreak();'

  write(sheet, gap + form.opening)
  sheet.listed = true
  sheet.depth++

  for (const item of items) {
    write(sheet, form.item(item))
    writeBlocks(sheet, contentOf(item))
    write(sheet, form.itemEnd)
  }

  sheet.depth--
  sheet.listed = listed
  write(sheet, `${form.closing}${gap}\n`)
}

function writePre(sheet: Sheet, pre: MarkupElement): void {
  const { attributes } = pre
  const words = pre.nodes.map(wordsIn).join('')

  // HTML ignores a line break directly after the opening tag.
  const text = attributes.lang === undefined ? words.replace(/^\n/, '') : words

  const title = attributes['data-title'] ?? attributes.title ?? ''

  writeListing(sheet, text, languageOf(pre), title, 'data-line-numbers' in attributes)
}

/** Writes the image of a figure with its caption, or other content and the caption below. */
function writeFigure(sheet: Sheet, { nodes }: MarkupElement): void {
  const [caption, rest] = takeNamed(nodes, 'figcaption')
  const image = imageOf(rest)
  const words = caption && hasWords(caption.nodes) ? caption.nodes : []

  if (image) {
    writeImage(sheet, image, words)
    return
  }

  writeBlocks(sheet, rest)

  if (words.length > 0) {
    sheet.spaced = true
    call(sheet, 'caption(', () => quietly(sheet, false, () => writeInlines(sheet, words)))
  }
}

function writeDetails(sheet: Sheet, { nodes }: MarkupElement): void {
  const [summary, rest] = takeNamed(nodes, 'summary')
  if (!hasRoom(sheet)) {
    writeBlocks(sheet, nodes)
    return
  }

  write(sheet, summary ? 'details({[];' : 'details(none')
  sheet.spaced = true
  if (summary) quietly(sheet, false, () => writeInlines(sheet, summary.nodes))
  boxed(sheet, summary ? '}, ' : ', ', () => writeBlocks(sheet, rest))
}

function writeTerms(sheet: Sheet, { nodes }: MarkupElement): void {
  for (const node of nodes) {
    if (typeof node !== 'string' && node.name === 'dt')
      writeLine(sheet, [{ ...node, name: 'strong' }])
    else if (typeof node !== 'string' && node.name === 'dd')
      boxed(sheet, 'pad(left: 1.5em, ', () => writeBlocks(sheet, node.nodes))
    else writeBlocks(sheet, [node])
  }
}

const writers: Readonly<Record<string, (sheet: Sheet, node: MarkupElement) => void>> = {
  p: writeAligned,
  div: (sheet, node) => {
    const { 'data-tag': tag } = node.attributes
    if (tag)
      writeBox(sheet, {
        ...node,
        name: `%${tag}`,
        attributes: { style: node.attributes['data-style'] ?? '' },
      })
    else writeAligned(sheet, node)
  },
  ul: writeList,
  ol: writeList,
  pre: writePre,
  table: writeTable,
  figure: writeFigure,
  details: writeDetails,
  dl: writeTerms,
  hr: sheet => write(sheet, 'divider();\n'),
  blockquote: (sheet, { nodes }) => boxed(sheet, 'quoted(', () => writeBlocks(sheet, nodes)),
  math: (sheet, node) => writeListing(sheet, wordsIn(node), '', '', false),
  '%origin': (sheet, node) => {
    const { origin } = sheet
    sheet.origin = sheet.origins.get(node) ?? origin
    writeBlocks(sheet, node.nodes)
    sheet.origin = origin
  },
}

/** Writes one block. */
function writeBlock(sheet: Sheet, node: MarkupElement): void {
  const writer = Object.hasOwn(writers, node.name) ? writers[node.name]! : null
  if (writer) writer(sheet, node)
  else if (/^h[1-6]$/.test(node.name)) writeHeading(sheet, node)
  else if (node.name.startsWith('%')) writeBox(sheet, node)
  else if (node.name === 'img') writeInlineImage(sheet, node)
  else writeBlocks(sheet, node.nodes)
}
