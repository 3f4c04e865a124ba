import { join } from 'node:path'
import { memberWithin } from '../../access/reach.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Quarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import { type Quarantine as Received, withQuarantine } from '../../git/receiving/quarantine.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Arrival } from './arrival.ts'
import { checkFiles } from './check-files.ts'
import { checkShownSpecs, checkSpecsInQuarantine } from './check-shown-specs.ts'

/** The key of a clearance. Not exported, so that only this file can make one. */
const allows = Symbol('allows')

/**
 * Proof that commits may become content. `publish` requires one, so that no write can skip what
 * `clearContent` checks.
 */
export type Clearance = { readonly [allows]: (commit: string) => boolean }

/** The writing user and the space. */
type Writer = { space: Pick<SpaceRow, 'id' | 'organization_id'>; by: Pick<UserRow, 'id'> }

/** The clearance of a write that moves no content ref, except back to a commit that it held. */
export const unmoved: Clearance = { [allows]: () => false }

/**
 * The clearance of a push from a shell on the server. Its author can read the data folder, and with
 * it every spec; and the refs have moved already.
 */
export const pushed: Clearance = { [allows]: () => true }

/** The clearance of commits that rows name: they are content already. */
export const named: Clearance = { [allows]: () => true }

/**
 * Returns the clearance for commits that become content on behalf of a user. Their objects are in
 * the repository, or in `quarantine`: flush it afterwards, so that nothing of refused content is
 * stored. Throws what `checkFiles` throws, and for a guest what `checkShownSpecs` throws.
 */
export async function clearContent(
  ctx: Context,
  repo: Repository,
  { space, by, quarantine }: Writer & { quarantine?: Quarantine },
  ...arrivals: readonly Arrival[]
): Promise<Clearance> {
  const isMember = seesSpecs(ctx, space.organization_id, by.id)
  if (quarantine)
    await withQuarantine(repo, join(ctx.config.dataDir, 'staging'), async received => {
      received.hold(await quarantine.objects())
      for (const arrival of arrivals) await checkInQuarantine(ctx, received, { space, by }, arrival)
    })
  else
    for (const arrival of arrivals) {
      await checkFiles(ctx, repo, arrival)
      if (!isMember) await checkShownSpecs(ctx, repo, space.id, arrival)
    }

  const commits = new Set<string>(arrivals.flatMap(({ head, beside }) => [head, ...beside]))

  return {
    [allows]: commit => {
      // Called in the deciding transaction: the membership may have ended since.
      if (isMember && !seesSpecs(ctx, space.organization_id, by.id))
        throw new Fault(
          'concurrent_change',
          'Your role in the organization has changed. Try again.',
        )
      return commits.has(commit)
    },
  }
}

/** Throws like `clearContent`, for a commit whose objects are in a quarantine of the repository. */
export async function checkInQuarantine(
  ctx: Context,
  quarantine: Received,
  { space, by }: Writer,
  arrival: Arrival,
): Promise<void> {
  await checkFiles(ctx, quarantine.repo, arrival)
  if (!seesSpecs(ctx, space.organization_id, by.id))
    await checkSpecsInQuarantine(ctx, quarantine, space.id, arrival)
}

/** Combines the clearances of several writers whose commits are published together. */
export const joinClearances = (clearances: readonly Clearance[]): Clearance => ({
  // Calls every clearance, so that every writer's membership is checked.
  [allows]: commit => clearances.map(clearance => clearance[allows](commit)).includes(true),
})

/**
 * Returns whether a clearance covers a commit. Throws Fault 'conflict' if the writer has left the
 * organization since.
 */
export const isCleared = (clearance: Clearance, commit: string): boolean =>
  clearance[allows](commit)

/** Returns whether a user may see an organization's OpenAPI specs: members may, guests may not. */
export const seesSpecs = (ctx: Context, organizationId: string, userId: string): boolean =>
  (memberWithin(ctx, organizationId, userId)?.role ?? null) !== null
