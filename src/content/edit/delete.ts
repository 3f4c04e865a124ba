import { Fault, invalid, missing } from '../../errors.ts'
import { removeEntry } from '../summary/edit.ts'
import { removeGroup } from '../summary/groups.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import { followsFiles } from '../tree/config.ts'
import { baseOf, checkUntouched } from './base.ts'
import type { DeleteFile, DeletePage, Removal } from './changes.ts'
import { type Draft, removeFile, setSummary, tellPage } from './draft.ts'
import { replaceOthers, unlinkOthers } from './drop-links.ts'
import { pageOf, summaryOf, withDescendants } from './places.ts'
import { structureOf } from './read.ts'
import { addRedirects, addressesOf, retargetRedirects } from './redirects.ts'
import { retarget } from './rename.ts'
import type { Asking, Prefetch } from './requests.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/** Returns the files whose inbound links a deletion rewrites, and its base revision. */
export function prefetchDelete(tree: ContentTree, change: DeletePage): Prefetch {
  const page = tree.pageById.get(change.page)
  const revision = change.baseRevision
  return {
    base: revision === undefined ? undefined : { revision },
    linksTo: page && rewritesInbound(change) ? [...titlesOf(page).keys()] : [],
  }
}

const rewritesInbound = ({ rewriteLinks, replaceWith }: Removal): boolean =>
  rewriteLinks === true || replaceWith !== undefined

/**
 * Deletes a page, a group or a link with all its descendants: files and entries. Links to it are
 * left alone, unless the change redirects them to another page or reduces them to their text.
 */
export function* deletePage(draft: Draft, change: DeletePage): Asking<void> {
  const base = yield* baseOf(draft, change.page, change.baseRevision)
  yield* structureOf(draft)
  // The table of contents of another tool stays as it is, so another one lists what is left.
  if (followsFiles(treeOf(draft).config)) summaryOf(draft)
  const { id } = pageOf(draft, change.page)
  if (base) checkUntouched(draft, pageOf(draft, id), base)

  const heir = heirOf(draft, id, change)
  const addresses = change.redirect ? addressesOf(pageOf(draft, id)) : []
  const titles = titlesOf(pageOf(draft, id))

  yield* rewriteLinks(draft, titles, heir, change)

  // Rewriting links may have replaced the tree.
  const page = pageOf(draft, id)
  const leaving = withDescendants(page)
  const gone = new Set(leaving)

  if (draft.summary) {
    const order = pagesInOrder(treeOf(draft)).filter(node => !gone.has(node))
    const group = draft.summary.groups[page.group]
    const source =
      page.entry || !group
        ? removeEntry(draft.summary, page.entry!)
        : removeGroup(draft.summary, group)
    setSummary(draft, source, order)
  }

  for (const node of leaving) {
    if (node.file) removeFile(draft, node.file.path)
    tellPage(draft, node.id, 'deleted_page')
  }

  yield
  yield* treeInSteps(draft)
  if (heir === undefined) return
  yield* retarget(draft, new Map([...titles.keys()].map(path => [path, heir])))
  yield* addRedirects(
    draft,
    addresses.map(({ address }) => ({ from: address, to: heir })),
  )
}

/** Returns the titles of the deleted pages, by the paths of their files. */
const titlesOf = (page: PageNode): Map<string, string> =>
  new Map(withDescendants(page).flatMap(node => (node.file ? [[node.file.path, node.title]] : [])))

/** Returns the file of the page that replaces a deleted one. Throws 'invalid' if it cannot. */
function heirOf(draft: Draft, id: string, change: DeletePage): string | undefined {
  const { replaceWith, redirect } = change
  if (replaceWith === undefined) {
    if (redirect) throw invalid('"redirect" needs a target: name a page with "replaceWith".')
    return undefined
  }

  if (change.rewriteLinks === false)
    throw invalid('"replaceWith" rewrites links itself: leave "rewriteLinks" out.')

  const heir = pageOf(draft, replaceWith)
  if (withDescendants(pageOf(draft, id)).includes(heir))
    throw invalid('"replaceWith" names a page that is deleted as well: choose another page.')
  if (!heir.file) throw invalid(`"${heir.title}" has no file that a link could lead to.`)

  return heir.file.path
}

function* rewriteLinks(
  draft: Draft,
  titles: ReadonlyMap<string, string>,
  heir: string | undefined,
  change: Pick<DeletePage, 'rewriteLinks'>,
): Asking<void> {
  if (titles.size === 0) return
  if (heir !== undefined) {
    yield* replaceOthers(draft, new Set(titles.keys()), heir)
    yield* retargetRedirects(draft, new Map([...titles.keys()].map(path => [path, heir])))
  } else if (change.rewriteLinks) yield* unlinkOthers(draft, titles)
}

/** Returns the file if the links to it are rewritten. */
export function prefetchDeleteFile(tree: ContentTree, change: DeleteFile): Prefetch {
  const path = tree.fileById.get(change.file)?.path
  return { linksTo: path !== undefined && rewritesInbound(change) ? [path] : [] }
}

/** Deletes a file that is not a page. Links to it are treated as for a page. */
export function* deleteFile(draft: Draft, change: DeleteFile): Asking<void> {
  yield* structureOf(draft)
  const file = fileOf(draft, change.file)
  let heir: string | undefined

  if (change.replaceWith !== undefined) {
    if (change.rewriteLinks === false)
      throw invalid('"replaceWith" rewrites links itself: leave "rewriteLinks" out.')
    const ref = draft.refs.get(change.replaceWith)
    heir = ref && 'file' in ref ? ref.file : fileOf(draft, change.replaceWith).path
    if (heir === file.path)
      throw invalid('"replaceWith" names the file that is deleted: choose another one.')
  }

  yield* rewriteLinks(draft, new Map([[file.path, file.name]]), heir, change)
  removeFile(draft, file.path)
  yield* treeInSteps(draft)
}

function fileOf(draft: Draft, id: string) {
  const file = treeOf(draft).fileById.get(id)
  if (!file) throw noFile(draft, id)
  return file
}

/**
 * Returns the fault for an id that is not a file's; it names what the id identifies instead, if
 * anything.
 */
export function noFile(draft: Draft, id: string): Error {
  const tree = treeOf(draft)
  const page = tree.pageById.get(id)
  if (page) return invalid(`"${page.title}" is a page: use "delete_page" or "update_page".`)
  if (tree.includes.some(include => include.id === id))
    return new Fault('content_not_editable', 'Reusable content can be changed with Git only.')
  return missing('file', id)
}
