import { setTimeout } from 'node:timers/promises'
import type { Call } from '../clients/call.ts'
import type { Ledger, Space } from '../ledger.ts'
import { countJobs, type Stored } from './rows.ts'

/** After this long, an index is considered stuck. */
const patienceMs = 120_000

/** After this long, a start has opened all spaces and their indexes are up to date. */
const openingMs = 60_000

/** Returns the answer to a search, and whether it is the page that has the text. */
async function ask(call: Call, path: string, wanted: { token: string; page: string }) {
  const reply = await call({ method: 'GET', path: `${path}?query=${wanted.token}` })
  // biome-ignore lint/suspicious/noExplicitAny: a response of either shape
  const items: any[] = reply?.body?.items ?? []
  const pages = items.flatMap(item => item.pages ?? [item])
  return { reply, isFound: pages.length === 1 && pages[0].id === wanted.page }
}

/**
 * Searches for the promised texts of spaces: in the organization, which reads the index as it is,
 * and in the space, which may update it first. Returns what is not found, and the number of
 * searches.
 */
export async function checkSearch(
  call: Call,
  stored: Stored,
  { spaces }: Pick<Ledger, 'spaces'>,
  { openMs = openingMs }: { openMs?: number } = {},
): Promise<{ found: string[]; searches: number }> {
  const late = await waitForIndex(stored)
  const found = late ? [late] : []
  let searches = 0

  for (const space of spaces) {
    const wanted = space.deleted === 'no' ? newest(space) : undefined
    if (!wanted) continue

    for (const path of ['/v1/orgs/default/search', `/v1/spaces/${space.id}/search`]) {
      let { reply, isFound } = await ask(call, path, wanted)
      // A space that a start has not opened yet gets its job when it is opened, in the background.
      for (const end = Date.now() + openMs; !isFound && Date.now() < end; ) {
        await setTimeout(200)
        ;({ reply, isFound } = await ask(call, path, wanted))
      }

      searches++

      if (!isFound)
        found.push(
          `space ${space.id}: ${path} does not find ${wanted.token} on ${wanted.page}, but ${reply?.status} ${reply?.text}`,
        )
    }
  }

  return { found, searches }
}

/** The newest token on a page of the primary content, and that page. */
function newest({ pages, requests, tokens }: Space): { token: string; page: string } | undefined {
  const merged = requests.filter(each => each.merged === 'yes').flatMap(each => each.pages)
  return [...pages, ...merged]
    .flatMap(page => (page?.id ? page.tokens.map(token => ({ token, page: page.id })) : []))
    .filter(({ token }) => tokens.get(token) === 'yes')
    .sort((a, b) => numberOf(b.token) - numberOf(a.token))[0]
}

const numberOf = (token: string): number => Number(/\d+/.exec(token)?.[0])

/**
 * Waits until no space waits for its index; indexing starts a second after a write, to batch
 * writes.
 */
async function waitForIndex(stored: Stored): Promise<string | undefined> {
  const begun = performance.now()
  while ((await countJobs(stored, 'index-search')) > 0) {
    if (performance.now() - begun > patienceMs) return 'the search index is not complete'
    await setTimeout(100)
  }
  return undefined
}
