import { normalize } from '../../lib/normalize.ts'
import { foldAnchor, gitHubSlug } from '../links/spellings.ts'
import { type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { slugOfTitle, uniqueSlug } from '../text/slug.ts'
import { type Anchors, literal, type Printing, type Sheet, write } from './sheet.ts'

/** Returns the anchors of a page that has none yet. */
export const noAnchors = (): Anchors => ({ exact: new Map(), loose: new Map() })

/** Returns the id of a heading: its own, or that of an `<a id>` in it. */
function explicitId(node: MarkupElement): string | undefined {
  const own = node.attributes.id
  if (own) return own
  const mark = node.nodes.find(
    (inner): inner is MarkupElement =>
      typeof inner !== 'string' && inner.name === 'a' && Boolean(inner.attributes.id),
  )
  return mark?.attributes.id
}

function labelOf(sheet: Sheet, anchor: string): string {
  const label = `p-${sheet.page.id}#${anchor}`
  sheet.anchors.exact.set(anchor, label)
  const other = foldAnchor(anchor)
  if (!sheet.anchors.loose.has(other)) sheet.anchors.loose.set(other, label)
  return label
}

/** Returns the label of a heading, and records the spellings of its anchor. */
export function headingLabel(sheet: Sheet, heading: MarkupElement): string {
  const text = heading.nodes.map(wordsIn).join('').replace(/\s+/g, ' ').trim()
  const id = explicitId(heading)
  const slug = slugOfTitle(text)
  const wanted = id ?? (/^\d/.test(slug) ? `id-${slug}` : slug)
  const anchor = uniqueSlug(wanted.slice(0, 200), sheet.taken, sheet.numbers)

  sheet.taken.add(normalize('NFC', anchor).toLowerCase())
  const label = labelOf(sheet, anchor)

  for (const spelling of [foldAnchor(slug), gitHubSlug(text.slice(0, 200))])
    if (!sheet.anchors.loose.has(spelling)) sheet.anchors.loose.set(spelling, label)

  return label
}

/** Writes the target of links that an `<a id>` in a text defines. */
export function writeAnchor(sheet: Sheet, id: string): void {
  const anchor = id.slice(0, 200)
  const key = normalize('NFC', anchor).toLowerCase()
  if (sheet.quiet || anchor === '' || sheet.taken.has(key)) return
  sheet.taken.add(key)
  write(sheet, `[#metadata(none)#label(${literal(labelOf(sheet, anchor))})];`)
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}

/** Returns the label of a page's anchor, in any spelling, or else of the page. */
export function labelAt(printing: Printing, page: string, anchor: string | undefined): string {
  const anchors = printing.anchors.get(page)
  if (!anchor || !anchors) return `p-${page}`
  const name = decoded(anchor)
  const { exact, loose } = anchors
  return (
    exact.get(name) ?? loose.get(foldAnchor(name)) ?? loose.get(gitHubSlug(name)) ?? `p-${page}`
  )
}

/** Returns whether a node is an empty `<a id>`, which gives a heading its id. */
export const isHeadingMark = (node: MarkupNode): boolean =>
  typeof node !== 'string' &&
  node.name === 'a' &&
  Boolean(node.attributes.id) &&
  wordsIn(node).trim() === ''
