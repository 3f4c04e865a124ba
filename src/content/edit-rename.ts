import { Fault, invalid } from '../errors.ts'
import { decode } from './bytes.ts'
import { bytesAt, type Draft, fileAt, moveFile, putText, setSummary, tellPage } from './edit-draft.ts'
import { linkingFiles, relink } from './edit-links.ts'
import {
  fileName,
  folderFor,
  pageName,
  refuseTakenPath,
  refuseTakenSlug,
  respellTarget,
  siblingsOf,
  takenPaths,
} from './edit-paths.ts'
import { summaryOf } from './edit-places.ts'
import { pagesInOrder, treeOf } from './edit-tree.ts'
import { baseName, directoryOf } from './files.ts'
import { findLinks, resolveLink } from './links.ts'
import { type Splice, spliceAll } from './markdown-lines.ts'
import { parseSummary, type Summary, type SummaryEntry } from './summary.ts'
import { setEntryTarget } from './summary-edit.ts'
import { type PageNode, parentOf } from './tree.ts'

/**
 * Gives a page another slug: its file gets the name (a folder's page: its folder), and the table of contents and the
 * links of other pages follow. Throws 'invalid' for a page whose address does not come from a file, 'conflict' when
 * the slug is taken.
 */
export function renamePage(draft: Draft, page: PageNode, slug: string): void {
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
  if (page.file) moveWithLinks(draft, from, to)
  else retarget(draft, from, to)
}

/** Gives a file that is no page another name in its folder; links to it follow. */
export function renameAsset(draft: Draft, path: string, name: string): void {
  const to = directoryOf(path) + fileName(name, 'name')
  if (to === path) return
  const own = [treeOf(draft).summaryPath, `${treeOf(draft).config.root}.gitbook.yaml`, '.gitbook.yaml']
  if (own.includes(to)) throw invalid(`"${name}" is a name that the space keeps for its own files.`)
  if (to.toLowerCase() !== path.toLowerCase()) {
    const taken = takenPaths(draft)
    folderFor(draft, taken, directoryOf(to))
    refuseTakenPath(draft, taken, to)
  } else if (fileAt(draft, to)) throw new Fault('conflict', `There is a file "${to}" already.`, { file: to })
  moveWithLinks(draft, path, to)
}

/** Moves a file, and rewrites what leads to it and what its own relative links lead to. */
function moveWithLinks(draft: Draft, from: string, to: string): void {
  rewriteOthers(draft, from, to)
  if (directoryOf(from) !== directoryOf(to)) rewriteOwn(draft, from, to)
  moveFile(draft, from, to)
  retarget(draft, from, to)
}

/** Leads the lines of the table of contents that name one file to another. */
function retarget(draft: Draft, from: string, to: string): void {
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
    const entry = findEntry(summary, target => leadsTo(draft, base, target, from, root))
    if (!entry) break
    const edited = setEntryTarget(summary, entry, respellTarget(entry.target!, base, to, root))
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

/** Whether a target in a file of the folder leads to the file at `path`, by the rules for what pages may leave out. */
function leadsTo(draft: Draft, folder: string, target: string, path: string, root: string): boolean {
  const seen = target.startsWith('/') ? root + target.replace(/^\/+/, '') : target
  const resolved = target.startsWith('/') ? resolveLink('', seen) : resolveLink(`${folder}x`, seen)
  if (resolved.external) return false
  for (const candidate of resolved.candidates) {
    if (candidate === path) return true
    const bare = candidate.replace(/\/$/, '')
    const readme = bare === '' ? 'README.md' : `${bare}/README.md`
    if (readme === path || `${bare}.md` === path) return fileAt(draft, candidate) === undefined
    if (fileAt(draft, candidate)) return false
  }
  return false
}

/** Rewrites the links of other pages to a file that moves. */
function rewriteOthers(draft: Draft, from: string, to: string): void {
  const { root } = treeOf(draft).config
  const hints = hintsOf(from)
  for (const path of linkingFiles(draft)) {
    if (path === from) continue
    const text = readable(draft, path)
    if (text === undefined || (hints && !hints.some(hint => text.includes(hint)))) continue
    const folder = directoryOf(path)
    const splices = findLinks(text)
      .filter(link => leadsTo(draft, folder, link.target, from, root))
      .map(link => relink(text, link, respellTarget(link.target, folder, to, root)))
    const edited = spliceAll(text, splices)
    if (edited === text) continue
    putText(draft, path, edited)
    const page = treeOf(draft).pageByFile.get(path)
    if (page) tellPage(draft, page.id, 'updated_page')
  }
}

/** Words of which a text that links to the file has one; null: they cannot be told. */
function hintsOf(path: string): string[] | null {
  const name = baseName(path)
  const stem =
    name === 'README.md' ? baseName(path.slice(0, -'/README.md'.length)) : name.replace(/\.[^.]*$/, '')
  if (!/^[A-Za-z0-9.+-]+$/.test(stem)) return null
  return name === 'README.md' ? [stem, 'README', './', '.)'] : [stem]
}

/** Rewrites the relative links of a page that goes to another folder, where they lead to something. */
function rewriteOwn(draft: Draft, from: string, to: string): void {
  const text = readable(draft, from)
  if (text === undefined || !treeOf(draft).pageByFile.has(from)) return
  const { root } = treeOf(draft).config
  const splices: Splice[] = []
  for (const link of findLinks(text)) {
    if (link.target.startsWith('/') || link.target.startsWith('#')) continue
    const target = followed(draft, from, to, link.target, root)
    if (target !== undefined && target !== link.target) splices.push(relink(text, link, target))
  }
  if (splices.length > 0) putText(draft, from, spliceAll(text, splices))
}

/** What a relative target of a page at `from` is at `to`; undefined when it leads to no file. */
function followed(draft: Draft, from: string, to: string, target: string, root: string): string | undefined {
  for (const candidate of resolveLink(from, target).candidates) {
    const bare = candidate.replace(/\/$/, '')
    const readme = bare === '' ? 'README.md' : `${bare}/README.md`
    const found = [candidate, readme, `${bare}.md`].find(path => fileAt(draft, path))
    if (found === undefined) continue
    // Without its file's ending a target is spelled as one that leads to the page.
    return respellTarget(target, directoryOf(to), found === from ? to : found, root)
  }
  return undefined
}

/** The text of a file, or undefined when it is not there or must not be edited. */
function readable(draft: Draft, path: string): string | undefined {
  const bytes = bytesAt(draft, path)
  const read = bytes && decode(bytes)
  return read?.exact ? read.text : undefined
}
