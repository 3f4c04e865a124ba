import type { PageNode } from '../../content/tree/build.ts'
import type { Oid } from '../../lib/oid.ts'
import { listPathsOfRevisions } from '../../store/git/revision-index.ts'
import { findRevision, listRevisions } from '../../store/git/revisions.ts'
import type { RevisionPathRow } from '../../store/tables/rows.ts'
import { buildIfLost } from '../heads/index-up-to.ts'
import type { OpenContent } from './open-content.ts'

/** What a published revision changed of some pages. */
export type RevisionChanges = {
  oid: Oid
  /** In seconds since 1970. */
  at: number
  pages: { node: PageNode; kind: 'new' | 'changed' | 'moved' }[]
}

/** How many revisions are read at once, and in all: those that change no page are passed over. */
const slice = 50
const mostRead = 2_000

/** The most changed paths of a revision that are looked at. */
const mostPaths = 5_000

/**
 * Returns the latest revisions up to that of the content that changed one of these pages, newest
 * first, under the names that the pages have now. `certain` is false while the history index is not
 * up to date: do not cache the answer.
 */
export async function changesOfPages(
  { ctx, space, view }: Pick<OpenContent, 'ctx' | 'space' | 'view'>,
  pages: readonly PageNode[],
  most: number,
): Promise<{ changes: RevisionChanges[]; certain: boolean }> {
  await buildIfLost(ctx, space.id)
  const current = findRevision(ctx.store, space.id, view.oid)
  if (!current) return { changes: [], certain: false }

  const byPath = new Map(
    pages.flatMap(node => (node.file ? [[node.file.path, node] as const] : [])),
  )
  const changes: RevisionChanges[] = []
  let before = current.seq + 1

  for (let read = 0; read < mostRead && changes.length < most && byPath.size > 0; read += slice) {
    const revisions = listRevisions(ctx.store, space.id, slice, before)
    const last = revisions.at(-1)
    if (!last) break

    for (const { oid, seq, committed_at: at } of revisions) {
      const found = changesIn(
        byPath,
        listPathsOfRevisions(ctx.store, space.id, seq, seq, mostPaths),
      )
      if (found.length > 0) changes.push({ oid, at, pages: found })
      if (changes.length === most) break
    }

    before = last.seq
    await new Promise(resolve => setImmediate(resolve))
  }

  return { changes, certain: true }
}

/** Returns the pages that a revision changed. `byPath` has the names before it afterwards. */
function changesIn(
  byPath: Map<string, PageNode>,
  paths: readonly RevisionPathRow[],
): RevisionChanges['pages'] {
  const found: RevisionChanges['pages'] = []
  const renamed: [string, PageNode][] = []
  for (const { path, status, from_path } of paths) {
    const node = byPath.get(path)
    if (!node || status === 'deleted') continue
    found.push({
      node,
      kind: status === 'added' ? 'new' : status === 'renamed' ? 'moved' : 'changed',
    })
    if (status === 'modified') continue
    byPath.delete(path)
    if (from_path !== null) renamed.push([from_path, node])
  }

  for (const [path, node] of renamed) byPath.set(path, node)

  return found
}
