import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { type ComputedContent, withComputed } from '../specs/computed-pages.ts'
import { shownStamp } from '../specs/read-spec.ts'
import { slugsOnPage } from '../specs/resolve-blocks.ts'
import { isPageShown } from './evaluate-page.ts'
import { type ChosenPage, choosePages, type PrintWish } from './print-pages.ts'

/** What a book is made of. */
export type PrintSubject = {
  space: SpaceRow
  repo: Repository
  view: RevisionView
  shown: ComputedContent
  pages: readonly ChosenPage[]
  /** The name of the part, where it is not the whole space. */
  part: string | undefined
  /** What it depends on beside the revision: the versions of the descriptions that it shows. */
  stamp: string
}

/**
 * The book that is wanted of a revision, with the pages that its computed entries stand for, and without those whose
 * condition is not met. Throws what choosing its pages throws.
 */
export async function findBook(
  ctx: Context,
  { space, repo, view }: Pick<PrintSubject, 'space' | 'repo' | 'view'>,
  wish: PrintWish,
): Promise<PrintSubject> {
  const shown = await withComputed(ctx, space.organization_id, view)
  const isShown = (node: PageNode) => isPageShown({ view, node, mode: 'all' })
  const pages = choosePages(shown.content, wish, isShown)
  const slugs = new Set<string>()
  const files = [...pages.flatMap(({ node: { file } }) => file ?? []), ...shown.content.includes]
  for (const file of files) for (const slug of await slugsOnPage(repo, { file })) slugs.add(slug)
  const stamp = `${shown.stamp} ${await shownStamp(ctx, space.organization_id, [...slugs].sort())}`
  const part = wish.page && shown.content.pageById.get(wish.page)?.title
  return { space, repo, view, shown, pages, part, stamp }
}
