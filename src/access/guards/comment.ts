import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { needing } from './needing.ts'
import { type SpaceGrant, space } from './space.ts'

/** The place of comments: a space itself (`changeRequest` null), or one of its change requests. */
export type CommentsGrant = SpaceGrant & { changeRequest: ChangeRequestRow | null }

/**
 * Admits users with at least the role `needed` in the space of the path to the comments in the
 * space itself.
 */
export const spaceComments = (needed: Role): Access<{ spaceId: string }, CommentsGrant> =>
  needing({ role: needed, on: 'space' }, asker => ({
    ...space(needed)(asker),
    changeRequest: null,
  }))
