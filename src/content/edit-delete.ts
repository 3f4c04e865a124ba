import { invalid, missing } from '../errors.ts'
import { baseOf, checkUntouched } from './edit-base.ts'
import type { DeleteFile, DeletePage } from './edit-changes.ts'
import { type Draft, removeFile, setSummary, tellPage } from './edit-draft.ts'
import { pageOf, withDescendants } from './edit-places.ts'
import { pagesInOrder, treeOf } from './edit-tree.ts'
import { removeEntry } from './summary-edit.ts'
import { removeGroup } from './summary-groups.ts'

/** Takes a page, a group or a link away, with all below it: files and lines. Links to it stay as they are. */
export function deletePage(draft: Draft, change: DeletePage): void {
  const base = baseOf(draft, change.page, change.baseRevision)
  const page = pageOf(draft, change.page)
  if (base) checkUntouched(draft, page, base)
  const leaving = withDescendants(page)
  const gone = new Set(leaving)
  if (draft.summary) {
    const order = pagesInOrder(treeOf(draft)).filter(node => !gone.has(node))
    const group = draft.summary.groups[page.group]
    const source =
      page.entry || !group ? removeEntry(draft.summary, page.entry!) : removeGroup(draft.summary, group)
    setSummary(draft, source, order)
  }
  for (const node of leaving) {
    if (node.file) removeFile(draft, node.file.path)
    tellPage(draft, node.id, 'deleted_page')
  }
  treeOf(draft)
}

/** Takes a file away that is no page. References to it stay as they are. */
export function deleteFile(draft: Draft, change: DeleteFile): void {
  const tree = treeOf(draft)
  const file = tree.fileById.get(change.file)
  if (!file) throw noFile(draft, change.file)
  removeFile(draft, file.path)
  treeOf(draft)
}

/** The fault for an id that names no file: what it names instead, where it names something. */
export function noFile(draft: Draft, id: string): Error {
  const tree = treeOf(draft)
  const page = tree.pageById.get(id)
  if (page) return invalid(`"${page.title}" is a page: use "delete_page" or "update_page".`)
  if (tree.includes.some(include => include.id === id))
    return invalid('Reusable content can be changed with Git only.')
  return missing('file', id)
}
