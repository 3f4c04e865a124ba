import { Failure } from '../output/failure.ts'
import { counted, oneLine } from '../output/print.ts'
import { callApi, readServer } from './call-api.ts'

type Links = {
  stats: { broken: { total: number } }
  items: { link: { path: string; line: number; target: string } }[]
}

/**
 * The number of broken links of a space, and the first of them in a sentence with the address of
 * the list.
 */
type BrokenLinks = { total: number; sentence: string | undefined }

/**
 * Returns the broken links of a space. Returns undefined if the request fails, e.g. because the
 * token may not list links.
 */
export async function findBrokenLinks(space: string): Promise<BrokenLinks | undefined> {
  const path = `/v1/spaces/${encodeURIComponent(space)}/links?status=broken`
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
    // The folder is published already: a failed check must not fail the command.
    if (error instanceof Failure) return undefined
    throw error
  }
}
