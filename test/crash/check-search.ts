import type { Call } from './call.ts'
import type { Ledger, Space } from './ledger.ts'
import { countJobs, databaseOf } from './rows.ts'

/** An index that takes longer does not come. */
const patienceMs = 120_000

/**
 * Whether what spaces were promised to hold is found: in the organization, which searches the index as it is, and in the
 * space, which may bring it up first. Gives what is not, and how often was searched.
 */
export async function checkSearch(
  call: Call,
  dataDir: string,
  { spaces }: Pick<Ledger, 'spaces'>,
): Promise<{ found: string[]; searches: number }> {
  const late = await waitForIndex(dataDir)
  const found = late ? [late] : []
  let searches = 0
  for (const space of spaces) {
    const wanted = space.deleted === 'no' ? newest(space) : undefined
    if (!wanted) continue
    for (const path of ['/v1/orgs/default/search', `/v1/spaces/${space.id}/search`]) {
      const reply = await call({ method: 'GET', path: `${path}?query=${wanted.token}` })
      searches++
      // biome-ignore lint/suspicious/noExplicitAny: an answer of one shape or the other
      const items: any[] = reply?.body?.items ?? []
      const pages = items.flatMap(item => item.pages ?? [item])
      if (pages.length !== 1 || pages[0].id !== wanted.page)
        found.push(
          `space ${space.id}: ${path} does not find ${wanted.token} on ${wanted.page}, but ${reply?.status} ${reply?.text}`,
        )
    }
  }
  return { found, searches }
}

/** The token that was put last of those that stand on a page of the primary content, and that page. */
function newest({ pages, requests, tokens }: Space): { token: string; page: string } | undefined {
  const merged = requests.filter(each => each.merged === 'yes').flatMap(each => each.pages)
  return [...pages, ...merged]
    .flatMap(page => (page?.id ? page.tokens.map(token => ({ token, page: page.id })) : []))
    .filter(({ token }) => tokens.get(token) === 'yes')
    .sort((a, b) => numberOf(b.token) - numberOf(a.token))[0]
}

const numberOf = (token: string): number => Number(/\d+/.exec(token)?.[0])

/** Waits until no space waits for its index: that has a second to gather what is written. */
async function waitForIndex(dataDir: string): Promise<string | undefined> {
  const begun = performance.now()
  while (countJobs(databaseOf(dataDir), 'index-search') > 0) {
    if (performance.now() - begun > patienceMs) return 'the search index is never done'
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return undefined
}
