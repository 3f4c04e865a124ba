import { missing } from '../../errors.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { needing } from './needing.ts'
import { type SpaceGrant, space } from './space.ts'

type ChangeRequestGrant = SpaceGrant & { changeRequest: ChangeRequestRow }

/**
 * Admits users with at least the role `needed` in the space of the path; grants the change request
 * with this id or number.
 */
export const changeRequest = (
  needed: Role,
): Access<{ spaceId: string; changeRequestId: string }, ChangeRequestGrant> =>
  needing({ role: needed, on: 'space' }, asker => {
    const granted = space(needed)(asker)
    const { changeRequestId } = asker.params
    const row = findChangeRequest(asker.ctx.store, granted.space.id, changeRequestId)
    if (!row) throw missing('change request', changeRequestId)
    return { ...granted, changeRequest: row }
  })
