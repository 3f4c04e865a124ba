import { memberWithin } from '../../access/reach.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../git/values/oid.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { checkShownSpecs } from './check-shown-specs.ts'

/** Only the functions of this file make a value with this key. */
const allows = Symbol('allows')

/**
 * The commits to which the refs of a space's content may move. `commitOperation` asks for one, so that no way into the
 * content can leave out what `clearContent` checks.
 */
export type Clearance = { readonly [allows]: (commit: string) => boolean }

/** Who writes, and where. */
export type Writer = { space: Pick<SpaceRow, 'id' | 'organization_id'>; by: Pick<UserRow, 'id'> }

/** A commit that becomes content, and the commits that were content before and that it is made from. */
export type Arrival = { head: Oid; beside: readonly Oid[] }

/** The clearance of an operation that moves no ref of the content, except back to a commit that it held. */
export const unmoved: Clearance = { [allows]: () => false }

/**
 * The clearance of what somebody pushed from a shell on the server. Such a person can read the data folder, and with it
 * every description; and the refs have moved already.
 */
export const pushed: Clearance = { [allows]: () => true }

/**
 * Returns the clearance for commits that become content on behalf of a user. Costs nothing for members of the
 * organization. For a guest it throws what `checkShownSpecs` throws.
 */
export async function clearContent(
  ctx: Context,
  repo: Repository,
  { space, by }: Writer,
  ...arrivals: readonly Arrival[]
): Promise<Clearance> {
  const isMember = seesSpecs(ctx, space.organization_id, by.id)
  if (!isMember) for (const arrival of arrivals) await checkShownSpecs(ctx, repo, space.id, arrival)
  const commits = new Set<string>(arrivals.flatMap(({ head, beside }) => [head, ...beside]))
  return {
    [allows]: commit => {
      // Asked in the transaction that decides: the membership may have ended since.
      if (isMember && !seesSpecs(ctx, space.organization_id, by.id))
        throw new Fault('conflict', 'Your role in the organization has changed. Try again.')
      return commits.has(commit)
    },
  }
}

/** Returns the clearance of several writers whose commits become content together. */
export const joinClearances = (clearances: readonly Clearance[]): Clearance => ({
  // Each is asked, so that each writer's membership is.
  [allows]: commit => clearances.map(clearance => clearance[allows](commit)).includes(true),
})

/** Whether a clearance covers a commit. Throws Fault 'conflict' when the writer has left the organization since. */
export const isCleared = (clearance: Clearance, commit: string): boolean => clearance[allows](commit)

/** Whether a user may see the OpenAPI descriptions of an organization: members may, guests may not. */
export const seesSpecs = (ctx: Context, organizationId: string, userId: string): boolean =>
  (memberWithin(ctx, organizationId, userId)?.role ?? null) !== null
