import type { z } from 'zod'
import type { FoundShown } from '../../../actions/audience/finding/found-by-reader.ts'
import { worstRank } from '../../../actions/audience/finding/rank-pages.ts'
import type { TitlesOfLinks } from '../../../actions/audience/finding/titles-of-links.ts'
import { finderOf, passagesOf } from '../../../content/search/passages.ts'
import type { Section } from '../../../content/search/sections.ts'
import type { SearchTerm } from '../../../content/search/words.ts'
import { type BrowserAddresses, pageAddressIn } from '../../../content/tree/browser-addresses.ts'
import { pauses } from '../../../lib/slices.ts'
import { findShown } from '../../../store/search/search.ts'
import type { Store } from '../../../store/store.ts'
import type { SearchPageResult } from './schema.ts'

type Page = z.input<typeof SearchPageResult>

/** A found page, and where a browser opens the content that it is in. */
type Shown = FoundShown & { app: BrowserAddresses }

type Presenting = {
  terms: readonly SearchTerm[]
  /** Returns the titles for links in the pages, which are of one space; called where one has any. */
  titles: () => TitlesOfLinks | Promise<TitlesOfLinks>
  signal?: AbortSignal | undefined
}

/**
 * Returns found pages as the API shows them, with their matching sections; yields to the event
 * loop.
 */
export async function presentFound(
  store: Store,
  found: readonly Shown[],
  { terms, titles, signal }: Presenting,
): Promise<Page[]> {
  const find = finderOf(terms)
  const pages: Page[] = []
  const pause = pauses(signal)
  let known: TitlesOfLinks | undefined

  for (let at = 0; at < found.length; at += 20) {
    const some = found.slice(at, at + 20)
    const shown = findShown(
      store,
      some.map(({ row }) => row.id),
    )

    for (const each of some) {
      const told = shown.get(each.row.id)
      const sections = each.sections ?? (JSON.parse(told?.sections ?? '[]') as Section[])
      if (sections.some(({ links }) => links)) known ??= await titles()
      const passages = passagesOf(sections, find, known?.(each.row.page_id))
      pages.push(presentPage(each, told?.description ?? null, passages))
      await pause()
    }
  }

  return pages
}

function presentPage(
  { row, rank, app: addresses }: Shown,
  description: string | null,
  passages: ReturnType<typeof passagesOf>,
): Page {
  const app = pageAddressIn(addresses, { id: row.page_id })
  return {
    id: row.page_id,
    title: row.title,
    ...(description !== null && { description }),
    path: row.path,
    sections: passages.map(({ heading, anchor, body }) => ({
      id: anchor || row.page_id,
      title: heading || row.title,
      path: anchor ? `${row.path}#${anchor}` : row.path,
      body,
      urls: { app: anchor ? `${app}#${encodeURIComponent(anchor)}` : app },
    })),
    ancestors: row.ancestors.map(title => ({ title })),
    score: 1 - rank / (worstRank + 1),
    urls: { app },
  }
}
