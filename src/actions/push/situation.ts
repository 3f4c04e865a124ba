import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { Oid } from '../../lib/oid.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { isUntouched } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { isAmongChangeRequests } from '../repositories/ref-names.ts'
import type { PushOrder } from './order.ts'

/** A space as a push finds it. */
export type Situation = {
  space: SpaceRow
  role: Role
  /** The branch of the primary content: its full and its short name, and its head. */
  primary: { ref: string; name: string; head: Oid | undefined }
  unmerged: readonly ChangeRequestRow[]
  /** The command that gives an untouched space its history. */
  begins: PushCommand | undefined
}

/**
 * Reads the rows and refs that a push depends on. Throws a Fault unless its user may still edit.
 */
export function readSituation(ctx: Context, order: PushOrder): Situation {
  const { space, role } = checkRole(ctx, order.space.id, order.by.id, 'edit')
  const ref = primaryRef(ctx, space.id)
  const name = ref.slice('refs/heads/'.length)

  return {
    space,
    role,
    primary: { ref, name, head: headOf(ctx, space.id, ref) },
    unmerged: listUnmerged(ctx.store, space.id),
    begins: isUntouched(space) ? firstBranch(order.commands, ref) : undefined,
  }
}

/**
 * Returns the command whose branch becomes the primary one: the one that HEAD names, else main,
 * master, the first.
 */
function firstBranch(commands: readonly PushCommand[], head: string): PushCommand | undefined {
  const branches = commands.filter(
    ({ ref, to }) => to !== null && ref.startsWith('refs/heads/') && !isAmongChangeRequests(ref),
  )
  const named = (name: string) => branches.find(({ ref }) => ref === name)
  return named(head) ?? named('refs/heads/main') ?? named('refs/heads/master') ?? branches[0]
}

/**
 * Returns the change requests that a user opened and that a proposal may go on with, oldest first.
 */
export const ownRequests = ({ unmerged }: Situation, userId: string): ChangeRequestRow[] =>
  unmerged.filter(row => row.created_by === userId && row.status !== 'archived')

/** Returns the short names of all branches that clients are shown. */
export const listedNames = ({ primary, unmerged }: Situation): string[] => [
  primary.name,
  ...unmerged.flatMap(({ branch }) => branch ?? []),
]
