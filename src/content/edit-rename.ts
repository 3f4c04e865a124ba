import { Fault, invalid } from '../errors.ts'
import { type Draft, fileAt, moveFile, setSummary } from './edit-draft.ts'
import {
  fileName,
  folderFor,
  pageName,
  refuseTakenPath,
  refuseTakenSlug,
  respellTarget,
  siblingsOf,
  splitTarget,
  takenPaths,
} from './edit-paths.ts'
import { summaryOf } from './edit-places.ts'
import { retargetRedirects } from './edit-redirects.ts'
import { leadTo, relinkOthers, relinkOwn } from './edit-relink.ts'
import { pagesInOrder, treeOf } from './edit-tree.ts'
import { baseName, directoryOf } from './files.ts'
import { parseSummary, type Summary, type SummaryEntry } from './summary.ts'
import { setEntryTarget } from './summary-edit.ts'
import { type PageNode, parentOf } from './tree.ts'

/**
 * Gives a page another slug: its file gets the name (a folder's page: its folder), and the table of contents and the
 * links of other files follow unless `relinks` is false. Throws 'invalid' for a page whose address does not come from a file, 'conflict' when
 * the slug is taken.
 */
export function renamePage(draft: Draft, page: PageNode, slug: string, relinks = true): void {
  const tree = treeOf(draft)
  const { root } = tree.config
  const from = page.file?.path ?? page.missing
  if (from === undefined || !from.startsWith(root) || page.type !== 'document')
    throw invalid(
      `The address of "${page.title}" comes from its title: change the title instead of the slug.`,
    )
  if (from === `${root}README.md`)
    throw invalid(`"${page.title}" is the first page of the space: it has no slug of its own.`)
  const name = pageName(slug)
  const isFolder = baseName(from) === 'README.md'
  const extension = isFolder ? '' : /\.(?:md|markdown)$/i.exec(from)?.[0]
  if (extension === undefined)
    throw invalid(`The file of "${page.title}" has no name that a slug could change.`)
  const own = isFolder ? directoryOf(from).slice(0, -1) : from
  if (baseName(own) === name + extension) return
  refuseTakenSlug(name, siblingsOf(draft, parentOf(treeOf(draft), page)), page)
  const taken = takenPaths(draft)
  const path = directoryOf(own) + name + extension
  // Another case of the same name is no other file. A folder may be there already, as long as it has no page.
  const isSame = path.toLowerCase() === own.toLowerCase()
  const to = isFolder ? `${isSame ? `${path}/` : folderFor(draft, taken, `${path}/`)}README.md` : path
  if (!isSame) refuseTakenPath(draft, taken, to)
  if (page.file) moveWithLinks(draft, from, to, relinks)
  else retarget(draft, from, to)
}

/** Gives a file that is no page another name in its folder; links to it follow. */
export function renameAsset(draft: Draft, path: string, name: string, relinks = true): void {
  const to = directoryOf(path) + fileName(name, 'name')
  if (to === path) return
  const own = [treeOf(draft).summaryPath, `${treeOf(draft).config.root}.gitbook.yaml`, '.gitbook.yaml']
  if (own.includes(to)) throw invalid(`"${name}" is a name that the space keeps for its own files.`)
  if (to.toLowerCase() !== path.toLowerCase()) {
    const taken = takenPaths(draft)
    folderFor(draft, taken, directoryOf(to))
    refuseTakenPath(draft, taken, to)
  } else if (fileAt(draft, to)) throw new Fault('conflict', `There is a file "${to}" already.`, { file: to })
  moveWithLinks(draft, path, to, relinks)
}

/** Moves a file, and rewrites what its own relative links lead to and, with `relinks`, what leads to it. */
function moveWithLinks(draft: Draft, from: string, to: string, relinks: boolean): void {
  if (relinks) {
    relinkOthers(draft, new Map([[from, to]]))
    retargetRedirects(draft, new Map([[from, to]]))
  }
  relinkOwn(draft, from, to, { toItself: relinks })
  moveFile(draft, from, to)
  retarget(draft, from, to)
}

/** Leads the lines of the table of contents that name one file to another. */
export function retarget(draft: Draft, from: string, to: string): void {
  if (!draft.summary && fileAt(draft, to)) {
    // The tree comes from the files, and the other name may stand elsewhere in it: nothing is to be written.
    treeOf(draft)
    return
  }
  const order = pagesInOrder(draft.tree)
  let summary: Summary = draft.summary ?? summaryOf(draft)
  const { root } = draft.tree.config
  const base = directoryOf(draft.tree.summaryPath)
  for (;;) {
    const entry = findEntry(
      summary,
      target => leadTo(draft, base, target, path => path === from) !== undefined,
    )
    if (!entry) break
    const { written, tail } = splitTarget(entry.target!, from)
    const path = respellTarget(written, base, to, root)
    const edited = setEntryTarget(summary, entry, (tail === '' ? path : path.replace(/#/g, '%23')) + tail)
    if (edited === summary.source) break
    summary = parseSummary(edited)
  }
  setSummary(draft, summary.source, order)
  treeOf(draft)
}

function findEntry(summary: Summary, fits: (target: string) => boolean): SummaryEntry | undefined {
  const search = (entries: readonly SummaryEntry[]): SummaryEntry | undefined => {
    for (const entry of entries) {
      if (entry.target && fits(entry.target)) return entry
      const below = search(entry.children)
      if (below) return below
    }
    return undefined
  }
  for (const group of summary.groups) {
    const found = search(group.entries)
    if (found) return found
  }
  return undefined
}
