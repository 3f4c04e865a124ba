import { cacheSlot } from '../../caches.ts'
import { markChanges } from '../../content/changes/mark-changes.ts'
import { pageTree } from '../../content/markup/parse.ts'
import { decode } from '../../content/text/bytes.ts'
import type { Context } from '../../context.ts'
import { readBlobs } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'

/** How many blocks of a page were changed, by what happened to them. */
export type BlockCounts = Readonly<Record<'added' | 'edited' | 'removed' | 'moved', number>>

/** The blobs of a page in two versions. */
type Pair = { before: Oid; after: Oid }

/** Counts by `<former blob> <later blob>`; they never change. */
const countCache = cacheSlot<BlockCounts>('blockCounts')

/** Estimated bytes of an entry. */
const entryBytes = 250

/** The most bytes of a page whose blocks are counted. */
const longestPage = 200_000

const nameOf = ({ before, after }: Pair): string => `${before} ${after}`

/**
 * Returns how many blocks each pair of texts changes, by `<former blob> <later blob>`. Texts that
 * are too long are left out.
 */
export async function countBlocks(
  ctx: Context,
  repo: Repository,
  pairs: readonly Pair[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BlockCounts>> {
  const counts = ctx.caches.get(countCache)
  const found = new Map<string, BlockCounts>()
  const asked: Pair[] = []
  for (const pair of pairs) {
    const known = counts.get(nameOf(pair))
    if (known) found.set(nameOf(pair), known)
    else asked.push(pair)
  }

  for (const pair of asked) {
    const texts = await textsOf(repo, pair)
    if (!texts) continue
    const counted = await inSlices(countSteps(...texts), signal)
    counts.set(nameOf(pair), counted, entryBytes)
    found.set(nameOf(pair), counted)
  }

  return found
}

async function textsOf(
  repo: Repository,
  { before, after }: Pair,
): Promise<[string, string] | undefined> {
  const blobs = await readBlobs(repo, [before, after])
  const [former, later] = [blobs.get(before), blobs.get(after)]
  if (!former || !later || Math.max(former.length, later.length) > longestPage) return undefined
  return [decode(former).text, decode(later).text]
}

function* countSteps(before: string, after: string): Steps<BlockCounts> {
  const former = yield* pageTree(before)
  const later = yield* pageTree(after)
  const { changes } = yield* markChanges(former, later)
  const counts = { added: 0, edited: 0, removed: 0, moved: 0 }
  for (const { kind } of changes) counts[kind]++
  return counts
}
