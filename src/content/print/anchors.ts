import { type PrintElement, type PrintNode, wordsIn } from '../markup/tree.ts'
import { slugOfTitle, uniqueSlug } from '../text/slug.ts'
import { type Anchors, literal, type Printing, type Sheet, write } from './sheet.ts'

/** Gives the anchors of a page that has none yet. */
export const noAnchors = (): Anchors => ({ exact: new Map(), loose: new Map() })

/** What other spellings of an anchor have in common. */
const folded = (anchor: string): string =>
  anchor
    .toLowerCase()
    .replace(/^id-(?=\d)/, '')
    .replace(/[._+/]/g, '')

const gitHub = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Gives the id that a heading bears: its own, or that of a mark in it. */
const explicitId = (node: PrintElement): string | undefined => {
  const own = node.attributes.id
  if (own) return own
  const mark = node.nodes.find(
    (inner): inner is PrintElement =>
      typeof inner !== 'string' && inner.name === 'a' && Boolean(inner.attributes.id),
  )
  return mark?.attributes.id
}

const labelOf = (sheet: Sheet, anchor: string): string => {
  const label = `p-${sheet.page.id}#${anchor}`
  sheet.anchors.exact.set(anchor, label)
  const other = folded(anchor)
  if (!sheet.anchors.loose.has(other)) sheet.anchors.loose.set(other, label)
  return label
}

/** Gives the label of a heading, and takes note of what its anchor is called. */
export const headingLabel = (sheet: Sheet, heading: PrintElement): string => {
  const text = heading.nodes.map(wordsIn).join('').replace(/\s+/g, ' ').trim()
  const id = explicitId(heading)
  const slug = slugOfTitle(text)
  const wanted = id ?? (/^\d/.test(slug) ? `id-${slug}` : slug)
  const anchor = uniqueSlug(wanted.slice(0, 200), sheet.taken, sheet.numbers)
  sheet.taken.add(anchor.normalize('NFC').toLowerCase())
  const label = labelOf(sheet, anchor)
  for (const spelling of [folded(slug), gitHub(text.slice(0, 200))])
    if (!sheet.anchors.loose.has(spelling)) sheet.anchors.loose.set(spelling, label)
  return label
}

/** Writes a place that something may lead to, as `<a id>` in a text is one. */
export const writeAnchor = (sheet: Sheet, id: string): void => {
  const anchor = id.slice(0, 200)
  const key = anchor.normalize('NFC').toLowerCase()
  if (sheet.quiet || anchor === '' || sheet.taken.has(key)) return
  sheet.taken.add(key)
  write(sheet, `[#metadata(none)#label(${literal(labelOf(sheet, anchor))})];`)
}

const decoded = (anchor: string): string => {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}

/** Gives the label of a page's anchor in whatever spelling, or else of the page. */
export const labelAt = (printing: Printing, page: string, anchor: string | undefined): string => {
  const anchors = printing.anchors.get(page)
  if (!anchor || !anchors) return `p-${page}`
  const name = decoded(anchor)
  const { exact, loose } = anchors
  return exact.get(name) ?? loose.get(folded(name)) ?? loose.get(gitHub(name)) ?? `p-${page}`
}

/** Says whether a node is a mark that only gives a heading its id. */
export const isHeadingMark = (node: PrintNode): boolean =>
  typeof node !== 'string' && node.name === 'a' && Boolean(node.attributes.id) && wordsIn(node).trim() === ''
