import { openSpace } from '../actions/heads/open-space.ts'
import { branchesOf, primaryRef } from '../actions/repositories/head-of.ts'
import { changeRequestRef } from '../actions/repositories/ref-names.ts'
import type { Context } from '../context.ts'
import { inOrder, type ListedRef } from '../git/protocol/listed-refs.ts'
import { listUnmerged } from '../store/discussions/change-requests.ts'

/** A branch as clients see it. `at` is its ref in the repository, which may have another name. */
type VisibleRef = ListedRef & { at: string }

/** The branches that clients see: nothing else of a repository is ever named to them. */
export type VisibleRefs = { head: string; refs: readonly VisibleRef[] }

/**
 * Returns the branches of a space as they are now, after opening the space. Throws GitError for a
 * damaged repository.
 */
export async function visibleRefs(ctx: Context, spaceId: string): Promise<VisibleRefs> {
  await openSpace(ctx, spaceId)
  const branches = branchesOf(ctx, spaceId)
  const refs = new Map<string, VisibleRef>()
  for (const [name, oid] of branches) refs.set(name, { name, oid, at: name })

  for (const { branch, at } of branchesOfRequests(ctx, spaceId)) {
    const oid = branches.get(at)
    const name = `refs/heads/${branch}`
    // Replaces a branch of this name in the repository: Git refuses a list with duplicate names.
    if (oid) refs.set(name, { name, oid, at })
  }

  return { head: primaryRef(ctx, spaceId), refs: inOrder([...refs.values()]) as VisibleRef[] }
}

/**
 * Returns the branches of change requests that have names of their own, and the refs that hold
 * them.
 */
const branchesOfRequests = (ctx: Context, spaceId: string): { branch: string; at: string }[] =>
  ctx.store.remember(
    `branches of requests ${spaceId}`,
    () =>
      listUnmerged(ctx.store, spaceId).flatMap(({ branch, number }) =>
        branch === null ? [] : [{ branch, at: changeRequestRef(number) }],
      ),
    { spaceId },
  )

/**
 * Returns the ref in the repository of a branch that a client names as Git allows; undefined when
 * there is none.
 */
export function refNamed({ head, refs }: VisibleRefs, name: string): string | undefined {
  if (name === 'HEAD') return refs.find(ref => ref.name === head)?.at
  for (const full of [name, `refs/${name}`, `refs/heads/${name}`]) {
    const found = refs.find(ref => ref.name === full)
    if (found) return found.at
  }
  return undefined
}
