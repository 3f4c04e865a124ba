import type { Idempotency, Origin } from '../../access/asker.ts'
import { checkBeside } from '../../access/guards/placement.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { readRef } from '../../git/refs/refs.ts'
import { copyRepository } from '../../git/repositories/repository.ts'
import { queueSearchIndex } from '../../queue/search.ts'
import { copyFolderChanges } from '../../store/git/folder-changes.ts'
import { copyPublishedJumps } from '../../store/git/published-jumps.ts'
import { copyRevisions } from '../../store/git/revision-index.ts'
import { copyServiceCommits } from '../../store/git/service-commits.ts'
import { ignoreDatabaseError } from '../../store/note.ts'
import { copyPermissions } from '../../store/people/permissions.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { Store } from '../../store/store.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { recordOnSpace } from '../events/record-event.ts'
import { lockSpace } from '../heads/open-space.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { publishNew } from '../journal/publish-new.ts'
import { checkNewSpace, measureSpace } from '../repositories/check-quota.ts'
import { markOpened } from '../repositories/opened.ts'
import { guardPushes } from '../repositories/push-policy.ts'
import { publishedRef } from '../repositories/ref-names.ts'
import { spaceFolder, spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory } from '../revisions/index-history.ts'
import { addSpace, newSpaceId } from './create-space.ts'
import { removeRepository, setLeftoverAside } from './remove-repository.ts'

const longestTitle = 50

/** Returns the title of a copy, cut to the longest allowed title at a character boundary. */
export const titleOfCopy = (title: string): string =>
  [...`Copy of ${title}`].slice(0, longestTitle).join('').trimEnd()

/**
 * Creates a copy of a space in the same collection: content, whole history (as hard links, which
 * take neither space nor time), settings and permissions. Change requests, the Git sync
 * configuration and the visibility are not copied. The pages of the copy have ids of their own.
 * Returns the existing copy for an idempotency key that already created one. Throws the faults of
 * `checkBeside`, including for rights that were revoked during the copy.
 */
export async function duplicateSpace(
  ctx: Context,
  space: SpaceRow,
  by: UserRow,
  idempotency?: Idempotency,
  origin: Origin | null = null,
): Promise<SpaceRow> {
  const id = newSpaceId(idempotency)
  const before = findSpace(ctx.store, id)
  if (before) return before
  checkNewSpace(ctx, space.organization_id, by.id)
  await primaryHead(ctx, space)
  await setLeftoverAside(ctx, id)
  markOpened(ctx, id)

  try {
    const copy = await lockSpace(ctx, space.id, () =>
      copyRepository(spaceRepository(ctx, space.id), spaceFolder(ctx.config.dataDir, id), {
        refs: [publishedRef],
      }),
    )

    await guardPushes(ctx, copy, id)
    const branch = defaultBranch(copy)
    const head = readRef(copy, branch)
    if (!head) throw missing('revision', branch)

    const published = readRef(copy, publishedRef)
    const refs = [
      [branch, head] as const,
      ...(published ? [[publishedRef, published] as const] : []),
    ]
    const time = ctx.now().toISOString()
    const moves = refs.map(([ref, oid]) => ({ ref, from: oid, to: oid }))
    const rows = () => {
      const { space: from } = checkRole(ctx, space.id, by.id, 'read')
      checkBeside(ctx, from.organization_id, from.collection_id, by.id)
      const row = addSpace(ctx, {
        ...settingsOf(from),
        id,
        created_by: by.id,
        created_at: time,
        updated_at: time,
      })

      copyPermissions(ctx.store, { kind: 'space', id: from.id }, id, time)
      queueSearchIndex(ctx.store, id, new Date(time))
      copyHistory(ctx.store, from.id, id)
      ctx.store.afterCommit(() => copyRevisions(ctx.store, from.id, id))
      const details = { from: from.id, revision: head }
      recordOnSpace(ctx, row, 'space.duplicated', { userId: by.id, origin }, details, time)

      return row
    }
    const row = await publishNew(ctx, [{ spaceId: id, repo: copy, moves }], rows)

    // A write between the copy of the repository and that of the rows is missing on one side.
    await indexHistory(ctx, copy, id, head).catch(ignoreDatabaseError)
    await measureSpace(ctx, id)

    return row
  } catch (error) {
    if (!findSpace(ctx.store, id)) await removeRepository(ctx, id)
    throw error
  }
}

/** Copies what rows say about the commits and files of a space. */
function copyHistory(store: Store, from: string, to: string): void {
  copyServiceCommits(store, from, to)
  copyPublishedJumps(store, from, to)
  copyFolderChanges(store, from, to)
}

const settingsOf = (row: SpaceRow) => ({
  organization_id: row.organization_id,
  collection_id: row.collection_id,
  title: titleOfCopy(row.title),
  emoji: row.emoji,
  icon: row.icon,
  edit_mode: row.edit_mode,
  language: row.language,
  default_level: row.default_level,
  merge_rules: row.merge_rules,
  pristine: row.pristine,
})
