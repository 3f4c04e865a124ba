import type { Context } from '../../context.ts'
import { arrivingCommits } from '../../git/history/arriving.ts'
import { firstParentsBeyond } from '../../git/history/history.ts'
import { readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { isGitError } from '../../git/values/errors.ts'
import { oneAddress } from '../../lib/normalize.ts'
import type { Oid } from '../../lib/oid.ts'
import { findUserIdsByEmail, findUsers } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import type { Effect } from '../journal/effects.ts'
import { idInAddress } from '../repositories/commit-signatures.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'

/**
 * The most commits of one push that are counted, and the most whose authors and committers are
 * read; the newest.
 */
const mostCommits = 1000
const mostWritten = 10_000

/**
 * Counts the commits that a push brought to a change request's branch for their authors, matched to
 * users by email address. Committers, and authors of commits that were merged into the branch, are
 * recorded as contributors without a count. Commits that the branch or the primary content had
 * before are ignored.
 */
export async function countPushed(
  ctx: Context,
  repo: Repository,
  { id: changeRequestId, space_id: spaceId }: Pick<ChangeRequestRow, 'id' | 'space_id'>,
  { known, head, at }: { known: Oid | undefined; head: Oid; at: string },
): Promise<Effect[]> {
  const { authors, writers } = await readPeople(ctx, repo, spaceId, known, head)
  const counts = new Map<string, number>()
  const organizationId = findSpace(ctx.store, spaceId)?.organization_id ?? ''
  for (const id of usersOf(ctx, organizationId, authors)) counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const id of usersOf(ctx, organizationId, writers)) counts.set(id, counts.get(id) ?? 0)

  return [...counts].map(([userId, count]) => ({
    do: 'count-contribution',
    changeRequestId,
    userId,
    at,
    count,
  }))
}

type Addresses = { authors: string[]; writers: string[] }

/**
 * Returns the author addresses of the new commits on the branch, one per commit, and the distinct
 * addresses of everyone who wrote some of what is new. Returns none if Git fails: a damaged history
 * must not prevent recording the push.
 */
async function readPeople(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  known: Oid | undefined,
  head: Oid,
): Promise<Addresses> {
  try {
    const published = headOf(ctx, spaceId, primaryRef(ctx, spaceId))
    const before = [known ?? [], published ?? []].flat()
    const line = await readCommits(repo, await firstParentsBeyond(repo, head, before, mostCommits))
    const held = { commits: before, refs: [] }
    const all = await readCommits(
      repo,
      (await arrivingCommits(repo, head, held)).slice(0, mostWritten),
    )

    const written = [...all.values()].flatMap(({ author, committer }) => [
      author.email,
      committer.email,
    ])

    return {
      authors: [...line.values()].map(({ author }) => oneAddress(author.email)),
      writers: [...new Set(written.map(oneAddress))],
    }
  } catch (error) {
    if (isGitError(error)) return { authors: [], writers: [] }
    throw error
  }
}

/**
 * Returns the ids of the users whose addresses these are in an organization, for each occurrence.
 */
function usersOf(ctx: Context, organizationId: string, emails: readonly string[]): string[] {
  const byEmail = findUserIdsByEmail(ctx.store, emails, organizationId)
  const byId = findUsers(
    ctx.store,
    emails.flatMap(email => idInAddress(email) ?? []),
  )
  return emails.flatMap(
    email => byEmail.get(email.toLowerCase()) ?? byId.get(idInAddress(email) ?? '')?.id ?? [],
  )
}
