import { covers } from '../../access/scopes.ts'
import type { SignedInUser } from '../../access/session.ts'
import { findKnownConflicts } from '../../actions/change-requests/mergeability.ts'
import type { Context } from '../../context.ts'
import {
  type ChangeRequestFilter,
  listChangeRequestsOfSpaces,
} from '../../store/discussions/list-change-requests.ts'
import {
  listThreadsToAnswer,
  type ThreadToAnswer,
} from '../../store/discussions/threads-to-answer.ts'
import { findUsers } from '../../store/people/users.ts'
import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { organizationsOf, spacesOfParticipant } from './visible-spaces.ts'

/** What may wait for a user. */
export type WaitingKind = 'reviews' | 'changes' | 'conflicts' | 'comments'

/** A change request in a list of the home page. */
export type HomeRequest = { row: ChangeRequestRow; space: SpaceRow; author: string }

/** A thread that waits for an answer. */
export type HomeThread = { row: ThreadToAnswer; space: SpaceRow; author: string }

/** A part of a list, and the `seq` before which there are more. */
export type Part<Each> = { rows: Each[]; before: number | undefined }

/** Who reads, and the spaces that they may read and take part in. */
type Participant = {
  ctx: Context
  me: UserRow
  /** By id; empty if the token of the session may not read change requests. */
  spaces: ReadonlyMap<string, SpaceRow>
  readsComments: boolean
}

type Asking = { ctx: Context; me: UserRow; actor: SignedInUser['actor'] }

/** Returns a user with the spaces in which they have change requests of these statuses, or take part otherwise. */
export function participant(
  { ctx, me, actor }: Asking,
  statuses: readonly ChangeRequestStatus[],
): Participant {
  const organizations = organizationsOf(ctx, actor, 'change-requests:read')
  return {
    ...{ ctx, me },
    spaces: spacesOfParticipant(ctx, organizations, me.id, statuses),
    readsComments: covers(actor.token.scopes, 'comments:read'),
  }
}

/** How many rows of a list are wanted, and the `seq` that they come before. */
export type Window = { limit: number; before?: number | undefined }

/** Returns a part of the change requests that a user takes part in and that match a filter, newest first. */
export function someRequests(
  { ctx, spaces }: Participant,
  filter: ChangeRequestFilter,
  { limit, before }: Window,
): Part<HomeRequest> {
  const ids = [...spaces.keys()]
  const found = listChangeRequestsOfSpaces(ctx.store, ids, filter, limit + 1, { after: before })
  const rows = found.slice(0, limit)
  return { rows: asShown(ctx, spaces, rows), before: seqBefore(found, rows) }
}

/** The filters of the lists of what waits for a user. */
export const waitingFilters = {
  reviews: id => ({ status: 'open', waitingFor: id }),
  changes: id => ({ status: 'open', changesAskedOf: id }),
} satisfies Record<string, (userId: string) => ChangeRequestFilter>

/** How many of the newest change requests of a user are looked at for conflicts. */
const mostCompared = 100

/**
 * Returns the open change requests of a user that are known to conflict with what is published,
 * newest first. Of merges without a kept result, a few are tried.
 */
export async function conflictingRequests({
  ctx,
  me,
  spaces,
}: Participant): Promise<HomeRequest[]> {
  const filter = { status: 'open', creator: me.id } as const
  const own = listChangeRequestsOfSpaces(ctx.store, [...spaces.keys()], filter, mostCompared)
  const known = await findKnownConflicts(ctx, own)
  return asShown(
    ctx,
    spaces,
    own.filter(({ id }) => known.has(id)),
  )
}

/** Returns a part of the threads that wait for an answer of a user, newest first. */
export function someThreads(
  { ctx, me, spaces, readsComments }: Participant,
  { limit, before }: Window,
): Part<HomeThread> {
  if (!readsComments) return { rows: [], before: undefined }
  const found = listThreadsToAnswer(ctx.store, me.id, [...spaces.keys()], limit + 1, before)
  const rows = found.slice(0, limit)
  const users = findUsers(
    ctx.store,
    rows.map(row => row.last_by),
  )
  const shown = rows.flatMap(row => {
    const space = spaces.get(row.space_id)
    return space ? [{ row, space, author: users.get(row.last_by)?.display_name ?? '' }] : []
  })

  return { rows: shown, before: seqBefore(found, rows) }
}

const seqBefore = (
  found: readonly { seq: number }[],
  rows: readonly { seq: number }[],
): number | undefined => (found.length > rows.length ? rows.at(-1)?.seq : undefined)

function asShown(
  { store }: Context,
  spaces: ReadonlyMap<string, SpaceRow>,
  rows: readonly ChangeRequestRow[],
): HomeRequest[] {
  const users = findUsers(
    store,
    rows.map(row => row.created_by),
  )
  return rows.flatMap(row => {
    const space = spaces.get(row.space_id)
    return space ? [{ row, space, author: users.get(row.created_by)?.display_name ?? '' }] : []
  })
}
