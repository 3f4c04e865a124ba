import { Failure } from '../output/failure.ts'
import { counted, oneLine } from '../output/print.ts'
import { callApi, readServer } from './call-api.ts'

type Links = {
  stats: { broken: { total: number } }
  items: { link: { path: string; line: number; target: string } }[]
}

/** The number of broken links, and the first of them in a sentence with the address of the list. */
type BrokenLinks = { total: number; sentence: string | undefined }

/**
 * Returns the broken links of a space or change request, whose path in the API is `of`. Returns
 * undefined if the request fails, e.g. because the token may not list links.
 */
export async function findBrokenLinks(of: string): Promise<BrokenLinks | undefined> {
  const path = `${of}/links?status=broken`
  try {
    const { body } = await callApi('GET', `${path}&limit=1`)
    const { stats, items } = body as Links
    const { total } = stats.broken
    const first = items[0]?.link
    if (!first) return { total, sentence: undefined }

    const where = `${first.path}, line ${first.line}: ${first.target}`

    return {
      total,
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
