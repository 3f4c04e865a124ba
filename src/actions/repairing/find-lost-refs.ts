import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { incompleteOf } from '../../git/history/complete.ts'
import type { Repository } from '../../git/process/processes.ts'
import { defaultBranch } from '../../git/refs/default-branch.ts'
import { listRefs, type RefMove } from '../../git/refs/refs.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { isAt, readPosition, type State } from '../catch-up/position.ts'
import { identityRef, publishedRef } from '../repositories/ref-names.ts'
import { repositoryOf } from '../repositories/repository-of.ts'

/** The refs of a repository in a folder, and its default branch. */
export type Seen = { refs: ReadonlyMap<string, Oid>; head: string | undefined }

const nothing: Seen = { refs: new Map(), head: undefined }

/** Returns the refs of a repository; none if it cannot be read. */
export async function seenIn(repo: Repository): Promise<Seen> {
  if (!existsSync(repo.dir)) return nothing
  try {
    return { refs: await listRefs(repo, 'refs/'), head: defaultBranch(repo) }
  } catch (error) {
    if (!isGitError(error)) throw error
    return nothing
  }
}

/**
 * Returns the refs of the folder of this node if it is where the database is: then they are those that
 * the database had.
 */
export async function seenAtState(
  ctx: Context,
  key: string,
  state: State | undefined,
): Promise<Seen> {
  const repo = repositoryOf(ctx, key)
  const isThere = () => state !== undefined && isAt(readPosition(repo.dir), state)
  if (!isThere()) return nothing
  const seen = await seenIn(repo)
  return isThere() ? seen : nothing
}

/**
 * The default branch of a repository, the moves of refs whose rows are damaged, and the refs that have no
 * value left.
 */
export type RefPlan = { head: string; moves: RefMove[]; lost: string[] }

/** The values that a ref may have, the best first. */
type Sources = {
  rows: ReadonlyMap<string, Oid>
  /** The refs that must exist, with the values that other rows give them. */
  needed: ReadonlyMap<string, Oid | undefined>
  others: readonly Seen[]
}

/**
 * Returns the moves of the refs of which objects are missing in `repo` to the best value of which none
 * is, and the refs for which there is none.
 */
export async function findLostRefs(
  repo: Repository,
  { rows, needed, others }: Sources,
): Promise<Omit<RefPlan, 'head'>> {
  const known = [needed, rows, ...others.map(({ refs }) => refs)]
  const optional = [identityRef, publishedRef].filter(ref =>
    others.some(({ refs }) => refs.has(ref)),
  )
  const names = new Set([...rows.keys(), ...needed.keys(), ...optional])
  const wished = [...names].map(ref => ({ ref, oids: known.flatMap(held => held.get(ref) ?? []) }))
  const broken = await incompleteOf(
    repo,
    wished.flatMap(({ oids }) => oids),
  )

  const moves: RefMove[] = []
  const lost: string[] = []
  for (const { ref, oids } of wished) {
    const to = oids.find(oid => !broken.has(oid))
    const from = rows.get(ref) ?? null
    if (to === undefined) lost.push(ref)
    else if (to !== from) moves.push({ ref, from, to })
  }
  return { moves, lost }
}
