import type { Way } from '../../access/guards/primary.ts'
import type { Context } from '../../context.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import type { Oid } from '../../lib/oid.ts'
import { findSpace, isUntouched } from '../../store/spaces/spaces.ts'
import type { SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Arrival } from '../clearance/arrival.ts'
import { clearContent } from '../clearance/clear-content.ts'
import { keepDropped } from '../heads/keep-dropped.ts'
import { lockSpace } from '../heads/open-space.ts'
import { recordJump } from '../heads/published-jump.ts'
import { reconcileSpace } from '../heads/reconcile-space.ts'
import { recordPushedIds } from '../heads/record-pushed-ids.ts'
import { deletionsOf, readPrimary } from '../heads/take-branch-name.ts'
import { withBranchName } from '../heads/with-branch-name.ts'
import { againIfMoved } from '../journal/again-if-moved.ts'
import { contentMoved } from '../journal/content-moved.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { headOf, primaryRef } from '../repositories/head-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { indexHistory, type Unindexed } from '../revisions/index-history.ts'
import { checkMaySync } from './check-may-sync.ts'
import type { Winner } from './combine-trees.ts'
import { countFiles, type FileCounts } from './count-files.ts'
import { joinCommits } from './join-commits.ts'

export type Adoption = {
  commit: Oid
  /** The branch that it came from. An untouched space takes over its name. */
  ref: string
  /** The message of a merge commit. */
  message: string
  by: UserRow
  /** The way in whose rights the user needs. */
  way: Way
  /** Which side wins conflicts, and whether it replaces all content. */
  winner: Winner
  /** The last commit adopted from the same branch of the same remote. */
  seen?: Oid | undefined
  /** Keeps the name of the space's branch even if it was never written to. */
  keepBranch?: boolean
  /** Returns further ref moves; `taken` as in `Adopted`. */
  extraMoves?: (taken: boolean) => Promise<RefMove[]>
  /** The revisions that the index will lack, if they are read concurrently. */
  unindexed?: Promise<Unindexed | undefined>
  /** Returns further row changes. */
  effects: (adopted: Adopted) => Effect[]
}

/** The result of an adoption. */
type Adopted = {
  head: Oid
  at: Date
  /** Returns whether the commit brought anything new to the space. */
  taken: boolean
  /** The changes to the space's files; undefined: too many to count. */
  counts: FileCounts | undefined
}

/**
 * Brings a commit from a remote into a space's primary content: an untouched space takes over its
 * history unchanged, a space that is behind fast-forwards, any other merges. Returns the new head.
 * Throws SyncFailure with the conflicts.
 */
export const adoptCommit = (ctx: Context, spaceId: string, adoption: Adoption): Promise<Oid> =>
  againIfMoved(() =>
    lockSpace(ctx, spaceId, async () => {
      await reconcileSpace(ctx, { id: spaceId })
      const space = findSpace(ctx.store, spaceId)
      if (!space) throw new Error(`The space ${spaceId} does not exist.`)

      const repo = spaceRepository(ctx, spaceId)

      // Checked first: a refused import must not rename the branch.
      await clearContent(ctx, repo, { space, by: adoption.by }, arrivalOf(ctx, spaceId, adoption))
      const write = () => adopt(ctx, repo, space, adoption)
      const head = await (takesOver(space, adoption)
        ? withBranchName(ctx, { spaceId, ref: adoption.ref }, write)
        : write())

      await indexHistory(ctx, repo, spaceId, head, await adoption.unindexed)

      return head
    }),
  )

function arrivalOf(ctx: Context, spaceId: string, { commit }: Adoption): Arrival {
  const now = headOf(ctx, spaceId, primaryRef(ctx, spaceId))
  return { head: commit, beside: now ? [now] : [] }
}

const takesOver = (space: SpaceRow, { keepBranch }: Adoption): boolean =>
  isUntouched(space) && !keepBranch

async function adopt(
  ctx: Context,
  repo: Repository,
  space: SpaceRow,
  adoption: Adoption,
): Promise<Oid> {
  const primary = readPrimary(ctx, space.id)
  const known = primary.recorded
  const at = ctx.now()
  const untouched = takesOver(space, adoption)
  const quarantine = openQuarantine(repo)
  const joined = untouched
    ? { head: adoption.commit, made: false }
    : await joinCommits({ repo, quarantine }, space, primary.tip ?? known, adoption, at)
  const { head } = joined
  const writer = { space, by: adoption.by, ...(joined.made && { quarantine }) }
  const clearance = await clearContent(ctx, repo, writer, {
    head,
    beside: [known, adoption.commit],
  })
  if (joined.made) await quarantine.flush()

  const taken = head !== primary.tip || untouched
  const jump = await recordJump(ctx, repo, space.id, { known, head, at })
  const moves = [
    ...(await keepDropped(ctx, repo, space.id, { old: known, head })),
    ...(head === known ? [] : await recordPushedIds(ctx, repo, space.id, { known, head, at })),
    ...jump.moves,
    ...deletionsOf(ctx, space.id, primary.former),
    ...((await adoption.extraMoves?.(taken)) ?? []),
    { ref: primary.ref, from: primary.tip, to: head },
  ]
  const counts = await countFiles(repo, known, head)

  return publish(ctx, repo, {
    key: space.id,
    kind: 'adopt-commit',
    userId: adoption.by.id,
    clearance,
    plan: () => ({
      moves,
      right: checkMaySync(ctx, { space_id: space.id, created_by: adoption.by.id }, adoption.way)
        .right,
      effects: [
        ...movedEffects(space, adoption, { head, known, taken, at }),
        ...(joined.made ? [mergeCommitEffect(space, head)] : []),
        ...jump.effects,
        ...adoption.effects({ head, at, taken, counts }),
      ],
      result: head,
    }),
  })
}

/** Returns the row changes of a moved head. */
function movedEffects(
  space: SpaceRow,
  { by }: Adoption,
  { head, known, taken, at }: { head: Oid; known: Oid; taken: boolean; at: Date },
): Effect[] {
  const time = at.toISOString()
  const effects: Effect[] = []
  if (taken)
    effects.push({ do: 'update-space', id: space.id, set: { updated_at: time, pristine: 0 } })

  if (head !== known) {
    const moved = { space, revision: head, from: known, at: time }
    effects.push(contentMoved(moved, { userId: by.id, origin: null }, { synchronized: true }))
  }

  return effects
}

const mergeCommitEffect = (space: SpaceRow, oid: Oid): Effect => ({
  do: 'note-service-commit',
  row: { space_id: space.id, oid, kind: 'import' },
})
