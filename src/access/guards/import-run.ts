import { missing } from '../../errors.ts'
import { findImportRun } from '../../store/spaces/import-runs.ts'
import type { ImportRunRow, UserRow } from '../../store/tables/rows.ts'
import type { Access } from '../asker.ts'
import { needing } from './needing.ts'
import { checkMember } from './organization.ts'
import { checkRole } from './role-now.ts'
import { signedIn } from './space.ts'

/** Admits users who may edit the space of the import run of the path. */
export const importRun: Access<
  { organizationId: string; importRunId: string },
  { run: ImportRunRow; user: UserRow }
> = needing(
  { role: 'edit', on: 'space' },
  ({ ctx, actor, params: { organizationId, importRunId } }) => {
    const user = signedIn(actor)
    checkMember(ctx, organizationId, user, 'guest')
    const run = findImportRun(ctx.store, importRunId)
    if (run?.organization_id !== organizationId) throw missing('import', importRunId)
    checkRole(ctx, run.space_id, user.id, 'edit')
    return { run, user }
  },
)
