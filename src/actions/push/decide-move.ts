import type { Context } from '../../context.ts'
import { isAncestor, mergeBase } from '../../git/commits/merge.ts'
import { arrivingCommits } from '../../git/history/arriving.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { PushCommand } from '../../git/protocol/push-request.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { headOf } from '../repositories/head-of.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { checkBranchName } from './branch-name.ts'
import type { Move } from './move.ts'
import { listedNames, ownRequests, type Push } from './push.ts'
import { Refused } from './refusals.ts'
import { checkMayMovePrimary, type Target } from './target.ts'

/** The new commits of a push, and a repository that has them. */
type Arrived = { repo: Repository; parents: ReadonlyMap<Oid, readonly Oid[]> }

/**
 * Returns the move of a command whose commits have arrived. Throws Refused if its branch has
 * moved on, or if its commit is not one that the branch can go on with.
 */
export async function decideMove(
  ctx: Context,
  push: Push,
  { command, target }: { command: PushCommand; target: Target },
  arrived: Arrived,
): Promise<Move> {
  const { to } = command
  if (!to) throw new Error('A deletion has no target.')
  await checkIsCommit(arrived, to)

  switch (target.kind) {
    case 'primary':
      return movePrimary(push, command, to, arrived)
    case 'begin':
      return begin(ctx, push, command, to, arrived)
    case 'update':
      return updateRequest(ctx, target.row, command, to, arrived)
    case 'propose':
      return propose(ctx, push, command, to, arrived)
    case 'open':
      checkOld(command, null, command.ref)
      return open(push, command, to, target.branch, arrived)
  }
}

async function checkIsCommit({ repo }: Arrived, to: Oid): Promise<void> {
  if ((await objectInfo(repo, [to])).get(to)?.type !== 'commit')
    throw new Refused('a branch can only be moved to a commit')
}

/** Throws Refused unless a branch is where the pusher saw it. */
function checkOld(
  { from }: PushCommand,
  head: Oid | null,
  branch: string,
  ...advice: string[]
): void {
  if (from === head) return
  const gone = `${branch.replace('refs/heads/', '')} has gone on: pull and push again`
  throw new Refused(
    'fetch first',
    ...(advice.length > 0 ? advice.map(each => `${gone}, ${each}`) : [gone]),
  )
}

/** Throws Refused if a branch would lose commits. */
async function checkGoesOn(arrived: Arrived, head: Oid, to: Oid, name: string): Promise<void> {
  if (!(await goesOn(arrived, head, to)))
    throw new Refused('non-fast-forward: a push only adds', `Merge ${name} and push again.`)
}

/**
 * Returns whether `head` is an ancestor of `to`: the new commits tell mostly, without a process.
 */
async function goesOn(arrived: Arrived, head: Oid, to: Oid): Promise<boolean> {
  const { fresh, below } = arrivedWith(arrived, to)
  return fresh.has(head) || below.has(head) || isAncestor(arrived.repo, head, to)
}

/**
 * Returns the new commits that `to` leads to, itself included, and the first other ones on the way.
 */
function arrivedWith({ parents }: Arrived, to: Oid): { fresh: Set<Oid>; below: Set<Oid> } {
  const [fresh, below] = [new Set<Oid>(), new Set<Oid>()]
  const seen = new Set<Oid>([to])
  for (const oid of seen) {
    const known = parents.get(oid)
    ;(known ? fresh : below).add(oid)
    for (const parent of known ?? []) seen.add(parent)
  }
  return { fresh, below }
}

async function movePrimary(
  { primary }: Push,
  command: PushCommand,
  to: Oid,
  arrived: Arrived,
): Promise<Move> {
  const { ref, name, head } = primary
  if (head === to) return { kind: 'nothing', command, to }
  checkOld(command, head ?? null, ref, `or propose it: git push <remote> HEAD:refs/for/${name}`)
  if (!head) throw new Refused('fetch first')
  await checkGoesOn(arrived, head, to, name)
  return { kind: 'primary', command, ref, from: head, to }
}

/**
 * The branch that the space was made with is not listed, so that its history need not be known. A
 * branch of another name with commits on top of it comes from a clone: it is a proposal.
 */
async function begin(
  ctx: Context,
  push: Push,
  command: PushCommand,
  to: Oid,
  arrived: Arrived,
): Promise<Move> {
  const { ref, head } = push.primary
  if (!head) throw new Refused('fetch first')

  if (command.ref !== ref && (await goesOn(arrived, head, to))) {
    push.checkToken('change-requests')
    const branch = command.ref.slice('refs/heads/'.length)
    checkBranchName(branch, listedNames(push))
    return open(push, command, to, branch, arrived)
  }

  checkMayMovePrimary(ctx, push)
  if (command.ref === ref && head === to) return { kind: 'nothing', command, to }
  if (command.from !== null) checkOld(command, head, ref)

  return { kind: 'begin', command, ref: command.ref, from: head, to }
}

async function updateRequest(
  ctx: Context,
  row: ChangeRequestRow,
  command: PushCommand,
  to: Oid,
  arrived: Arrived,
): Promise<Move> {
  const ref = changeRequestRef(row.number)
  const head = headOf(ctx, row.space_id, ref)
  if (!head) throw new Refused('fetch first')
  if (head === to) return { kind: 'update', command, row, from: head, to }
  const proposed = command.ref.startsWith('refs/for/')
  checkOld(command, proposed ? null : head, proposed ? command.ref : ref)
  await checkGoesOn(arrived, head, to, row.branch ?? ref.slice('refs/heads/'.length))
  return { kind: 'update', command, row, from: head, to }
}

async function propose(
  ctx: Context,
  push: Push,
  command: PushCommand,
  to: Oid,
  arrived: Arrived,
): Promise<Move> {
  checkOld(command, null, command.ref)
  const beyond = await beyondPrimary(arrived, push, to)
  for (const row of ownRequests(push).reverse()) {
    const head = headOf(ctx, row.space_id, changeRequestRef(row.number))
    if (head && beyond.fresh.has(head)) return { kind: 'update', command, row, from: head, to }
  }
  return open(push, command, to, null, arrived, beyond)
}

async function open(
  push: Push,
  command: PushCommand,
  to: Oid,
  branch: string | null,
  arrived: Arrived,
  known?: Beyond,
): Promise<Move> {
  const { name, head } = push.primary
  const { fresh, base: nearest } = known ?? (await beyondPrimary(arrived, push, to))
  if (!head || fresh.size === 0) throw new Refused(`nothing to propose: ${name} has all of it`)
  const base = nearest ?? (await mergeBase(arrived.repo, head, to))
  if (!base) throw new Refused(`it has no commit in common with ${name}`)
  return { kind: 'open', command, to, branch, base }
}

/** The commits that the primary content lacks; `base` is where they leave it, if that is known. */
type Beyond = { fresh: ReadonlySet<Oid>; base?: Oid }

/** Returns the commits that a commit brings and the primary content lacks. */
async function beyondPrimary(arrived: Arrived, { primary }: Push, to: Oid): Promise<Beyond> {
  const { head } = primary
  const { fresh, below } = arrivedWith(arrived, to)

  // Mostly new commits on top of the primary content, which needs no process.
  if (head && below.size === 1 && below.has(head)) return { fresh, base: head }

  try {
    const held = { commits: head ? [head] : [], refs: [] }
    return { fresh: new Set(await arrivingCommits(arrived.repo, to, held)) }
  } catch (error) {
    if (isGitError(error, 'too_large'))
      throw new Refused('the change request would have too many commits')
    throw error
  }
}
