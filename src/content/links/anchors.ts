import type { Steps } from '../../lib/slices.ts'
import { slugOfTitle } from '../text/slug.ts'
import type { LinkFacts } from './facts.ts'

/** As other tools spell it: letters of every script, digits, `_` and `-`; blanks become hyphens. */
const plainSlug = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replace(/ /g, '-')

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The names of places in a file: how many there are of each. An id that it gives counts for all. */
export type Anchors = ReadonlyMap<string, number>

/**
 * What a fragment may name in a file, in steps, for transliterating a long title takes milliseconds: the ids that it gives,
 * and its headings in the spelling of now or in an older one (without dots, as other tools do it).
 */
export function* anchorSteps({ ids, titles }: Pick<LinkFacts, 'ids' | 'titles'>): Steps<Anchors> {
  const anchors = new Map<string, number>()
  for (const title of titles) {
    const slug = slugOfTitle(title)
    for (const spelling of new Set([slug, slug.replace(/\./g, ''), plainSlug(title)]))
      anchors.set(spelling, (anchors.get(spelling) ?? 0) + 1)
    yield
  }
  for (const id of ids) anchors.set(id, anchors.get(id) ?? 1)
  return anchors
}

/** Whether a fragment names something; of equal headings the second with `-1`, and so on. */
export function hasAnchor(anchors: Anchors, fragment: string): boolean {
  const wanted = decoded(fragment)
  const bare = wanted.replace(/^id-/, '')
  if (wanted === '' || [fragment, wanted, bare].some(name => anchors.has(name))) return true
  const [, stem = '', number] = /^(.*)-(\d{1,4})$/.exec(bare) ?? []
  return Number(number) < (anchors.get(stem) ?? 0)
}
