import type { Steps } from '../../lib/slices.ts'
import { hasWords, titleOfReference } from '../markup/blocks.ts'
import { isBlank } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode } from '../markup/tree.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { sizeText } from '../text/size-text.ts'
import { attributesOf } from './change.ts'
import { writeDiagram, writePre } from './code.ts'
import { escapeHtml } from './escape.ts'
import { writeInlines } from './inline.ts'
import { brokenClass, linkTo, openLink, signOf } from './link.ts'
import { playerOf } from './players.ts'
import { put, putText, type Sheet } from './sheet.ts'

/**
 * What a card shows: its kind as a class, a title, words below it, and further attributes of the
 * link.
 */
type Card = { kind: string; title: string; below?: string | undefined; more?: string }

const longestTitle = 500

/** Writes a card that leads to a target; without a link if it leads nowhere. */
function writeCard(
  sheet: Sheet,
  target: string,
  node: MarkupElement,
  { kind, title, below, more = '' }: Card,
): void {
  const link = sheet.linked ? undefined : linkTo(sheet, target)
  const classes = ['card', kind, link ? '' : brokenClass(sheet)]
  const attributes = attributesOf(sheet, node, ...classes) + more
  if (link) openLink(sheet, link, attributes)
  else put(sheet, `<div${attributes}>`)
  put(sheet, `<strong>${link && kind === 'page' ? signOf(sheet, link) : ''}`)
  putText(sheet, title.slice(0, longestTitle))
  put(sheet, '</strong>')

  if (below) {
    put(sheet, '<span>')
    putText(sheet, below.slice(0, longestTitle))
    put(sheet, '</span>')
  }

  put(sheet, link ? '</a>\n' : '</div>\n')
}

/** Writes the content of a tag as the caption of a card. Paragraphs become lines. */
function writeCaption(sheet: Sheet, nodes: readonly MarkupNode[]): void {
  if (!hasWords(nodes)) return
  put(sheet, '<figcaption>')
  writeInlines(sheet, nodes)
  put(sheet, '</figcaption>')
}

/** Writes a card with a caption below it, if there is one. */
function writeCaptioned(sheet: Sheet, caption: readonly MarkupNode[], card: () => void): void {
  const isFigure = hasWords(caption)
  if (isFigure) put(sheet, '<figure>')
  card()
  writeCaption(sheet, caption)
  if (isFigure) put(sheet, '</figure>\n')
}

/** Writes a link to a page as a card. Content that is too much for a title follows it. */
function* writePage(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { attributes, nodes } = node
  const target = attributes.url ?? attributes.page ?? ''
  const own = titleOfReference(node)
  const link = linkTo(sheet, target)
  const title = link?.title ?? (own || (link?.kind === 'external' ? target : nameOfTarget(target)))

  writeCard(sheet, target, node, { kind: 'page', title, below: link?.description })
  if (own === undefined) yield* sheet.write(nodes)
}

const hostOf = (address: string): string =>
  /^https?:\/\/([^/?#\s]{1,200})/i.exec(address)?.[1] ?? address

/**
 * Writes content of another server as a card that leads there. Recordings have the address of a
 * player.
 */
export function writeEmbed(
  sheet: Sheet,
  node: MarkupElement,
  address: string,
  caption: readonly MarkupNode[],
): void {
  const link = linkTo(sheet, address)
  const player = link?.kind === 'external' ? playerOf(link.href) : undefined
  const more = player ? ` data-player="${escapeHtml(player)}"` : ''
  const title = link?.title ?? hostOf(address)
  writeCaptioned(sheet, caption, () =>
    writeCard(sheet, address, node, { kind: 'embed', title, below: address, more }),
  )
}

function writeFile(sheet: Sheet, node: MarkupElement): void {
  const { src = '', caption } = node.attributes
  const link = linkTo(sheet, src)
  const title = link?.title ?? nameOfTarget(src)
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(title)?.[1]?.toUpperCase()
  const size = link?.size === undefined ? undefined : sizeText(link.size)
  const below = [link && sheet.options.words.download, extension, size].filter(Boolean).join(' · ')
  const words = caption ? [caption] : node.nodes

  writeCaptioned(sheet, words, () =>
    writeCard(sheet, src, node, { kind: 'file', title, below, more: link ? ' download' : '' }),
  )
}

const isLink = (node: MarkupNode): boolean =>
  isBlank(node) ||
  (isElement(node) &&
    (node.name === 'a' ||
      ((node.name === 'p' || node.name === 'group') && node.nodes.every(isLink))))

/**
 * Writes an operation that was not written out: its method and path as a card. Other content is
 * written as it is.
 */
function* writeOpenapi(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { attributes, nodes } = node
  if (!nodes.every(isLink)) {
    yield* sheet.write(nodes)
    return
  }

  const method = (attributes.method ?? '').toUpperCase()
  const what = attributes.path ?? attributes.name ?? attributes.schemas ?? attributes.spec ?? ''
  const title = `${method} ${what}`.trim() || nameOfTarget(attributes.src ?? '')

  writeCard(sheet, attributes.src ?? '', node, { kind: 'openapi', title })
}

/** Writes a block of an integration: a diagram, code, or a card that leads to its address. */
function* writeIntegration(sheet: Sheet, node: MarkupElement): Steps<void> {
  const { url, content } = node.attributes
  if (node.name.startsWith('%@mermaid') && content) writeDiagram(sheet, content)
  else if (url) writeEmbed(sheet, node, url, [])
  else if (content)
    writePre(sheet, { name: 'pre', attributes: { lang: '' }, nodes: [content], blocks: false })
  yield* sheet.write(node.nodes)
}

/** Writes a tag that leads somewhere. Returns undefined for any other tag. */
export function writeReference(
  sheet: Sheet,
  node: MarkupElement,
): Steps<void> | undefined | 'done' {
  const { name, attributes, nodes } = node
  if (name === '%content-ref' || name === '%page-ref') return writePage(sheet, node)
  if (name.startsWith('%openapi')) return writeOpenapi(sheet, node)
  if (name.startsWith('%@')) return writeIntegration(sheet, node)
  if (name === '%embed') writeEmbed(sheet, node, attributes.url ?? '', nodes)
  else if (name === '%file') writeFile(sheet, node)
  else return undefined
  return 'done'
}
