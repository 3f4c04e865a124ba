import { invalid } from '../../errors.ts'
import { moveGroup, setGroupTitle } from '../summary/groups.ts'
import type { UpdateGroup } from './changes.ts'
import { type Draft, setSummary, tellPage } from './draft.ts'
import { anchorFor, groupPlace, titleOf } from './insert.ts'
import { refuseTakenSlug } from './paths.ts'
import { orderWith, pageOf, summaryOf, withDescendants } from './places.ts'
import { structureOf } from './read.ts'
import type { Asking } from './requests.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/**
 * Changes the title, slug or place of a group. The slug follows the title unless it is set
 * explicitly.
 */
export function* updateGroup(draft: Draft, change: UpdateGroup): Asking<void> {
  yield* structureOf(draft)
  const { id } = groupOf(draft, change.page)
  if (change.title !== undefined || change.slug !== undefined) {
    const group = summaryOf(draft).groups[groupOf(draft, id).group]!
    const title = change.title === undefined ? (group.title ?? '') : titleOf(change.title)
    if (change.slug) refuseTakenSlug(change.slug, treeOf(draft).pages, groupOf(draft, id))
    const anchor = change.slug === undefined ? undefined : anchorFor(title, change.slug)
    const order = pagesInOrder(treeOf(draft))
    setSummary(draft, setGroupTitle(summaryOf(draft), group, title, anchor), order)
    yield* treeInSteps(draft)
  }

  if (change.at !== undefined) yield* placeGroup(draft, id, change.at)
  tellPage(draft, id, 'updated_page')
}

function* placeGroup(draft: Draft, id: string, at: number): Asking<void> {
  const page = groupOf(draft, id)
  const { index, before } = groupPlace(draft, at, page)
  const summary = summaryOf(draft)
  const order = orderWith(draft, withDescendants(page), before)
  setSummary(draft, moveGroup(summary, summary.groups[page.group]!, index), order)
  yield* treeInSteps(draft)
}

function groupOf(draft: Draft, name: string) {
  const page = pageOf(draft, name)
  if (page.type !== 'group')
    throw invalid(`"${page.title}" is not a group: change it with "update_page".`)
  return page
}
