import { isDeepStrictEqual } from 'node:util'
import type { Idempotency, Origin } from '../../access/asker.ts'
import { mayBypass, type PrimaryRight, rightToMerge } from '../../access/guards/primary.ts'
import { roleOnSpace } from '../../access/space-role.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { openQuarantine, type Quarantine } from '../../git/commits/quarantine.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { diffTrees } from '../../git/trees/diff.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import type { LatestReviewRow } from '../../store/discussions/reviews.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { clearContent } from '../clearance/clear-content.ts'
import type { AuditEvent } from '../events/audit-event.ts'
import { lockSpace } from '../heads/open-space.ts'
import { type Head, readHeadsOf } from '../heads/read-heads.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { authorOf, namedIn, service, withTrailers } from '../repositories/commit-signatures.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { findOutdated, knownToContain } from '../revisions/find-outdated.ts'
import { writeIdentityNotes } from '../revisions/identity.ts'
import { mergeCommits } from '../revisions/merge-commits.ts'
import { mergedIdentity } from '../revisions/merged-identity.ts'
import { fromOtherSide } from '../revisions/name-conflicts.ts'
import { descriptionText } from './description.ts'
import { asksOutdated, judgeMerge } from './judge-merge.ts'
import type { UnmetRule } from './merge-rules.ts'
import { type BareOutcome, describeOutcome, type Outcome } from './outcome.ts'

type MergeOrder = {
  space: SpaceRow
  changeRequest: ChangeRequestRow
  by: UserRow
  /** An admin merges although merge rules are not met. */
  bypassRules?: boolean | undefined
  /** The revision that the user looked at: another one is not merged. */
  seen?: string | undefined
  /** Where the request came from; null: not over HTTP. */
  origin?: Origin | null
  idempotency?: Idempotency | undefined
}

type Heads = { primary: Head; branch: Head; changeRequest: ChangeRequestRow }

/**
 * Merges a change request into the primary content, always with a commit of two parents. Throws
 * 'conflict' if it is merged already or archived, 'forbidden', and 'unmet' with the unmet merge rules.
 */
export async function mergeChangeRequest(
  ctx: Context,
  order: MergeOrder,
): Promise<Outcome<'merge'>> {
  const { id } = order.space
  const outcome = await againIfMoved(() => lockSpace(ctx, id, () => merge(ctx, order)))
  return describeOutcome(ctx, id, outcome)
}

async function merge(ctx: Context, order: MergeOrder): Promise<BareOutcome<'merge'>> {
  const { space } = order
  const repo = spaceRepository(ctx, space.id)
  const heads = await readHeadsOf(ctx, space, order.changeRequest)
  const { primary, branch } = heads
  const outdated = await isOutdated(ctx, space, heads)

  // Checked early to refuse early, and again inside the deciding transaction.
  const { approvals } = checkMay(ctx, order, heads, outdated, heads.changeRequest)

  const quarantine = openQuarantine(repo)
  const joined = await joinHeads(ctx, repo, quarantine, heads)

  if (!joined.clean) {
    // As for an update, the side of the change request is "ours".
    const sides = { ours: branch.head, theirs: primary.head }
    return { found: fromOtherSide(joined.conflicts), sides }
  }

  const at = ctx.now()
  const commit = await writeMerge(quarantine, order, heads, { tree: joined.tree, approvals, at })
  const beside = [primary.head, branch.head]
  const clearance = await clearContent(
    ctx,
    repo,
    { ...order, quarantine },
    { head: commit, beside },
  )

  await quarantine.flush()
  const sides = { published: primary.head, brought: branch.head }
  const identity = await mergedIdentity(ctx, repo, space.id, sides, joined.tree)
  const notes = await writeIdentityNotes(ctx, repo, space.id, [{ commit, identity }], service(at))
  const effects = [
    ...effectsOf(order, heads, commit, at),
    ...(await indexEffect(repo, space.id, primary.head, commit)),
  ]

  const moves: RefMove[] = [
    ...notes,
    { ref: branch.ref, from: branch.head, to: null },
    { ref: primary.ref, from: primary.head, to: commit },
  ]
  const result = { revision: commit, result: 'merge' as const }

  return publish(ctx, repo, {
    key: space.id,
    kind: 'merge-change-request',
    userId: order.by.id,
    clearance,
    moves,
    objects: await quarantine.objects(),
    plan: () => {
      const row = findChangeRequest(ctx.store, space.id, order.changeRequest.id)
      const now = checkMay(ctx, order, heads, outdated, row)
      // The commit message names the approvals.
      if (!isDeepStrictEqual(now.approvals, approvals)) throw hasChanged()
      const answer = order.idempotency && { to: order.idempotency, status: 200, body: result }
      const event = mergedEvent(ctx, order, heads, commit, at)

      return {
        moves,
        effects: [...effects, { do: 'record-event', event }],
        right: now.right,
        result,
        answer,
      }
    },
  })
}

/** Returns the tree that a merge of the two heads has, or the conflicts between them. */
async function joinHeads(
  ctx: Context,
  repo: Repository,
  quarantine: Quarantine,
  { primary, branch }: Heads,
) {
  if (knownToContain(ctx, branch.head, primary.head) === true)
    return { clean: true as const, tree: await treeOf(repo, branch.head) }
  return await mergeCommits(repo, quarantine, primary.head, branch.head)
}

/**
 * Returns whether the branch lacks something of the primary content. Asks Git only if a merge rule
 * depends on it.
 */
async function isOutdated(
  ctx: Context,
  space: SpaceRow,
  { primary, branch }: Heads,
): Promise<boolean> {
  const known = knownToContain(ctx, branch.head, primary.head)
  if (known !== undefined || !asksOutdated(ctx, space)) return !known
  return (await findOutdated(ctx, space.id, primary.head, [branch])).has(branch.head)
}

/**
 * Throws unless the rows, with the current one of the change request, let this user merge this revision. Returns the right to, and the
 * approvals that count: the latest reviews of this revision by users who wrote none of it.
 */
function checkMay(
  ctx: Context,
  { space, changeRequest, by, bypassRules, seen }: MergeOrder,
  { primary, branch: { head } }: Heads,
  outdated: boolean,
  row: ChangeRequestRow | undefined,
): { right: PrimaryRight; approvals: LatestReviewRow[] } {
  const current = rememberedSpace(ctx.store, space.id)
  const role = current ? roleOnSpace(ctx, current, by.id) : null
  if (!current || current.deleted_at !== null || !role) throw missing('space', space.id)
  if (!row) throw missing('change request', changeRequest.id)
  if (row.status === 'merged')
    throw new Fault('already_merged', 'The change request is already merged.')
  if (row.status === 'archived')
    throw new Fault(
      'change_request_archived',
      'The change request is archived. Reopen it before you merge it.',
    )

  const writer = { user: by, role }

  // The role first: it decides what the caller is told.
  rightToMerge(ctx, current, writer, { met: true })
  if (row.revision !== head || (seen ?? head) !== head) throw hasChanged()

  const proposed = { space: current, row, head, primaryHead: primary.head, outdated, by }
  const { unmet, approvals } = judgeMerge(ctx, proposed)
  const bypassing = mayBypass(ctx, current, writer) && (bypassRules || role !== 'admin')
  if (unmet.length > 0 && !bypassing) throw rulesUnmet(unmet, role)

  return { right: rightToMerge(ctx, current, writer, { met: unmet.length === 0 }), approvals }
}

function rulesUnmet(rules: readonly UnmetRule[], role: Role): Fault {
  const messages = rules.map(({ message }) => message).join(' ')
  const more = role === 'admin' ? ' As an admin, you can merge regardless with "bypassRules".' : ''
  return new Fault(
    'merge_rules_unmet',
    `The merge rules of the space are not met. ${messages}${more}`,
    {
      rules,
    },
  )
}

const hasChanged = (): Fault =>
  new Fault('stale_revision', 'The change request has changed. Review it and try again.')

function writeMerge(
  quarantine: Quarantine,
  { space, by }: MergeOrder,
  { primary, branch, changeRequest }: Heads,
  { tree, approvals, at }: { tree: Oid; approvals: readonly LatestReviewRow[]; at: Date },
): Promise<Oid> {
  const subject = changeRequest.subject.trim() || `Merge change request #${changeRequest.number}`
  const text = descriptionText(changeRequest)
  return quarantine.writeCommit({
    tree,
    parents: [primary.head, branch.head],
    author: authorOf(by, at),
    committer: service(at),
    message: withTrailers(text ? `${subject}\n\n${text}` : subject, {
      'Reviewed-by': approvals.map(review =>
        namedIn(authorOf({ ...review, id: review.reviewer_id }, at)),
      ),
      'Stemma-Space': space.id,
      'Stemma-Change-Request': changeRequest.number,
      'Stemma-Operation': 'merge',
    }),
  })
}

function effectsOf(
  { space, by }: MergeOrder,
  { branch: { head }, changeRequest }: Heads,
  commit: Oid,
  at: Date,
): Effect[] {
  const time = at.toISOString()
  return [
    {
      do: 'update-change-request',
      id: changeRequest.id,
      set: {
        status: 'merged',
        revision: head,
        revision_merged: commit,
        merged_by: by.id,
        merged_at: time,
        updated_at: time,
      },
    },
    { do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } },
    { do: 'note-service-commit', row: { space_id: space.id, oid: commit, kind: 'merge' } },
  ]
}

const mergedEvent = (
  ctx: Context,
  { space, by, origin = null }: MergeOrder,
  { primary, branch, changeRequest }: Heads,
  commit: Oid,
  at: Date,
): AuditEvent => ({
  action: 'change_request.merged',
  organizationId: rememberedSpace(ctx.store, space.id)!.organization_id,
  userId: by.id,
  origin,
  target: { kind: 'change-request', id: changeRequest.id },
  spaceId: space.id,
  details: {
    number: changeRequest.number,
    revision: commit,
    from: primary.head,
    merged: branch.head,
  },
  at: at.toISOString(),
})

/**
 * Returns the effect that adds the merge to the revision index; none if too many files changed,
 * since the indexer adds it later.
 */
async function indexEffect(
  repo: Repository,
  spaceId: string,
  before: Oid,
  commit: Oid,
): Promise<Effect[]> {
  const read = await readCommit(repo, commit)
  if (!read) return []

  try {
    const changes = await diffTrees(repo, before, commit, { renames: true })
    const row = {
      space_id: spaceId,
      oid: commit,
      tree: read.tree,
      parents: [...read.parents],
      author_name: read.author.name,
      author_email: read.author.email,
      message: read.message,
      committed_at: read.committer.at,
    }

    const paths = changes.map(({ path, status, from }) => ({
      path,
      status,
      from_path: from ?? null,
    }))

    return [{ do: 'append-revision', after: before, row, paths }]
  } catch (error) {
    if (isGitError(error, 'too_many_files') || isGitError(error, 'timeout')) return []
    throw error
  }
}
