import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'
import { listPathsOfRevisions, type NewRevision } from '../../store/git/revision-index.ts'
import { listRevisions } from '../../store/git/revisions.ts'
import type { RevisionPathRow, RevisionRow } from '../../store/tables/rows.ts'
import { indexedRevision } from '../revisions/index-history.ts'
import { publishedLine } from '../revisions/published-line.ts'

/** How many revisions are read from the index at once. */
const slice = 500

type Held = { row: RevisionRow; paths: RevisionPathRow[] }

/**
 * What the index of a space's history says differently from Git, in a few words; undefined when both say the same. `head`
 * is the head of the primary content.
 */
export async function compareIndex(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  head: Oid,
): Promise<string | undefined> {
  const index = readIndex(ctx, spaceId)
  let held = index.next()
  for await (const commit of publishedLine(ctx, repo, spaceId, head)) {
    if (held.done) return `lacks the revision ${commit.oid} and what is older`
    const { row, paths } = held.value
    if (row.oid !== commit.oid) return `has ${row.oid} where Git has ${commit.oid}`
    if (fingerprint({ row, paths }) !== fingerprint(indexedRevision(spaceId, commit)))
      return `describes the revision ${commit.oid} otherwise than Git`
    held = index.next()
    if (held.done ? row.seq !== 1 : held.value.row.seq !== row.seq - 1)
      return `does not count ${row.oid} right`
  }
  return held.done ? undefined : `has ${held.value.row.oid}, which is not on the branch`
}

/** The index of a space, newest revision first. No statement stays open between two of them. */
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

/** All that the index holds of a revision, its number apart, as one text. A path is held once, whatever Git says of it twice. */
function fingerprint({ row, paths }: NewRevision): string {
  const changed = new Map<string, string>()
  for (const { path, status, from_path } of paths)
    if (!changed.has(path)) changed.set(path, JSON.stringify([path, status, from_path]))
  const facts = [row.tree, row.parents, row.author_name, row.author_email, row.message, row.committed_at]
  return JSON.stringify([facts, [...changed.values()].sort()])
}
