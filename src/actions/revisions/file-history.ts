import { listRevisionsOfPath } from '../../store/git/revisions.ts'
import type { Store } from '../../store/store.ts'
import type { RevisionRow } from '../../store/tables/rows.ts'

/** A revision that changed a file, with the path of the file at that revision and before it. */
export type FileRevision = RevisionRow & { path: string; before: string }

/** The maximum number of renames that are followed in one call. */
const mostNames = 100

/**
 * Returns up to `limit` revisions before `before` (a `seq`) that changed a file, under all its
 * names, newest first.
 */
export function fileHistory(
  store: Store,
  spaceId: string,
  path: string,
  limit: number,
  before?: number,
): FileRevision[] {
  const items: FileRevision[] = []
  let [name, below] = [path, before]
  for (let names = 0; names < mostNames && items.length < limit; names++) {
    const rows = listRevisionsOfPath(store, spaceId, name, limit - items.length, below)
    const renamed = rows.findIndex(row => row.status === 'renamed' && row.from_path !== null)
    const shown = renamed < 0 ? rows : rows.slice(0, renamed + 1)
    for (const { status: _, from_path: _from, ...row } of shown)
      items.push({ ...row, path: name, before: name })
    const from = renamed < 0 ? null : rows[renamed]!.from_path
    if (from === null) break

    const last = items.at(-1)!

    last.before = from
    name = from
    below = last.seq
  }

  return items
}
