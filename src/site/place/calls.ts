import { mostSpecsOfText } from '../../actions/specs/file-specs.ts'
import { findSpecOutline, readPiece } from '../../actions/specs/read-spec.ts'
import { versionOfFile } from '../../actions/specs/resolve-blocks.ts'
import { slugSteps, specFileSteps } from '../../content/openapi/blocks.ts'
import { type Call, callKey, serverOrigin } from '../../content/openapi/call.ts'
import { slugOfSource } from '../../content/openapi/page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import type { Written } from '../../page-text/read-text.ts'
import type { SitePlace } from './place.ts'

/** The most origins that a page may send requests to, and the most calls that it has. */
const mostOrigins = 10
const mostCalls = 200

/** The calls that readers can send from a page. */
export type PageCalls = {
  /**
   * Returns the call with an example request, as the writer of HTML takes it; undefined if there is
   * none.
   */
  find: (sample: string) => { data: string; title: string } | undefined
  /** The origins of the servers of the calls that were found. */
  origins: ReadonlySet<string>
}

/**
 * Returns the versions of the specs that a page shows parts of; `written` are its texts as in Git.
 */
export async function specVersions(
  { ctx, open, signal }: Pick<SitePlace, 'ctx' | 'open' | 'signal'>,
  node: PageNode,
  written: readonly Written[],
): Promise<Oid[]> {
  const own = slugOfSource(node.computed)
  const slugs = new Set(own === undefined ? [] : [own])
  const versions: Oid[] = []

  for (const { text, path } of own === undefined ? written : []) {
    for (const slug of await inSlices(slugSteps(text), signal)) slugs.add(slug)

    const files = await inSlices(specFileSteps(text), signal)
    for (const file of files.slice(0, mostSpecsOfText)) {
      const place = { spaceId: open.space.id, content: open.view.content }
      const version = await versionOfFile(ctx, place, { from: path, file }, signal)
      if (version !== undefined) versions.push(version)
    }
  }

  for (const slug of slugs) {
    const found = await findSpecOutline(ctx, open.space.organization_id, slug)
    if (found) versions.push(found.versionId)
  }

  return versions
}

/** Returns the calls of versions of specs. */
export function callsOf({ ctx }: Pick<SitePlace, 'ctx'>, versions: readonly Oid[]): PageCalls {
  const origins = new Set<string>()
  let count = 0
  const isOpen = (server: string): boolean => {
    const origin = serverOrigin(server)
    if (origin === undefined || (!origins.has(origin) && origins.size >= mostOrigins)) return false
    origins.add(origin)
    return true
  }

  function find(sample: string): { data: string; title: string } | undefined {
    if (versions.length === 0 || count >= mostCalls || !sample.startsWith('curl ')) return undefined
    const key = callKey(sample)
    for (const version of versions) {
      const piece = readPiece(ctx, version, key)
      if (piece === undefined) continue
      const call = JSON.parse(piece) as Call
      const servers = call.servers.filter(isOpen)
      if (servers.length === 0) return undefined
      count++
      return { data: JSON.stringify({ ...call, servers }), title: `${call.method} ${call.path}` }
    }

    return undefined
  }

  return { find, origins }
}
