import type { ContentGrant } from '../../access/guards/content.ts'
import { type OpenContent, openContent } from '../../actions/audience/open-content.ts'
import { branchOf } from '../../content/tree/branch.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'

/** The content of a space, and the page in it that is shown. */
export type OpenPage = { open: OpenContent; node: PageNode | undefined }

type Opening = ContentGrant & { ctx: Context; request: { signal: AbortSignal } }

/** Opens the content that a guard granted, as its readers see it. */
export const openGranted = ({ ctx, request, ...granted }: Opening): Promise<OpenContent> =>
  openContent(ctx, granted, { computed: true, request })

/**
 * Opens content with a page of it, or with its first page. Throws 'missing' for a page that it does
 * not have.
 */
export async function openPage(opening: Opening, id: string | undefined): Promise<OpenPage> {
  const open = await openGranted(opening)
  const { content } = open.shown
  if (id === undefined) return { open, node: firstPage(open) }
  const node = content.pageById.get(id)
  if (!node) throw missing('page', id)
  return { open, node }
}

/** Returns the page that the address of a space leads to. */
export const firstPage = ({ shown }: OpenContent): PageNode | undefined =>
  firstOf(shown.content.pages)

/** Returns the first document of these entries and of those below them. */
function firstOf(entries: readonly PageNode[]): PageNode | undefined {
  for (const entry of entries) {
    const found = entry.type === 'document' ? entry : firstOf(entry.pages)
    if (found) return found
  }
  return undefined
}

/** Returns the ids of a page and of what stands above it. */
export const branchIds = ({ open, node }: OpenPage): ReadonlySet<string> =>
  new Set(node ? branchOf(open.shown.content, node).map(({ id }) => id) : [])

/** Returns the file of a page. Throws 'missing' for one without a file, which has no history. */
export function fileOf({ node }: OpenPage): { node: PageNode; path: string } {
  if (!node?.file)
    throw new Fault('not_found', 'This page has no file of its own, and so it has no history.')
  return { node, path: node.file.path }
}
