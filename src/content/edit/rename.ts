import { Fault, invalid } from '../../errors.ts'
import { mustGet } from '../../lib/must-get.ts'
import { baseName, directoryOf, pageSpellings } from '../files.ts'
import { mayLeadTo } from '../links/inbound.ts'
import { editFrontMatter } from '../page/front-matter-edit.ts'
import { targetSplices } from '../summary/edit.ts'
import type { Summary, SummaryEntry } from '../summary/parse.ts'
import { type Splice, spliceAll } from '../text/lines.ts'
import { type ContentTree, type PageNode, parentOf } from '../tree/build.ts'
import { configPath, followsFiles, isToolSettings } from '../tree/config.ts'
import { type Draft, fileAt, moveFile, putText, setSummary } from './draft.ts'
import { leadTo, relinkOthers, relinkOwn, respell } from './follow-move.ts'
import {
  fileName,
  folderFor,
  isPageOfFolder,
  pageName,
  refuseTakenPath,
  refuseTakenSlug,
  siblingsOf,
  splitTarget,
  takenPaths,
} from './paths.ts'
import { summaryOf } from './places.ts'
import { structureOf, textAt } from './read.ts'
import { retargetRedirects } from './redirects.ts'
import type { Asking } from './requests.ts'
import { pagesInOrder, treeInSteps, treeOf } from './tree.ts'

/**
 * Changes the slug of a page: renames its file or, for the page of a folder, the folder, and
 * updates the table of contents and, unless `relinks` is false, the links of other files. Throws
 * 'invalid' for a page whose address does not come from a file, 'conflict' if the slug is taken.
 */
export function* renamePage(
  draft: Draft,
  page: PageNode,
  slug: string,
  relinks = true,
): Asking<void> {
  yield* structureOf(draft)
  const tree = treeOf(draft)
  if (page.isAsked) {
    yield* renameInFrontMatter(draft, page, slug, relinks)
    return
  }

  const { from, isFolder } = slugFileOf(tree, page)
  const name = pageName(slug)
  const extension = isFolder ? '' : /\.(?:mdx?|markdown)$/i.exec(from)?.[0]
  if (extension === undefined)
    throw invalid(`The file of "${page.title}" has no name that a slug could change.`)

  const own = isFolder ? directoryOf(from).slice(0, -1) : from
  if (baseName(own) === name + extension) return
  refuseTakenSlug(name, siblingsOf(draft, parentOf(treeOf(draft), page)), page)
  yield
  const taken = takenPaths(draft)

  yield
  const path = directoryOf(own) + name + extension

  // The same name in another case is the same file. A folder may exist already if it has no page.
  const isSame = path.toLowerCase() === own.toLowerCase()
  const to = isFolder
    ? (isSame ? `${path}/` : folderFor(draft, taken, `${path}/`)) + baseName(from)
    : path
  if (!isSame) refuseTakenPath(draft, taken, to)
  if (page.file) yield* moveWithLinks(draft, from, to, relinks)
  else yield* retarget(draft, new Map([[from, to]]))
}

/**
 * Changes the last name of the address in the front matter of a page and, with `relinks`, the links
 * by this address; the file stays.
 */
function* renameInFrontMatter(
  draft: Draft,
  page: PageNode,
  slug: string,
  relinks: boolean,
): Asking<void> {
  const asked = page.facts?.frontMatter.slug
  if (!page.file || asked === undefined) return
  const name = pageName(slug)
  refuseTakenSlug(name, siblingsOf(draft, parentOf(treeOf(draft), page)), page)
  if (relinks) yield* relinkAddress(draft, page.path, directoryOf(page.path) + name)
  const { path } = page.file
  const before = asked.replace(/[^/]+\/*$/, '')
  putText(draft, path, editFrontMatter(yield* textAt(draft, path), { slug: before + name }))
  yield* treeInSteps(draft)
}

/** Rewrites the links to an address that a page asks for, as if files were at the addresses. */
function* relinkAddress(draft: Draft, from: string, to: string): Asking<void> {
  const { root } = draft.tree.config
  // A file with this name is what the links lead to.
  if (pageSpellings(root + from).some(path => fileAt(draft, path))) return
  yield* relinkOthers(draft, new Map([[`${root}${from}.md`, `${root}${to}.md`]]))
}

/** Returns the file that the slug of a page comes from. Throws 'invalid' if there is none. */
function slugFileOf({ config }: ContentTree, page: PageNode): { from: string; isFolder: boolean } {
  const from = page.file?.path ?? page.missing

  if (from === undefined || !from.startsWith(config.root) || page.type !== 'document')
    throw invalid(
      `The address of "${page.title}" comes from its title: change the title instead of the slug.`,
    )

  const isFolder = isPageOfFolder(config, page, from)

  if (isFolder && directoryOf(from) === config.root)
    throw invalid(`"${page.title}" is the first page of the space: it has no slug of its own.`)

  if (from === config.readme)
    throw invalid(
      `"${page.title}" is the first page of the space: "${configPath}" names its file. Change both with Git.`,
    )

  return { from, isFolder }
}

/** Renames a file that is not a page within its folder; links to it follow. */
export function* renameAsset(
  draft: Draft,
  path: string,
  name: string,
  relinks = true,
): Asking<void> {
  const to = directoryOf(path) + fileName(name, 'name')
  if (to === path) return
  const own = [
    treeOf(draft).summaryPath,
    `${treeOf(draft).config.root}.gitbook.yaml`,
    '.gitbook.yaml',
  ]
  if (own.includes(to) || isToolSettings(to))
    throw invalid(`"${name}" is reserved for a file of the space.`)

  if (to.toLowerCase() !== path.toLowerCase()) {
    const taken = takenPaths(draft)
    folderFor(draft, taken, directoryOf(to))
    refuseTakenPath(draft, taken, to)
  } else if (fileAt(draft, to))
    throw new Fault('file_exists', `The file "${to}" already exists.`, { file: to })

  yield* moveWithLinks(draft, path, to, relinks)
}

/** Moves a file, and rewrites its own relative links and, with `relinks`, the links to it. */
function* moveWithLinks(draft: Draft, from: string, to: string, relinks: boolean): Asking<void> {
  const moves = new Map([[from, to]])
  // The list of another tool names the page by its old path.
  const tree = treeOf(draft)
  if (followsFiles(tree.config) && isListed(draft, from)) summaryOf(draft)

  if (relinks) {
    yield* relinkOthers(draft, moves)
    yield* retargetRedirects(draft, moves)
  }

  yield* relinkOwn(draft, from, to, { toItself: relinks })
  moveFile(draft, from, to)
  yield
  yield* retarget(draft, moves)
}

/** Returns whether the list of pages has an entry for a file. */
function isListed(draft: Draft, path: string): boolean {
  const { pageByFile, pageById, config } = draft.tree
  const leads = ({ target }: PageNode) =>
    target !== undefined && leadTo(draft, config.root, target, each => each === path) !== undefined
  return pageByFile.has(path) || [...pageById.values()].some(leads)
}

/** Updates the targets in the table of contents after moves (old to new path). */
export function* retarget(draft: Draft, moves: ReadonlyMap<string, string>): Asking<void> {
  const to = [...moves.values()]
  if (!draft.summary && to.every(path => fileAt(draft, path))) {
    // The tree is inferred from the files, or another tool lists none of them: nothing to write.
    yield* treeInSteps(draft)
    return
  }

  const order = pagesInOrder(draft.tree)
  const summary: Summary = draft.summary ?? summaryOf(draft)
  const base = directoryOf(draft.tree.summaryPath)
  const mayLead = mayLeadTo(moves.keys())
  const splices: Splice[] = []

  for (const entry of entriesOf(summary.groups)) {
    const { target, kind } = entry
    if (!target || kind === 'computed' || !mayLead(target)) continue
    const from = leadTo(draft, base, target, path => moves.has(path))
    if (from === undefined) continue

    const { written, tail } = splitTarget(target, from)
    const path = respell(draft, written, base, mustGet(moves, from))

    splices.push(
      ...targetSplices(summary, entry, (tail === '' ? path : path.replace(/#/g, '%23')) + tail),
    )
  }

  yield
  setSummary(draft, spliceAll(summary.source, splices), order)
  yield
  yield* treeInSteps(draft)
}

function* entriesOf(
  lists: readonly { entries: readonly SummaryEntry[] }[],
): Iterable<SummaryEntry> {
  const below = function* (entries: readonly SummaryEntry[]): Iterable<SummaryEntry> {
    for (const entry of entries) {
      yield entry
      yield* below(entry.children)
    }
  }
  for (const { entries } of lists) yield* below(entries)
}
