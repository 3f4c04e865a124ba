import type { SpaceGrant } from '../../access/guards/space.ts'
import type { Context } from '../../context.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow, UserRow } from '../../store/tables/rows.ts'
import { type Comparison, compare } from '../audience/compare.ts'
import { openAt } from '../audience/open-at.ts'
import { type OpenContent, openContent } from '../audience/open-content.ts'
import { readCurrent } from '../change-requests/read-current.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'

/** A change request as it is now, opened for a member. */
export type OpenRequest = {
  request: ChangeRequestRow
  /** Its branch lacks commits of the primary content. */
  outdated: boolean
  open: OpenContent
  user: UserRow
  role: Role
  /** What it changes; undefined for a history that has no commit in common with the content. */
  compared: Comparison | undefined
}

/**
 * Opens a change request with what it changes: its revision, compared with the primary content that
 * it started from or was last updated with. May take the space's lock: do not hold it.
 */
export async function openRequest(
  ctx: Context,
  { space, user, role, changeRequest }: SpaceGrant & { changeRequest: ChangeRequestRow },
  signal: AbortSignal,
): Promise<OpenRequest> {
  const [current] = await readCurrent(ctx, space.id, [changeRequest])
  const { row: request, outdated } = current!
  const scope = { kind: 'change-request' as const, request }
  const open = await openContent(
    ctx,
    { space, user, role, scope },
    { computed: true, request: { signal } },
  )
  const base = await findMergeBase(ctx, request)
  const before = base ? await openAt(open, base, `revisions/${base}`) : undefined

  return { request, outdated, open, user, role, compared: before && (await compare(before, open)) }
}
