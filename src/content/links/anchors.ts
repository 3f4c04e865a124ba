import type { Steps } from '../../lib/slices.ts'
import { slugOfTitle } from '../text/slug.ts'
import type { LinkFacts } from './facts.ts'
import { foldAnchor, gitHubSlug } from './spellings.ts'

/**
 * Returns the slug that other tools use: letters of every script, digits, `_` and `-`; spaces
 * become hyphens.
 */
const plainSlug = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replace(/ /g, '-')

/**
 * Returns an anchor with its percent encoding decoded. Returns it unchanged if the encoding is
 * invalid.
 */
export function decodedAnchor(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The anchors of a file, with the number of headings that have each; an explicit id counts once.
 */
export type Anchors = ReadonlyMap<string, number>

/**
 * Returns the anchors of a file: its ids, and the slugs of its titles in the current spelling, in
 * the older one without dots, and in those of other tools and of links that sites follow. In steps,
 * because transliterating a long title takes milliseconds.
 */
export function* anchorSteps({ ids, titles }: Pick<LinkFacts, 'ids' | 'titles'>): Steps<Anchors> {
  const anchors = new Map<string, number>()
  for (const title of titles) {
    const slug = slugOfTitle(title)
    const other = [slug.replace(/\./g, ''), plainSlug(title), foldAnchor(slug), gitHubSlug(title)]
    for (const spelling of new Set([slug, ...other]))
      anchors.set(spelling, (anchors.get(spelling) ?? 0) + 1)
    yield
  }

  for (const id of ids) anchors.set(id, anchors.get(id) ?? 1)

  return anchors
}

/**
 * Reports whether a fragment names an anchor, also in another spelling that sites follow. The
 * second of two equal headings has the suffix `-1`, and so on.
 */
export function hasAnchor(anchors: Anchors, fragment: string): boolean {
  const wanted = decodedAnchor(fragment)
  const bare = wanted.replace(/^id-/, '')
  const spellings = [fragment, wanted, bare, foldAnchor(bare), gitHubSlug(bare)]
  if (wanted === '' || spellings.some(name => anchors.has(name))) return true

  return spellings.some(name => {
    const [, stem = '', number] = /^(.*)-(\d{1,4})$/.exec(name) ?? []
    return Number(number) < (anchors.get(stem) ?? 0)
  })
}
