import { foldAnchor, gitHubSlug } from '../links/spellings.ts'
import { foldSlug, uniqueSlug } from '../text/slug.ts'

/**
 * The ids of a page. `spellings` are the texts of headings by id: links may spell an anchor in
 * several ways.
 */
export type Ids = {
  taken: Set<string>
  next: Map<string, number>
  exact: Set<string>
  texts: Map<string, string>
}

const longestId = 200

/** Returns the ids of a page that has none yet. */
export const noIds = (): Ids => ({
  taken: new Set(),
  next: new Map(),
  exact: new Set(),
  texts: new Map(),
})

/**
 * Reports whether an id is used as it is written. Longer ones are ignored, and those that begin
 * with a tilde: they are for the parts around the text, which no heading may hide.
 */
export const isFitId = (id: string | undefined): id is string =>
  id !== undefined && id !== '' && id.length <= longestId && !id.startsWith('~')

/** Takes an id, or the first of id-1, id-2 … that is not taken, and returns it. */
export function takeId(ids: Ids, wanted: string): string {
  const id = uniqueSlug(wanted, ids.taken, ids.next)
  ids.taken.add(foldSlug(id))
  ids.exact.add(id)
  return id
}

/** Takes an id unless it is taken. Returns whether it was free. */
export function takeFreeId(ids: Ids, id: string): boolean {
  const key = foldSlug(id)
  if (ids.taken.has(key)) return false
  ids.taken.add(key)
  ids.exact.add(id)
  return true
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}

/** Returns the fragment of an address that leads to an id. */
export const fragmentOf = (id: string): string =>
  /^[\w.+-]*$/.test(id) ? id : encodeURIComponent(id.toWellFormed())

/**
 * Returns a function that finds the id that an anchor of the page means, in any spelling; the
 * anchor itself if there is none.
 */
export function anchorFinder({ exact, texts }: Ids): (anchor: string) => string {
  let loose: Map<string, string> | undefined
  return anchor => {
    const name = decoded(anchor)
    if (exact.has(name)) return name
    loose ??= spellingsOf(texts)
    return loose.get(foldAnchor(name)) ?? loose.get(gitHubSlug(name)) ?? name
  }
}

function spellingsOf(texts: Ids['texts']): Map<string, string> {
  const loose = new Map<string, string>()
  for (const [id, text] of texts)
    for (const spelling of [foldAnchor(id), gitHubSlug(text.slice(0, 200))])
      if (!loose.has(spelling)) loose.set(spelling, id)
  return loose
}
