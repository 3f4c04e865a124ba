import type { Context } from '../../context.ts'
import { isAncestor } from '../../git/commits/merge.ts'
import { listNotes, writeNotes } from '../../git/commits/notes.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { lastBeyond } from '../../git/history/history.ts'
import { readCommit } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { RefMove } from '../../git/refs/refs.ts'
import { type Oid, parseOid } from '../../lib/oid.ts'
import { listPublishedJumps, putPublishedJump } from '../../store/git/published-jumps.ts'
import type { PublishedJumpRow } from '../../store/tables/rows.ts'
import { unmoved } from '../clearance/clear-content.ts'
import type { Effect } from '../journal/effects.ts'
import { publish } from '../journal/publish.ts'
import { service } from '../repositories/commit-signatures.ts'
import { headOf } from '../repositories/head-of.ts'
import { publishedRef } from '../repositories/ref-names.ts'

/** The ref moves and row changes that keep the previously published head on the published line. */
type Jump = { moves: RefMove[]; effects: Effect[] }

const none: Jump = { moves: [], effects: [] }

/**
 * Returns what to record when the primary content moves from `known` to `head`: nothing if `known`
 * is on the published line of `head`, or was dropped. Without the record, a merge whose first
 * parent is a foreign history would hide what was published before it. Hold the space's lock.
 */
export async function recordJump(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { known, head, at }: { known: Oid; head: Oid; at: Date },
): Promise<Jump> {
  if (!(await isJump(ctx, repo, spaceId, known, head))) return none
  return jumpTo(ctx, repo, { space_id: spaceId, oid: head, previous: known }, at)
}

/** Returns what records a jump, in Git and as a row. Hold the space's lock. */
export const jumpTo = async (
  ctx: Context,
  repo: Repository,
  row: PublishedJumpRow,
  at: Date,
): Promise<Jump> => ({
  moves: [await writeJumps(ctx, repo, row.space_id, { rows: [row], at })],
  effects: [{ do: 'note-published-jump', row }],
})

/** Returns whether `head` descends from `known` but its published line does not contain it. */
export async function isJump(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  known: Oid,
  head: Oid,
): Promise<boolean> {
  const [first] = (await readCommit(repo, head))?.parents ?? []
  if (head === known || first === known || !(await isAncestor(repo, known, head))) return false
  const jumps = listPublishedJumps(ctx.store, spaceId) as Map<Oid, Oid>

  for (let at: Oid | undefined = head; at && at !== known; ) {
    const last: Oid | undefined = await lastBeyond(repo, at, known, oid => jumps.has(oid))
    if (!last) return true
    at = jumps.get(last) ?? (await readCommit(repo, last))?.parents[0]
    if (at === known) return false
  }

  return true
}

async function writeJumps(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { rows, at }: { rows: readonly PublishedJumpRow[]; at: Date },
): Promise<RefMove> {
  const quarantine = openQuarantine(repo)
  const notes = rows.map(({ oid, previous }) => ({ commit: oid, text: `${previous}\n` }))
  const message = 'Note what was published before'
  const from = headOf(ctx, spaceId, publishedRef)
  const line = { ref: publishedRef, from }
  const move = await writeNotes(repo, quarantine, line, notes, service(at), message)
  await quarantine.flush()
  return move
}

/** Returns the jumps that Git has a note of but no row: the rows were lost. */
export async function findLostJumps(
  ctx: Context,
  repo: Repository,
  spaceId: string,
): Promise<PublishedJumpRow[]> {
  const tip = headOf(ctx, spaceId, publishedRef)
  if (!tip) return []
  const rows = listPublishedJumps(ctx.store, spaceId)
  return [...(await listNotes(repo, tip))].flatMap(([oid, text]) => {
    const previous = parseOid(text.trim())
    return previous && !rows.has(oid) ? [{ space_id: spaceId, oid, previous }] : []
  })
}

/**
 * Restores the rows of jumps from their notes, and writes missing notes from rows. Hold the space's
 * lock, or that of the data folder, with no intent of the space in the journal.
 */
export async function settleJumps(ctx: Context, repo: Repository, spaceId: string): Promise<void> {
  const lost = await findLostJumps(ctx, repo, spaceId)
  ctx.store.transact(() => {
    for (const row of lost) putPublishedJump(ctx.store, row)
  })
  const tip = headOf(ctx, spaceId, publishedRef)
  const noted = tip ? await listNotes(repo, tip) : new Map<Oid, string>()
  const unnoted = [...listPublishedJumps(ctx.store, spaceId)]
    .filter(([oid]) => !noted.has(oid))
    .map(([oid, previous]) => ({ space_id: spaceId, oid, previous }))
  if (unnoted.length === 0) return

  const move = await writeJumps(ctx, repo, spaceId, { rows: unnoted, at: ctx.now() })

  await publish(ctx, repo, {
    key: spaceId,
    kind: 'note-jumps',
    userId: null,
    clearance: unmoved,
    plan: () => ({ moves: [move], effects: [], result: undefined }),
  })
}
