import { type PageNode, parentOf } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { type Comparison, formerPage } from '../audience/compare.ts'
import type { OpenContent } from '../audience/open-content.ts'
import { linksOfRevision } from '../links/read-links.ts'
import { type BlockCounts, countBlocks } from './count-blocks.ts'
import type { OpenRequest } from './open-request.ts'

/** A page or group in which a change request differs from the content that it is based on. */
export type ChangedPage = {
  /** The page now; for a removed one, as it was. */
  node: PageNode
  kind: 'new' | 'changed' | 'removed'
  /** The page before, unless it is new. */
  former: PageNode | undefined
}

/** What happened to a page besides its text. */
type PlaceChange = {
  title?: string | undefined
  /** The former path of its file. */
  path?: string | undefined
  /** The title of the former parent; '' for the top level. */
  parent?: string | undefined
}

/** Returns the pages that a change request changes, in the order of the table of contents, then the removed ones. */
export function changedPagesOf({ open, compared }: OpenRequest): ChangedPage[] {
  if (!compared) return []
  const { content } = open.shown
  const changed = [...compared.pages.marks].flatMap(([id, mark]): ChangedPage[] => {
    const node = content.pageById.get(id)
    if (!node) return []
    if (mark === 'new') return [{ node, kind: 'new', former: undefined }]
    return [{ node, kind: 'changed', former: formerPage(open, node, compared) }]
  })
  const removed = compared.pages.removed.map(
    ({ page }): ChangedPage => ({ node: page, kind: 'removed', former: page }),
  )
  return [...changed, ...removed]
}

/** Returns the former title, path and parent of a page where they were others. */
export function placeChangeOf(
  { open, compared }: { open: OpenContent; compared: Comparison | undefined },
  { node, former, kind }: ChangedPage,
): PlaceChange {
  if (!former || !compared || kind !== 'changed') return {}
  const [was, is] = [
    parentOf(compared.before.shown.content, former),
    parentOf(open.shown.content, node),
  ]
  const sameParent = was === is || was?.id === is?.id || was?.title === is?.title
  return {
    ...(former.title !== node.title && { title: former.title }),
    ...(former.file?.path !== node.file?.path && { path: former.file?.path }),
    ...(!sameParent && { parent: was?.title ?? '' }),
  }
}

/** The blobs of a page whose text changed. */
const pairOf = ({ node, former, kind }: ChangedPage) =>
  kind === 'changed' && node.file && former?.file && node.file.oid !== former.file.oid
    ? { before: former.file.oid, after: node.file.oid }
    : undefined

/** Returns how many blocks of each of these pages changed; see `countBlocks`. */
export async function blocksChangedIn(
  { open }: OpenRequest,
  pages: readonly ChangedPage[],
  signal: AbortSignal,
): Promise<(page: ChangedPage) => BlockCounts | undefined> {
  const pairs = pages.flatMap(page => pairOf(page) ?? [])
  const counts = await countBlocks(open.ctx, open.repo, pairs, signal)
  return page => {
    const pair = pairOf(page)
    return pair && counts.get(`${pair.before} ${pair.after}`)
  }
}

/**
 * Returns the paths of the files that still link to each removed page, by its id: their links lead
 * nowhere then.
 */
export async function linksToRemoved(
  ctx: Context,
  { open, compared }: OpenRequest,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>()
  if (!compared || compared.pages.removed.length === 0) return found
  const removed = new Set(compared.pages.removed.map(({ page }) => page.id))
  const before = await linksOfRevision(ctx, open.space.id, compared.before.view)
  const now = await linksOfRevision(ctx, open.space.id, open.view)
  const broken = new Set(
    now.links.flatMap(({ status, source, target }) =>
      status === 'broken' ? [`${source}\n${target}`] : [],
    ),
  )

  for (const { to, source, target } of before.links) {
    if (to.kind !== 'page' || !removed.has(to.id) || !broken.has(`${source}\n${target}`)) continue
    const sources = found.get(to.id)
    if (sources) sources.add(source)
    else found.set(to.id, new Set([source]))
  }

  return found
}
