import { longestSource, sourcePattern } from '../../content/site/redirect-source.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import type { Looking } from './destination.ts'
import { destinationAt } from './input-destination.ts'

/** A redirect as a line says it. */
type Line = {
  source: string
  intent: 'live'
  captureWildcard: boolean
  destination: RedirectDestination
}

/** Redirects as lines say them, and what is wrong with lines. */
type Lines = { changes: Line[]; problems: string[] }

/**
 * Reads redirects from lines: the old path, and the path of a page or an https address, parted by
 * white space or a comma. An address that ends with "*" has what the wildcard of the path matches
 * in its place. Empty lines and lines that begin with "#" are left out.
 */
export async function readRedirectLines(
  ctx: Context,
  looking: Looking,
  text: string,
): Promise<Lines> {
  const read: Lines = { changes: [], problems: [] }
  for (const [at, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      read.changes.push(await readLine(ctx, looking, line))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      read.problems.push(`Line ${at + 1}: ${error.message}`)
    }
  }

  return read
}

async function readLine(ctx: Context, looking: Looking, line: string): Promise<Line> {
  const parts = line.split(/\s*,\s*|\s+/)
  const [source = '', target = ''] = parts
  if (parts.length !== 2) throw invalid('write the old path, and where it leads to.')
  if (source.length > longestSource || !sourcePattern.test(source))
    throw invalid(`"${source.slice(0, 100)}" is no path such as "/old/page".`)

  const captureWildcard = target.endsWith('*')
  const address = captureWildcard ? target.replace(/\/?\*$/, '') || '/' : target

  return {
    source,
    intent: 'live',
    captureWildcard,
    destination: await destinationAt(ctx, looking, address),
  }
}
