import { type ChangedPages, changedPages } from '../../content/changes/changed-pages.ts'
import type { ContentTree, PageNode } from '../../content/tree/build.ts'
import { diffTrees, type TreeChange } from '../../git/trees/diff.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices } from '../../lib/slices.ts'
import { pagesShowing } from '../links/pages-showing.ts'
import { earlierPage } from './earlier-page.ts'
import type { OpenContent } from './open-content.ts'

/** A file that differs between two versions and is the text of no page that is shown. */
export type ChangedFile = {
  path: string
  mark: 'changed' | 'new' | 'removed'
  /** The blob of the later version; undefined for a removed file. */
  oid: Oid | undefined
  /** The blob of the former version; undefined for a new file. */
  former: Oid | undefined
}

/** The pages and the other files in which two versions differ. */
type Differences = { pages: ChangedPages; files: readonly ChangedFile[] }

/** What content is compared with: an earlier version, and what differs from it. */
export type Comparison = Differences & { before: OpenContent }

/**
 * Results by the later and the former content, which stay in memory while their revisions are
 * cached.
 */
const results = new WeakMap<ContentTree, WeakMap<ContentTree, Differences>>()

/** Compares two revisions as they are shown to a reader. */
export async function compare(before: OpenContent, after: OpenContent): Promise<Comparison> {
  const [former, later] = [before.shown.content, after.shown.content]
  const known = results.get(later)?.get(former)
  if (known) return { before, ...known }

  const byId = await inSlices(changedPages(former, later), after.signal)
  const renamed = await renamedPages(before, after, byId)
  const touched = await touchedPages(former, after)
  const isMore = renamed.size + touched.size > 0
  const pages = isMore
    ? await inSlices(changedPages(former, later, { renamed, touched }), after.signal)
    : byId
  const differences = { pages, files: await changedFiles(before, after) }
  const ofLater = results.get(later) ?? new WeakMap<ContentTree, Differences>()

  results.set(later, ofLater.set(former, differences))

  return { before, ...differences }
}

/** The most new pages whose former names are looked up in the history. */
const mostLookedUp = 50

/**
 * Returns the former ids of new pages that have the files of removed ones under other names. The
 * ids of commits that were pushed or imported together do not follow renames: Git finds them here,
 * and the history those that Git does not see.
 */
async function renamedPages(
  before: OpenContent,
  after: OpenContent,
  { marks, removed }: ChangedPages,
): Promise<Map<string, string>> {
  const renamed = new Map<string, string>()
  const gone = new Map(
    removed.flatMap(({ page }) => (page.file ? [[page.file.path, page.id] as const] : [])),
  )
  const { pageById } = after.shown.content
  const come = [...marks].flatMap(([id, mark]) => (mark === 'new' ? (pageById.get(id) ?? []) : []))
  const pair = ({ id }: PageNode, path: string | undefined): void => {
    const formerId = path === undefined ? undefined : gone.get(path)
    if (formerId === undefined) return
    renamed.set(id, formerId)
    gone.delete(path!)
  }
  if (gone.size === 0 || come.length === 0) return renamed

  const names = await renamedFiles(before, after)

  for (const page of come) pair(page, page.file && names.get(page.file.path))

  for (const page of come.filter(({ id }) => !renamed.has(id)).slice(0, mostLookedUp)) {
    if (gone.size === 0) break
    pair(page, earlierPage(after, page, before)?.file?.path)
  }

  return renamed
}

/** Returns the former paths of renamed files. */
async function renamedFiles(before: OpenContent, after: OpenContent): Promise<Map<string, string>> {
  const changes = await changesBetween(before, after, { renames: true })
  return new Map(
    changes.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from] as const])),
  )
}

/** Returns the files that differ; none of revisions that differ in too many of them. */
const changesBetween = (
  before: OpenContent,
  after: OpenContent,
  options: { renames?: boolean } = {},
): Promise<TreeChange[]> =>
  diffTrees(after.repo, before.view.oid, after.view.oid, options).catch(error => {
    if (!isGitError(error, 'too_many_files')) throw error
    return []
  })

/** Returns the files that differ and are not the texts of pages, by path. */
async function changedFiles(before: OpenContent, after: OpenContent): Promise<ChangedFile[]> {
  const [former, later] = [before, after].map(
    ({ shown }) => new Set([...shown.content.pageById.values()].map(({ file }) => file?.path)),
  ) as [Set<string | undefined>, Set<string | undefined>]

  return (await changesBetween(before, after)).flatMap(({ status, path, newOid, oldOid }) => {
    if ((status === 'deleted' ? former : later).has(path)) return []
    const mark = status === 'added' ? 'new' : status === 'deleted' ? 'removed' : 'changed'
    return [{ path, mark, oid: newOid, former: oldOid } as const]
  })
}

/** Returns the ids of the pages that show reusable content with other bytes than before. */
async function touchedPages(
  former: ContentTree,
  { ctx, repo, shown }: OpenContent,
): Promise<Set<string>> {
  const [was, is] = [former, shown.content].map(
    ({ includes }) => new Map(includes.map(({ path, oid }) => [path, oid])),
  ) as [Map<string, Oid>, Map<string, Oid>]
  const paths = new Set(
    [...was.keys(), ...is.keys()].filter(path => was.get(path) !== is.get(path)),
  )
  return paths.size === 0 ? paths : pagesShowing(ctx, repo, shown.content, paths)
}

/**
 * Returns the page that a page was in the version that its content is compared with; undefined for
 * a new one.
 */
export function formerPage(
  open: OpenContent,
  node: PageNode,
  { before, pages }: Comparison,
): PageNode | undefined {
  const formerId = pages.renamed.get(node.id)
  if (formerId !== undefined) return before.shown.content.pageById.get(formerId)
  const isTaken = new Set(pages.renamed.values()).has(node.id)
  return isTaken ? undefined : earlierPage(open, node, before)
}

/** Returns the page that a page of the version before is now; undefined for a removed one. */
export function laterPage(
  open: OpenContent,
  { id }: PageNode,
  { pages }: Pick<Comparison, 'pages'>,
): PageNode | undefined {
  const later = [...pages.renamed].find(([, formerId]) => formerId === id)
  return open.shown.content.pageById.get(later?.[0] ?? id)
}
