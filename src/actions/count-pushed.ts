import type { Context } from '../context.ts'
import { isGitError } from '../git/errors.ts'
import { firstParentsBeyond } from '../git/history.ts'
import { readCommits } from '../git/objects.ts'
import type { Oid } from '../git/oid.ts'
import { defaultBranch, type Repository } from '../git/repository.ts'
import { oneAddress } from '../lib/one-address.ts'
import { findUserIdsByEmail, findUsers } from '../store/users.ts'
import type { Effect } from './effects.ts'
import { idInAddress } from './people.ts'

/** The most commits of one push that are counted, the latest. */
const mostCommits = 1000

/**
 * Counts the commits that a push brought to the branch of a change request for the users who wrote them, as far as their
 * addresses say who that is. What the branch had before, or the primary content has, is nobody's part in it.
 */
export async function countPushed(
  ctx: Context,
  repo: Repository,
  changeRequestId: string,
  { known, head, at }: { known: Oid | undefined; head: Oid; at: string },
): Promise<Effect[]> {
  const counts = new Map<string, number>()
  for (const id of usersOf(ctx, await readAuthors(repo, known, head)))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts].map(([userId, count]) => ({
    do: 'count-contribution',
    changeRequestId,
    userId,
    at,
    count,
  }))
}

/** The addresses of the authors of what is new, one a commit. None where Git cannot say: nothing depends on it. */
async function readAuthors(repo: Repository, known: Oid | undefined, head: Oid): Promise<string[]> {
  try {
    const before = [...(known ? [known] : []), await defaultBranch(repo)]
    const commits = await readCommits(repo, await firstParentsBeyond(repo, head, before, mostCommits))
    return [...commits.values()].map(({ author }) => oneAddress(author.email))
  } catch (error) {
    if (isGitError(error)) return []
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
