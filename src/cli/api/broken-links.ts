import { Failure } from '../output/failure.ts'
import { counted, oneLine } from '../output/print.ts'
import { callApi, readServer } from './call-api.ts'

type Issue = { message: string; path?: string; line?: number }

type Links = {
  issues?: Issue[]
  stats: { broken: { total: number } }
  items: { link: { path: string; line: number; target: string } }[]
}

/**
 * The number of broken links, and the first of them in a sentence with the address of the list;
 * `findings` are sentences about syntax that is not understood.
 */
type BrokenLinks = { total: number; sentence: string | undefined; findings: string[] }

/** The most findings, and the most places that each of them names. */
const mostFindings = 10
const mostPlaces = 3

/** Returns a sentence for each message of some issues, with the first of its places. */
function findingsOf(issues: readonly Issue[]): string[] {
  const places = new Map<string, string[]>()
  for (const { message, path, line } of issues) {
    const place = `${path ?? ''}:${line ?? ''}`
    places.set(message, [...(places.get(message) ?? []), place])
  }

  return [...places].slice(0, mostFindings).map(([message, all]) => {
    const more = all.length > mostPlaces ? ` and ${all.length - mostPlaces} more` : ''
    return `${all.slice(0, mostPlaces).join(', ')}${more}: ${message}`
  })
}

/**
 * Returns the broken links of a space or change request, whose path in the API is `of`. Returns
 * undefined if the request fails, e.g. because the token may not list links.
 */
export async function findBrokenLinks(of: string): Promise<BrokenLinks | undefined> {
  const path = `${of}/links?status=broken`
  try {
    const { body } = await callApi('GET', `${path}&limit=1`)
    const { stats, items, issues = [] } = body as Links
    const { total } = stats.broken
    const first = items[0]?.link
    const findings = findingsOf(issues)
    if (!first) return { total, sentence: undefined, findings }

    const where = `${first.path}, line ${first.line}: ${first.target}`

    return {
      total,
      findings,
      sentence: oneLine(
        total === 1
          ? `1 broken link in ${where}`
          : `${counted(total, 'broken link')}, the first in ${where}. All: GET ${readServer()}${path}`,
      ),
    }
  } catch (error) {
    // The folder was sent already: a failed check must not fail the command.
    if (error instanceof Failure) return undefined
    throw error
  }
}
