import { cacheSlot, stateSlot } from '../../caches.ts'
import { shownTreeSteps } from '../../content/evaluate/shown-tree.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import type { ComputedContent } from '../specs/computed-pages.ts'
import type { Audience } from './audience.ts'
import { usedFiles } from './reader-files.ts'

/** A revision whose content is shown to a reader, with or without computed pages. */
export type Original = { space: SpaceRow; repo: Repository; oid: Oid; shown: ComputedContent }

/** A tree that readers with the same claims are shown, and the tree that it was made from. */
type ReaderTree = { from: WeakRef<ContentTree>; content: ContentTree }

const treeCache = cacheSlot<ReaderTree>('readers')
const treesInProgress = stateSlot(
  () => new Map<string, { from: ContentTree; made: Promise<ContentTree> }>(),
)

/** Estimates the memory of a tree in bytes beside the one that it was made from. */
const weigh = ({ pageById, files }: ContentTree): number =>
  1_000 + pageById.size * 400 + files.length * 100

/**
 * Returns the content of a revision as readers with these claims are shown it: without the pages
 * that are hidden from them. With `files`, its files and reusable content are those that the shown
 * pages use; otherwise all that are not Markdown.
 */
export async function readerContent(
  ctx: Context,
  original: Original,
  audience: Audience,
  { files }: { files: boolean },
): Promise<ComputedContent> {
  const { shown, space } = original
  const drafts = audience.draftsOf === space.id
  // Of other spaces, the same reader is shown no drafts.
  const key = `${audience.claimsId} ${drafts}`
  const pages = await kept(ctx, original, `${key} pages`, () =>
    inSlices(shownTreeSteps(shown.content, audience.claims, { drafts })),
  )
  const content = files
    ? await kept(ctx, original, `${key} files`, () =>
        usedFiles(ctx, original, pages, audience.claims),
      )
    : pages

  return { ...shown, content }
}

/** Returns a kept tree, or makes it once for all concurrent readers. */
async function kept(
  ctx: Context,
  { space, oid, shown: { content, stamp } }: Original,
  what: string,
  make: () => Promise<ContentTree>,
): Promise<ContentTree> {
  const trees = ctx.caches.get(treeCache)
  const making = ctx.caches.get(treesInProgress)
  const key = `${space.id} ${oid} ${stamp} ${what}`

  // Another view of the commit may have other ids.
  const known = trees.get(key)
  if (known && known.from.deref() === content) return known.content

  const pending = making.get(key)
  if (pending?.from === content) return pending.made

  const made = make()
    .then(tree => {
      trees.set(
        key,
        { from: new WeakRef(content), content: tree },
        Math.min(weigh(tree), trees.limit),
      )
      return tree
    })
    .finally(() => {
      if (making.get(key)?.made === made) making.delete(key)
    })

  making.set(key, { from: content, made })

  return made
}
