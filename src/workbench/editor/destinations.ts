import { checkPrimaryWriter } from '../../access/guards/primary.ts'
import type { SpaceGrant } from '../../access/guards/space.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { listChangeRequests } from '../../store/discussions/list-change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'

/** The most change requests that are offered. */
const mostOffered = 20

/** Returns the change requests of a space that a user opened and that can be edited, latest first. */
export function myChangeRequests(
  ctx: Context,
  { space, user }: Pick<SpaceGrant, 'space' | 'user'>,
): ChangeRequestRow[] {
  const rows = (['draft', 'open'] as const).flatMap(status =>
    listChangeRequests(ctx.store, space.id, { status, creator: user.id }, mostOffered),
  )
  return rows.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).slice(0, mostOffered)
}

/** Returns the change request that a form names; undefined for a new one. */
export function chosenRequest(
  ctx: Context,
  spaceId: string,
  to: string,
): ChangeRequestRow | undefined {
  if (to === 'new') return undefined
  const row = findChangeRequest(ctx.store, spaceId, to)
  if (!row) throw new Fault('not_found', `There is no change request #${to} in this space.`)
  return row
}

/** Returns why a user cannot publish directly; undefined if they can. */
export function whyNotPublish(ctx: Context, granted: SpaceGrant): string | undefined {
  try {
    checkPrimaryWriter(ctx, granted.space, granted, 'edit')
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

/** Returns what a change request is called: its number, and its subject if it has one. */
export const nameOf = ({ number, subject }: ChangeRequestRow): string =>
  subject.trim() === '' ? `#${number} (draft)` : `#${number} ${subject}`
