import type { Context } from '../../context.ts'
import { arrivingCommits } from '../../git/history/arriving.ts'
import { firstParentsBeyond } from '../../git/history/history.ts'
import { readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { readRef } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { oneAddress } from '../../lib/one-address.ts'
import { findUserIdsByEmail, findUsers } from '../../store/people/users.ts'
import type { Effect } from '../journal/effects.ts'
import { idInAddress } from '../repositories/commit-signatures.ts'

/** The most commits of one push that are counted, and the most whose writers are looked for; the latest. */
const mostCommits = 1000
const mostWritten = 10_000

/**
 * Counts the commits that a push brought to the branch of a change request for their authors, as far as the addresses
 * say who that is. Committers, and authors of commits that were merged into the branch, have written some of it too: they
 * are noted without a count. What the branch had before, or the primary content has, is nobody's part in it.
 */
export async function countPushed(
  ctx: Context,
  repo: Repository,
  changeRequestId: string,
  { known, head, at }: { known: Oid | undefined; head: Oid; at: string },
): Promise<Effect[]> {
  const { authors, writers } = await readPeople(repo, known, head)
  const counts = new Map<string, number>()
  for (const id of usersOf(ctx, authors)) counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const id of usersOf(ctx, writers)) counts.set(id, counts.get(id) ?? 0)
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
 * Returns the addresses of the authors of what is new, one a commit of the branch, and each address of anybody who wrote
 * some of it. None where Git cannot say: a damaged history must not keep a push from being taken note of.
 */
async function readPeople(repo: Repository, known: Oid | undefined, head: Oid): Promise<Addresses> {
  try {
    const primary = defaultBranch(repo)
    const before = [...(known ? [known] : []), primary]
    const line = await readCommits(repo, await firstParentsBeyond(repo, head, before, mostCommits))
    const published = readRef(repo, primary)
    const held = { commits: [known ?? [], published ?? []].flat(), refs: [] }
    const all = await readCommits(repo, (await arrivingCommits(repo, head, held)).slice(0, mostWritten))
    const written = [...all.values()].flatMap(({ author, committer }) => [author.email, committer.email])
    return {
      authors: [...line.values()].map(({ author }) => oneAddress(author.email)),
      writers: [...new Set(written.map(oneAddress))],
    }
  } catch (error) {
    if (isGitError(error)) return { authors: [], writers: [] }
    throw error
  }
}

/** The ids of the users who have these addresses, each as often as it is there. */
function usersOf(ctx: Context, emails: readonly string[]): string[] {
  const byEmail = findUserIdsByEmail(ctx.store, emails)
  const byId = findUsers(
    ctx.store,
    emails.flatMap(email => idInAddress(email) ?? []),
  )
  return emails.flatMap(
    email => byEmail.get(email.toLowerCase()) ?? byId.get(idInAddress(email) ?? '')?.id ?? [],
  )
}
