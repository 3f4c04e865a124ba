import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { type NoteOf, readNote, writeNotes } from '../../git/commits/notes.ts'
import { openQuarantine } from '../../git/commits/quarantine.ts'
import { type BlobPaths, findBlobs, rewriteHistory } from '../../git/commits/rewrite.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { moveRefs, type RefMove } from '../../git/refs/refs.ts'
import { checkRepositoryConfig } from '../../git/repositories/repository.ts'
import { dropUnreachable } from '../../git/repositories/upkeep.ts'
import { treeOf } from '../../git/trees/tree-files.ts'
import type { Oid } from '../../lib/oid.ts'
import {
  type ContentPurgeRow,
  deleteContentPurge,
  forgetBlobs,
  insertContentPurge,
  listContentPurges,
  markPurgeMoved,
} from '../../store/git/content-purges.ts'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { keepNamedCommits } from '../heads/keep-named.ts'
import { lockSpace, openSpace } from '../heads/open-space.ts'
import { settleJumps } from '../heads/published-jump.ts'
import { settleLeftovers } from '../journal/settle-intent.ts'
import { erasing } from '../made-files/erasing.ts'
import { removeMade } from '../made-files/remove-made.ts'
import { headOf, headsBelow } from '../repositories/head-of.ts'
import { identityRef, keepRef, publishedRef } from '../repositories/ref-names.ts'
import { isCache } from '../repositories/repository-of.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { changePurgedRows, purgeShared, rewrittenState } from '../sharing/purge-shared.ts'
import { reindexSpace } from './reindex.ts'

/** The effects of a purge, or of a dry run. */
export type PurgePlan = {
  blobs: { oid: Oid; paths: string[] }[]
  /** The number of rewritten commits. */
  commits: number
  /** The refs that move. */
  refs: string[]
  /** Other spaces whose repositories have one of the blobs. They are not changed. */
  elsewhere: string[]
}

/** The content to remove: one blob, or every file that ever was at a path or below it. */
export type PurgeTarget = { blob: Oid } | { path: string }

const defaultText = 'This file was removed.\n'

/**
 * Removes blobs from the whole history of a space: rewrites every commit that has one with a
 * placeholder, updates all refs and rows, and deletes the objects. With `dry` nothing changes. The
 * caller holds the folder's lock, and the journal is settled. A killed purge either has not begun
 * or is finished by the next start (`finishPurges`). Throws Fault 'missing' if the space has no
 * such content.
 */
export async function purgeContent(
  ctx: Context,
  space: SpaceRow,
  target: PurgeTarget,
  { dry, text = defaultText }: { dry: boolean; text?: string | undefined },
): Promise<PurgePlan> {
  await openSpace(ctx, space.id)
  const repo = spaceRepository(ctx, space.id)
  await checkRepositoryConfig(repo)
  await lockSpace(ctx, space.id, () => keepNamedCommits(ctx, repo, space.id))
  const from = isCache(ctx) ? await rewrittenState(ctx, space.id) : undefined
  const found = await findBlobs(repo, 'path' in target ? target : { blob: target.blob })

  if (found.size === 0)
    throw new Fault(
      'not_found',
      `No revision of the space ${space.id} has ${'path' in target ? `a file at "${target.path}"` : `the blob ${target.blob}`}.`,
    )

  const { objects } = await rewriteHistory(repo, new Set(found.keys()), Buffer.from(text), {
    write: !dry,
  })
  const moves = await planMoves(ctx, repo, space.id, { objects, dry })
  const plan = {
    ...describe(found, moves),
    commits: objects.size,
    elsewhere: await findElsewhere(ctx, space, found),
  }
  if (dry) return plan
  if (from) {
    const blobs = [...found.keys()]
    await purgeShared(ctx, space, { from, blobs, moves, rewritten: objects })
    return plan
  }
  insertContentPurge(
    ctx.store,
    {
      space_id: space.id,
      blobs: [...found.keys()],
      moves,
      created_at: ctx.now().toISOString(),
    },
    objects,
  )
  await finishPurges(ctx)

  return plan
}

const describe = (
  found: BlobPaths,
  moves: readonly RefMove[],
): Pick<PurgePlan, 'blobs' | 'refs'> => ({
  blobs: [...found].map(([oid, paths]) => ({ oid, paths: [...paths].sort() })),
  refs: moves.filter(({ to }) => to !== null).map(({ ref }) => ref),
})

async function findElsewhere(ctx: Context, space: SpaceRow, found: BlobPaths): Promise<string[]> {
  const blobs = [...found.keys()]
  const elsewhere: string[] = []
  for (const { id } of listAllSpaces(ctx.store)) {
    if (id === space.id) continue
    if (isCache(ctx)) await openSpace(ctx, id)
    const held = await objectInfo(spaceRepository(ctx, id), blobs).catch(() => new Map())
    if (held.size > 0) elsewhere.push(id)
  }
  return elsewhere
}

/**
 * Returns the moves of all refs to rewritten commits, and copies the notes of those commits to the
 * new ones.
 */
async function planMoves(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { objects, dry }: { objects: ReadonlyMap<Oid, Oid>; dry: boolean },
): Promise<RefMove[]> {
  const moves: RefMove[] = []
  for (const [ref, from] of await headsBelow(ctx, spaceId, 'refs/')) {
    const to = objects.get(from)
    if (!to || ref === identityRef || ref === publishedRef) continue
    if (ref === keepRef(from))
      moves.push({ ref, from, to: null }, { ref: keepRef(to), from: null, to })
    else moves.push({ ref, from, to })
  }

  // Deleted, and rebuilt from the rows without notes of rewritten commits.
  const published = headOf(ctx, spaceId, publishedRef)
  if (published) moves.push({ ref: publishedRef, from: published, to: null })

  const tip = headOf(ctx, spaceId, identityRef)
  if (!tip || dry) return moves

  const notes = await treeOf(repo, tip)
  const renewed: NoteOf[] = []

  for (const [old, now] of objects) {
    const note = await readNote(repo, notes, old)
    if (note !== undefined) renewed.push({ commit: now, text: note })
  }

  if (renewed.length === 0) return moves

  const quarantine = openQuarantine(repo)
  const committer = { name: 'Stemma', email: 'stemma@users.stemma.invalid', at: Date.now() / 1000 }

  moves.push(
    await writeNotes(repo, quarantine, { ref: identityRef, from: tip }, renewed, committer),
  )
  await quarantine.flush()

  return moves
}

/**
 * Finishes the purges that have begun, including those of a killed process. Call it before other
 * work on their spaces.
 */
export async function finishPurges(ctx: Context): Promise<void> {
  for (const purge of listContentPurges(ctx.store)) {
    const space = findSpace(ctx.store, purge.space_id)
    if (!space) continue
    const repo = spaceRepository(ctx, space.id)

    if (purge.state === 'begun' && !canMove(ctx, purge)) {
      deleteContentPurge(ctx.store, space.id)
      continue
    }

    if (purge.state === 'begun') await moveAll(ctx, repo, space, purge)
    // Writes to derived.db are not synced: no power failure may bring the purged rows back once
    // this entry is gone. While another process reads, they cannot be synced for certain: the next
    // start repeats these steps.
    const left = await erasing(ctx, () => forgetPurged(ctx, repo, space, purge.blobs))
    if (left === 0) deleteContentPurge(ctx.store, space.id)
    ctx.log.warn({ space: space.id }, 'content was purged from the history of a space')
  }
}

/** Deletes purged objects, and what was made from them. */
async function forgetPurged(
  ctx: Context,
  repo: Repository,
  space: SpaceRow,
  blobs: readonly Oid[],
): Promise<void> {
  forgetBlobs(ctx.store, blobs)
  // Long-running processes keep objects in memory.
  ctx.processes.closeRepository(repo.dir)
  ctx.caches.clear()
  // What a process left that was killed here.
  await settleLeftovers(ctx, repo, space.id)
  await settleJumps(ctx, repo, space.id)
  await dropUnreachable(repo)
  await removeMade(ctx, space.id)
  await reindexSpace(ctx, space)
}

/**
 * Returns whether every ref of a purge is where the purge found or left it. Otherwise the row is
 * from an older copy of the database, or the repository was pushed to since: logs that the purge is
 * abandoned.
 */
function canMove(ctx: Context, { space_id, moves }: ContentPurgeRow): boolean {
  for (const { ref, from, to } of moves) {
    const now = headOf(ctx, space_id, ref) ?? null
    if (now === from || now === to) continue
    ctx.log.error(
      { space: space_id, ref },
      'a purge of content was abandoned because the space has changed since: run "stemma purge-content" again',
    )
    return false
  }
  return true
}

async function moveAll(
  ctx: Context,
  repo: Repository,
  space: SpaceRow,
  purge: ContentPurgeRow,
): Promise<void> {
  const { moves, blobs } = purge
  await moveRefs(
    repo,
    moves.filter(({ ref, to }) => (headOf(ctx, space.id, ref) ?? null) !== to),
  )
  ctx.store.transact(() => {
    changePurgedRows(ctx, space, { moves, blobs })
    markPurgeMoved(ctx.store, space.id)
  })
}
