import { admitToken } from '../../access/admit-token.ts'
import { atLeast } from '../../access/roles.ts'
import { covers } from '../../access/scopes.ts'
import type { SignedInUser } from '../../access/session.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'

/** A user who may read the space of a place with the token of a browser session, or of a program. */
export type Member = {
  user: UserRow
  /** Whether the token also reads change requests. */
  readsChangeRequests: boolean
  /** Whether it also reads comments. */
  readsComments: boolean
  /** Whether the user may edit the space, and the token write change requests. */
  edits: boolean
}

/** Returns a user as a member who may read a space; undefined for one who may not. */
export function memberOf(
  ctx: Context,
  { actor }: SignedInUser,
  space: SpaceRow,
): Member | undefined {
  const { user, token } = actor
  const operation = {
    operationId: 'listRevisionsOfSpace',
    scope: 'content:read',
    readers: false,
  } as const

  try {
    const admitted = admitToken(ctx, actor, operation, { spaceId: space.id })
    const role = roleOnSpace(admitted, space, user.id)
    if (role === null) return undefined

    return {
      user,
      readsChangeRequests: covers(token.scopes, 'change-requests:read'),
      readsComments: covers(token.scopes, 'comments:read'),
      edits: atLeast(role, 'edit') && covers(token.scopes, 'change-requests:write'),
    }
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
