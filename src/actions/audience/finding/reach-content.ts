import { Fault } from '../../../errors.ts'
import type { Oid } from '../../../lib/oid.ts'
import { queueSearchIndex } from '../../../queue/search.ts'
import { note, saysCannotWrite } from '../../../store/note.ts'
import {
  type Coverage,
  currentCoverage,
  indexBranch,
  indexPrimary,
  indexState,
  mostOthers,
} from '../../search/index-search.ts'
import type { SearchSource } from '../../search/search-source.ts'
import type { OpenContent } from '../open-content.ts'

/**
 * The maximum numbers of pages that a search indexes and compares itself; larger changes are left
 * to the job.
 */
const mostIndexed = 200
const mostCompared = 3_000
/**
 * The same limit for change requests and old revisions, which have no job: an unfinished search
 * continues with the next request.
 */
const mostBeside = 1_000

/** A reached index. `state` changes when the index may have lost pages of the content. */
type Reached = { space: Coverage['space']; revision: Oid; state: string }

/**
 * Brings the index as close to the opened content as is possible now. Returns the space in the
 * index and the revision that is searched. Throws 'unavailable' while the index of the content is
 * being built.
 */
export async function reachContent(
  { ctx, space, scope }: OpenContent,
  source: SearchSource,
): Promise<Reached> {
  const primary = scope === 'content'
  const before = indexState(ctx, space.id)
  const reached = await (primary
    ? indexPrimary(ctx, space.id, source, { most: mostIndexed, mostCompared })
    : indexBranch(ctx, space.id, source, { most: mostBeside })
  ).catch(error => {
    // Reads continue on a full disk.
    if (!saysCannotWrite(error)) throw error
    return currentCoverage(ctx, space.id, source)
  })
  const isFull = !primary && (reached?.space.others ?? 0) > mostOthers
  if (isFull) note(() => queueSearchIndex(ctx.store, space.id, ctx.now()))
  const revision = reached?.whole ? source.view.oid : reached?.space.revision
  if (reached && revision && (primary || reached.whole)) {
    const state = primary ? indexState(ctx, space.id) : before
    return { space: reached.space, revision, state }
  }
  if (primary) note(() => queueSearchIndex(ctx.store, space.id, ctx.now()))
  throw new Fault(
    'index_building',
    'The search index of this content is being built. Search again in a few seconds.',
  )
}
