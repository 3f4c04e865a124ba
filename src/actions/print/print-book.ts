import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { type Claims, isPageShown } from '../evaluating/evaluate-page.ts'
import { type ComputedContent, withComputed } from '../specs/computed-pages.ts'
import { shownStamp } from '../specs/read-spec.ts'
import { fileStamp, specsNamedOn } from '../specs/resolve-blocks.ts'
import { type ChosenPage, choosePages, type PrintWish } from './print-pages.ts'

/** The most files with specs that are read to find a book; others are read when it is printed. */
const mostReads = 20

/** The parts of a book to print. */
export type PrintSubject = {
  space: SpaceRow
  repo: Repository
  view: RevisionView
  shown: ComputedContent
  pages: readonly ChosenPage[]
  /** The title of the page when the book is not the whole space. */
  part: string | undefined
  /** The versions of the specs that it shows, on which it depends besides the revision. */
  stamp: string
  /** The claims of the reader of a published site; undefined for users. */
  audience: PrintAudience | undefined
}

/** The claims that expressions read, and their digest. */
type PrintAudience = { claims: NonNullable<Claims>; claimsId: string }

/** What a reader is shown of a revision, with computed pages. */
type ShownToReader = { shown: ComputedContent; audience: PrintAudience }

/**
 * Returns the requested book of a revision, with computed pages and without pages whose condition
 * is false; for a reader, of what the reader is shown. Throws what `choosePages` throws.
 */
export async function findBook(
  ctx: Context,
  { space, repo, view }: Pick<PrintSubject, 'space' | 'repo' | 'view'>,
  wish: PrintWish,
  reading?: ShownToReader,
): Promise<PrintSubject> {
  const { shown } = reading ?? { shown: await withComputed(ctx, space.organization_id, view) }
  const isShown = (node: PageNode) =>
    reading !== undefined || isPageShown({ view, node, mode: 'all' })
  const pages = choosePages(shown.content, wish, isShown)
  const slugs = new Set<string>()
  const files = [...pages.flatMap(({ node: { file } }) => file ?? []), ...shown.content.includes]

  const place = { spaceId: space.id, content: view.content }
  const stamps = [shown.stamp]
  const reads = { left: mostReads }

  for (const file of files) {
    const named = await specsNamedOn(ctx, repo, { file })
    for (const slug of named.slugs) slugs.add(slug)
    const inFiles = await fileStamp(ctx, place, { ...named, from: file.path }, { reads })
    if (inFiles !== '') stamps.push(inFiles)
  }

  stamps.push(await shownStamp(ctx, space.organization_id, [...slugs].sort()))
  const stamp = stamps.join(' ')
  const part = wish.page && shown.content.pageById.get(wish.page)?.title

  return { space, repo, view, shown, pages, part, stamp, audience: reading?.audience }
}
