import type { Context } from '../../context.ts'
import { pauses } from '../../lib/slices.ts'
import { deleteSomeDerived, listDerivedOrphans } from '../../store/git/derived-rows.ts'
import { deleteSomeOfSearch } from '../../store/search/search-index.ts'

/** The number of rows deleted in one transaction, which blocks all requests. */
const batch = 200
/** The same for pages in the search index. */
const searchBatch = 20

/** Deletes the rows that derived.db has of a space. */
export async function removeDerived(
  { store }: Pick<Context, 'store'>,
  spaceId: string,
): Promise<void> {
  const pause = pauses()
  while (deleteSomeOfSearch(store, spaceId, searchBatch) > 0) await pause()
  while (deleteSomeDerived(store, spaceId, batch) > 0) await pause()
}

/**
 * Deletes the rows of spaces that no longer exist: the process was killed between the two files, or
 * stemma.db is an older copy.
 */
export async function removeDerivedOrphans(ctx: Pick<Context, 'store'>): Promise<void> {
  for (const id of listDerivedOrphans(ctx.store)) await removeDerived(ctx, id)
}
