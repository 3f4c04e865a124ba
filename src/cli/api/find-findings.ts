import { type FindingCounts, findingSentences } from '../../content/findings/count.ts'
import type { Finding } from '../../content/findings/kinds.ts'
import { Failure } from '../output/failure.ts'
import { callApi } from './call-api.ts'

/** The findings of what was sent, counted by kind, and the first of them in sentences. */
type SentFindings = { counts: FindingCounts; sentences: string[] }

type Findings = {
  items: Finding[]
  stats: { kinds: FindingCounts }
}

/**
 * Returns the findings of a space or change request, whose path in the API is `of`; links that are
 * broken are in no sentence. Returns undefined if the request fails, e.g. because the token may not
 * read the content.
 */
export async function findFindings(of: string): Promise<SentFindings | undefined> {
  try {
    const { body } = await callApi('GET', `${of}/content/findings?limit=1000`)
    const { items, stats } = body as Findings
    const said = items.filter(({ kind }) => kind !== 'broken-link')
    return { counts: stats.kinds, sentences: findingSentences(said, stats.kinds) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}
