import { isRuled, mayBypass, type PrimaryRight, rightToMerge } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import { firstParentsBeyond } from '../../git/history/history.ts'
import { readCommits } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { asksOutdated, judgeMerge } from '../change-requests/judge-merge.ts'
import { headOf } from '../repositories/head-of.ts'
import { changeRequestRef } from '../repositories/ref-names.ts'
import { findOutdated } from '../revisions/find-outdated.ts'
import { tryMerge } from '../revisions/merge-commits.ts'
import type { Push } from './push.ts'
import { Refused } from './refusals.ts'
import { adviceToPropose, checkMayMovePrimary } from './target.ts'

/** The most commits of one push that are searched for merges of change requests, newest first. */
const mostCommits = 1000

/** A pushed merge commit that brings the head of a change request into the primary content. */
export type Merge = { row: ChangeRequestRow; commit: Oid; tree: Oid; published: Oid; head: Oid }

/**
 * The merges of a push, and whether the first-parent line of its new commits consists of them:
 * false if it is empty.
 */
type PushedMerges = { merges: Merge[]; areAll: boolean }

/** Returns the merges of open change requests on the first-parent line of the new commits. */
export async function mergesOf(
  ctx: Context,
  repo: Repository,
  { space, unmerged }: Push,
  { known, to, updated }: { known: Oid; to: Oid; updated: ReadonlySet<string> },
): Promise<PushedMerges> {
  const open = new Map<string, ChangeRequestRow[]>()
  for (const row of unmerged) {
    if (row.status !== 'open' || updated.has(row.id)) continue
    const head = headOf(ctx, space.id, changeRequestRef(row.number)) ?? ''
    open.set(head, [...(open.get(head) ?? []), row])
  }

  if (open.size === 0) return { merges: [], areAll: false }

  const line = await firstParentsBeyond(repo, to, [known], mostCommits)
  const merges: Merge[] = []

  for (const [commit, { tree, parents }] of await readCommits(repo, line)) {
    const [published, head] = parents
    if (!published || !head || parents.length !== 2) continue
    // Several change requests may have the same commits.
    for (const row of open.get(head) ?? []) merges.push({ row, commit, tree, published, head })
    open.delete(head)
  }

  const merged = new Set(merges.map(({ commit }) => commit))

  // Older commits than those of a full line were not read.
  const isWhole = line.length > 0 && line.length < mostCommits

  return { merges, areAll: isWhole && line.every(commit => merged.has(commit)) }
}

/** A merge that merge rules can judge. */
type ProposedMerge = Merge & { outdated: boolean }

/**
 * Returns the merges of a push as merge rules judge them; undefined if the push brings anything
 * else, or if no rules apply. A merge brings something else if its tree is not the one that Git
 * makes of its parents.
 */
export async function proposedMerges(
  ctx: Context,
  repo: Repository,
  { space, role, begins, by }: Push,
  { merges, areAll }: PushedMerges,
): Promise<ProposedMerge[] | undefined> {
  if (begins || !isRuled(ctx, space) || mayBypass(ctx, space, { user: by, role })) return undefined
  if (!areAll) return undefined
  const proposed: ProposedMerge[] = []

  for (const merge of merges) {
    const made = await tryMerge(repo, merge.published, merge.head)
    if (!made.clean || made.tree !== merge.tree) return undefined
    proposed.push({
      ...merge,
      outdated: await isOutdated(ctx, space.id, merge, asksOutdated(ctx, space)),
    })
  }

  return proposed
}

async function isOutdated(
  ctx: Context,
  spaceId: string,
  { row, published, head }: Merge,
  isAsked: boolean,
): Promise<boolean> {
  const branch = { ref: changeRequestRef(row.number), head }
  return isAsked && (await findOutdated(ctx, spaceId, published, [branch])).has(head)
}

/**
 * Returns the right of a push to move the primary content. Throws Refused if merge rules are not
 * fulfilled. Call in the deciding transaction, with the push as it is there.
 */
export function rightToPush(
  ctx: Context,
  push: Push,
  merges: readonly ProposedMerge[] | undefined,
): PrimaryRight {
  const right = checkMayMovePrimary(ctx, push)
  if (right) return right

  const { space, role, by } = push
  const advice = adviceToPropose(push)

  if (!merges)
    throw new Refused(
      'The space has merge rules: only merges of change requests that fulfil them can be pushed',
      advice,
    )

  for (const { row, head, published, outdated } of merges) {
    const current = findChangeRequest(ctx.store, space.id, row.id)
    if (current?.status !== 'open' || current.revision !== head)
      throw new Refused(
        `change request #${row.number} has changed: fetch and merge it again`,
        advice,
      )

    const { unmet } = judgeMerge(ctx, {
      space,
      row: current,
      head,
      primaryHead: published,
      outdated,
      by,
    })
    const [first] = unmet

    if (first)
      throw new Refused(
        `Change request #${row.number} does not fulfil the merge rules: ${first.message.replace(/\.$/, '')}`,
        ...unmet.slice(1).map(({ message }) => message),
      )
  }

  return rightToMerge(ctx, space, { user: by, role }, { met: true })
}
