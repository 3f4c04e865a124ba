import type { Origin } from '../../access/asker.ts'
import { checkRole } from '../../access/guards/role-now.ts'
import type { Context } from '../../context.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import type { Oid } from '../../lib/oid.ts'
import { listUnmerged } from '../../store/discussions/change-requests.ts'
import { isUntouched } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { isAmongChangeRequests } from '../repositories/ref-names.ts'
import type { PushOptions } from './options.ts'

/** What a token must be allowed to write. */
export type PushScope = 'content' | 'change-requests'

/** A push as it was sent. */
export type SentPush = {
  spaceId: string
  by: UserRow
  /** Where the request came from; null: not over HTTP. */
  origin: Origin | null
  commands: readonly PushCommand[]
  options: PushOptions
  /** All commands are carried out, or none. */
  atomic: boolean
  /**
   * Throws a Fault unless the token of the request can still be used for this. Called again in
   * deciding transactions.
   */
  checkToken: (needed: PushScope) => void
  signal?: AbortSignal | undefined
}

/** A push with its space, read once at each stage. */
export type Push = SentPush & {
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
export function readPush(ctx: Context, sent: SentPush): Push {
  const { space, role } = checkRole(ctx, sent.spaceId, sent.by.id, 'edit')
  const ref = primaryRef(ctx, space.id)
  const name = ref.slice('refs/heads/'.length)

  return {
    ...sent,
    space,
    role,
    primary: { ref, name, head: headOf(ctx, space.id, ref) },
    unmerged: listUnmerged(ctx.store, space.id),
    begins: isUntouched(space) ? firstBranch(sent.commands, ref) : undefined,
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
 * Returns the change requests that the pusher opened and that a proposal may go on with, oldest
 * first.
 */
export const ownRequests = ({ unmerged, by }: Push): ChangeRequestRow[] =>
  unmerged.filter(row => row.created_by === by.id && row.status !== 'archived')

/** Returns the short names of all branches that clients are shown. */
export const listedNames = ({ primary, unmerged }: Push): string[] => [
  primary.name,
  ...unmerged.flatMap(({ branch }) => branch ?? []),
]
