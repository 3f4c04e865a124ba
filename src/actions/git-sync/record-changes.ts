import type { Context } from '../../context.ts'
import { listFiles } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import { findFolderChange, putFolderChanges } from '../../store/git/folder-changes.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { spaceRepository } from '../repositories/space-repository.ts'

/** The last change of a file: its time, in seconds since 1970, and the name of its author. */
export type FileChange = { at: number; author: string | null }

/** What the version control of a folder knows of its files. */
export type FolderHistory = {
  /** The commit that the files are from. */
  commit?: string | undefined
  /** By paths of files; null: not in the part of the history that is at hand. */
  changes: ReadonlyMap<string, FileChange | null>
}

type Dated = {
  space: SpaceRow
  /** What the files are imported into, unless it is the primary content. */
  changeRequest?: object | undefined
  /** By path. */
  files: ReadonlyMap<string, { oid: Oid }>
  history?: FolderHistory | undefined
}

/**
 * Records the last changes of the files of a folder. Those of an import into a change request say
 * nothing about files of the primary content, which change only when it is merged.
 */
export async function recordChanges(
  ctx: Context,
  { space, changeRequest, files, history }: Dated,
): Promise<void> {
  if (!history || history.changes.size === 0) return
  const published = changeRequest ? await primaryFiles(ctx, space) : new Map<string, Oid>()
  const now = Math.floor(ctx.now().getTime() / 1000)

  const rows = [...history.changes].flatMap(([path, change]) => {
    const blob = files.get(path)?.oid
    if (blob === undefined || published.get(path) === blob) return []
    // A clock elsewhere may be wrong. What was recorded at an earlier run stays.
    const isLate = change !== null && change.at > now
    const known = isLate ? findFolderChange(ctx.store, space.id, path, blob) : undefined
    if (known?.changed_at) return []
    const at = change && Math.min(change.at, now)
    return [{ path, blob, changed_at: at, author_name: change?.author ?? null }]
  })

  putFolderChanges(ctx.store, space.id, rows)
}

async function primaryFiles(ctx: Context, space: SpaceRow): Promise<ReadonlyMap<string, Oid>> {
  const { head } = await primaryHead(ctx, space)
  const { files } = await listFiles(spaceRepository(ctx, space.id), head)
  return new Map(files.map(({ path, oid }) => [path, oid]))
}
