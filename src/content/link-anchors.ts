import { BoundedCache } from '../lib/bounded-cache.ts'
import type { LinkFacts } from './link-facts.ts'
import { slugOfTitle } from './slug.ts'

/** What headings are called in addresses, by their words: transliterating a long title takes milliseconds. */
const slugs = new BoundedCache<string, string>(20_000)

function slugOf(title: string): string {
  const known = slugs.get(title)
  if (known !== undefined) return known
  const slug = slugOfTitle(title)
  slugs.set(title, slug, 1)
  return slug
}

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

/**
 * Whether a fragment names something in a file: an id that it gives, or a heading in the spelling of now or in an older
 * one (without dots, as other tools do it); of equal headings the second with `-1`, and so on.
 */
export function hasAnchor({ ids, titles }: Pick<LinkFacts, 'ids' | 'titles'>, fragment: string): boolean {
  const wanted = decoded(fragment)
  if (wanted === '' || ids.includes(wanted) || ids.includes(fragment)) return true
  const bare = wanted.replace(/^id-/, '')
  const [, stem, number] = /^(.*)-(\d{1,4})$/.exec(bare) ?? []
  let equal = 0
  for (const title of titles) {
    const slug = slugOf(title)
    const spellings = [slug, slug.replace(/\./g, ''), plainSlug(title)]
    if (spellings.includes(bare)) return true
    if (stem !== undefined && spellings.includes(stem)) equal++
  }
  return equal > 0 && Number(number) < equal
}
