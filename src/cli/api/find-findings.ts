import { type FindingCounts, findingSentences } from '../../content/findings/count.ts'
import type { Finding } from '../../content/findings/kinds.ts'
import { Failure } from '../output/failure.ts'
import { callApi } from './call-api.ts'

/** The findings of what was sent, counted by kind, and the first of them in sentences. */
type SentFindings = { counts: FindingCounts; sentences: string[] }

type Findings = {
  items: Finding[]
  next?: { page: string }
  stats: { kinds: FindingCounts }
}

/** The most pages of findings that are read: a server lists 10,000. */
const mostPages = 10

/**
 * Returns the findings of a space or change request, whose path in the API is `of`; links that are
 * broken are in no sentence. Returns undefined if the request fails, e.g. because the token may not
 * read the content.
 */
export async function findFindings(of: string): Promise<SentFindings | undefined> {
  try {
    const path = `${of}/content/findings?limit=1000`
    let body = (await callApi('GET', path)).body as Findings
    const { stats } = body
    const items = [...body.items]
    // Of a kind whose findings are all on a later page, nothing would be said.
    for (let page = 1; body.next && page < mostPages; page++) {
      const from = encodeURIComponent(body.next.page)
      body = (await callApi('GET', `${path}&page=${from}`)).body as Findings
      items.push(...body.items)
    }
    const said = items.filter(({ kind }) => kind !== 'broken-link')
    return { counts: stats.kinds, sentences: findingSentences(said, stats.kinds) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}
