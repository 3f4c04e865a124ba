import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { listPathsOfRevisions, type NewRevision } from '../../store/git/revision-index.ts'
import { findLastRevision, listRevisions } from '../../store/git/revisions.ts'
import { countSearchHead, findSearchSpace } from '../../store/search/search-index.ts'
import type { RevisionPathRow, RevisionRow, SpaceRow } from '../../store/tables/rows.ts'
import { indexedRevision } from '../revisions/index-history.ts'
import { publishedLine } from '../revisions/published-line.ts'
import { isFindable } from '../search/index-pages.ts'
import { indexer, primarySource } from '../search/index-search.ts'

/** The number of revisions that one query reads. */
const slice = 500

type Held = { row: RevisionRow; paths: RevisionPathRow[] }

/**
 * Returns the first difference between the index of a space's history and Git, as part of a
 * sentence; undefined if they are equal, or if there is no index. `head` is the head of the primary
 * content.
 */
export async function compareIndex(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
): Promise<string | undefined> {
  // derived.db was deleted, and the index is not built yet.
  if (!findLastRevision(ctx.store, spaceId)) return undefined
  const index = readIndex(ctx, spaceId)
  let held = index.next()

  for await (const commit of publishedLine(ctx, repo, spaceId, head)) {
    if (held.done) return `lacks the revision ${commit.oid} and what is older`
    const { row, paths } = held.value
    if (row.oid !== commit.oid) return `has ${row.oid} where Git has ${commit.oid}`
    if (fingerprint({ row, paths }) !== fingerprint(indexedRevision(spaceId, commit)))
      return `has other facts of the revision ${commit.oid} than Git`
    held = index.next()
    if (held.done ? row.seq !== 1 : held.value.row.seq !== row.seq - 1)
      return `has a wrong number for ${row.oid}`
  }

  return held.done ? undefined : `has ${held.value.row.oid}, which is not on the branch`
}

/**
 * Yields the index of a space, newest revision first. No statement stays open between two
 * revisions.
 */
function* readIndex(ctx: Context, spaceId: string): Generator<Held, undefined> {
  for (let before: number | undefined; ; ) {
    const rows = listRevisions(ctx.store, spaceId, slice, before)
    const [newest, oldest] = [rows[0], rows.at(-1)]
    if (!newest || !oldest) return undefined
    const paths = new Map<number, RevisionPathRow[]>(rows.map(row => [row.seq, []]))
    for (const path of listPathsOfRevisions(ctx.store, spaceId, oldest.seq, newest.seq))
      paths.get(path.seq)?.push(path)
    for (const row of rows) yield { row, paths: paths.get(row.seq) ?? [] }
    before = oldest.seq
  }
}

/**
 * Returns everything in the index about a revision, except its number, as one text. Git may list a
 * path twice; the index has it once.
 */
function fingerprint({ row, paths }: NewRevision): string {
  const changed = new Map<string, string>()
  for (const { path, status, from_path } of paths)
    if (!changed.has(path)) changed.set(path, JSON.stringify([path, status, from_path]))
  const facts = [
    row.tree,
    row.parents,
    row.author_name,
    row.author_email,
    row.message,
    row.committed_at,
  ]

  return JSON.stringify([facts, [...changed.values()].sort()])
}

/**
 * Returns how the number of indexed pages of a space differs from that of its head, as part of a
 * sentence; undefined if it does not, or if the index is of another revision and will be updated by
 * a job.
 */
export async function compareSearch(
  ctx: Context,
  space: SpaceRow,
  head: Oid,
): Promise<string | undefined> {
  const row = findSearchSpace(ctx.store, space.id)
  // Pages computed from OpenAPI specs change with the specs.
  if (row?.revision !== head || row.tree === null || row.indexer !== indexer || row.stamp !== '')
    return undefined
  const { content, stamp } = await primarySource(ctx, space, head)
  if (stamp !== '') return undefined

  const findable = [...content.pageById.values()].filter(isFindable).length
  const counted = countSearchHead(ctx.store, row.number)

  return counted === findable ? undefined : `has ${counted} of ${findable} pages`
}
