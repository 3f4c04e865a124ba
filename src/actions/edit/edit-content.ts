import type { Idempotency, Origin } from '../../access/asker.ts'
import type { Outcome } from '../../content/edit/apply.ts'
import type { Change } from '../../content/edit/changes.ts'
import type { FileNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { type Edit, editTogether } from './edit-together.ts'

/** What a batch came to. */
export type Edited = {
  revision: Oid
  /** The change request as it is then; undefined for primary content. */
  changeRequest: ChangeRequestRow | undefined
  /** Whether the primary content has something that its branch lacks. */
  outdated: boolean
  outcomes: readonly Outcome[]
  insertedFiles: readonly FileNode[]
  /** The revision that the batch was applied to. */
  base: RevisionView
}

export type EditOrder<Body> = {
  space: SpaceRow
  /** The change request whose branch is edited; undefined: the primary content. */
  changeRequest?: ChangeRequestRow | undefined
  by: UserRow
  changes: readonly Change[]
  /** The revisions of which one must be the head. */
  ifMatch?: readonly string[] | '*' | undefined
  idempotency?: Idempotency | undefined
  /** What the answer that is kept for the key has; 200 when not said. */
  status?: number | undefined
  origin?: Origin | null | undefined
  /** What the caller gets. It is called with the space's lock held, before anything has moved. */
  present: (edited: Edited) => Promise<Body>
}

type Waiting = Edit & { resolve: (body: unknown) => void; reject: (error: unknown) => void }

/** The edits that wait for their space's lock, by branch, in the order of arrival. */
const waiting = new Map<string, Waiting[]>()

/** One turn makes no more than these, so that others who wait for the space come to theirs. */
const mostTogether = 16

/**
 * Applies a batch of changes to the primary content or a change request as exactly one commit; a batch that changes
 * nothing makes none. Batches that wait at the same time are made one after the other, and written together. Throws the
 * Fault of the first change that cannot be made, and nothing is written then; 'unmet' when another revision is the head,
 * 'conflict' for a change request that is archived or merged.
 */
export async function editContent<Body>(ctx: Context, order: EditOrder<Body>): Promise<Body> {
  const { space, changeRequest, changes } = order
  const reverts = changes.some(change => change.operation === 'revert_page' && change.revision === undefined)
  const origin = changeRequest && reverts ? await findMergeBase(ctx, changeRequest) : undefined
  return new Promise<Body>((resolve, reject) => {
    const branch = `${space.id} ${changeRequest?.id ?? ''}`
    const line = waiting.get(branch) ?? []
    waiting.set(branch, line)
    line.push({ order, origin: origin ?? undefined, resolve, reject } as Waiting)
    void takeTurn(ctx, space.id, branch)
  })
}

/** Makes what waits for this branch once the space is free: the edit that came for the turn, and those behind it. */
async function takeTurn(ctx: Context, spaceId: string, branch: string): Promise<void> {
  let taken: Waiting[] | undefined
  try {
    await againIfMoved(() =>
      ctx.locks.run(spaceId, async () => {
        taken ??= takeFrom(branch)
        while (taken.length > 0) {
          const outcomes = await editTogether(ctx, taken)
          for (const outcome of outcomes) {
            const { resolve, reject } = taken.shift()!
            if ('error' in outcome) reject(outcome.error)
            else resolve(outcome.body)
          }
        }
      }),
    )
  } catch (error) {
    for (const { reject } of taken ?? []) reject(error)
  }
}

/** Nobody is left behind: who waits has asked for the lock as well, and takes the rest. */
function takeFrom(branch: string): Waiting[] {
  const line = waiting.get(branch) ?? []
  const taken = line.splice(0, mostTogether)
  if (line.length === 0) waiting.delete(branch)
  return taken
}
