import { directoryOf, isFolderPage, isMarkdown, summaryNames } from '../../content/files.ts'
import { navigationPaths } from '../../content/navigation/navigation.ts'
import type { KeysByPath } from '../../content/tree/build.ts'
import { configPath } from '../../content/tree/config.ts'
import { foldAddress } from '../../content/tree/find-page.ts'
import { defaultId, idOf } from '../../content/tree/identity.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { pauses } from '../../lib/slices.ts'
import {
  type FormerPath,
  findFormerPathScan,
  listChangesOfPaths,
  listFormerPages,
  listPathsMoved,
  moveFormerPaths,
  presentPath,
  putFormerPaths,
} from '../../store/git/former-paths.ts'
import { findRevision, listRevisions } from '../../store/git/revisions.ts'
import { note } from '../../store/note.ts'
import type { RevisionRow } from '../../store/tables/rows.ts'
import { readIdentity } from './identity.ts'
import { type PagePaths, readPagePaths } from './read-content.ts'

/**
 * Maximum number of tables of contents to compare per call. In a longer history, only the newest
 * are compared.
 */
const mostVersions = 200
/** Maximum number of paths to record per table of contents. */
const mostPaths = 5_000
/** Maximum number of pages with an address in their front matter whose changes are compared. */
const mostAsking = 500

/** Maximum number of pages that others continue per table of contents. */
const mostSuccessors = 500

/** Maximum number of comings and goings of files to look at. */
const mostMoved = 20_000

/** A space, with the paths of the pages that have an address in their front matter. */
type Space = { ctx: Context; repo: Repository; spaceId: string; asking: ReadonlySet<string> }

/**
 * Returns whether the former paths of pages are recorded up to a revision. Without a table of
 * contents, pages have the paths of their files, whose renames are in the revision index, unless
 * their front matter asks for another one.
 */
export const hasFormerPaths = ({ store }: Context, spaceId: string, upTo: RevisionRow): boolean =>
  (findFormerPathScan(store, spaceId) ?? -1) >= upTo.seq

/**
 * Records the paths that pages had in tables of contents, or asked for in their front matter,
 * before the revision of a view. Continues after the last recorded revision. Returns false if the
 * revision has left the index. Idempotent. Throws GitError 'object_unreadable'.
 */
export async function recordFormerPaths(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  view: RevisionView,
): Promise<boolean> {
  const asking = new Set(pathsAsking(view).slice(0, mostAsking))
  const space = { ctx, repo, spaceId, asking }
  const upTo = findRevision(ctx.store, spaceId, view.oid)
  if (!upTo) return false

  const { config, summary } = view.content
  const start = findFormerPathScan(ctx.store, spaceId) ?? 0
  const moved = isInferred(view)
    ? listPathsMoved(ctx.store, spaceId, { after: start, upTo: upTo.seq, limit: mostMoved })
    : []
  const watched = [...asking, ...equalPaths(view.content, moved).slice(0, mostAsking)]
  const of = (paths: readonly string[], after: number, limit: number, order: 'asc' | 'desc') =>
    listChangesOfPaths(ctx.store, spaceId, paths, { after, upTo: upTo.seq, limit, order })
  const last = of([...decisive(config), ...watched], start, mostVersions, 'desc')
  let seq = last.length === mostVersions ? last.at(-1)! : start
  let before: PagePaths | undefined
  const pause = pauses()

  for (;;) {
    // `before` has the current name of the table of contents, which a revision may change.
    before ??= await pathsAt(space, seq, { ...noKeys, config, summary })
    const [next] = of([...decisive(before.config), ...watched], seq, 1, 'asc')
    if (next === undefined) break
    const after = await pathsAt(space, next, before)
    if (!(await record(space, view, { before, after, seq: next }))) return false
    ;[before, seq] = [after, next]
    await pause()
  }

  return put(space, upTo, [])
}

const noKeys: KeysByPath = { keys: new Map(), others: new Map(), sections: new Map() }

function pathsAsking({ content }: RevisionView): string[] {
  const others = new Set([...content.otherPaths.values()].map(({ file }) => file?.path))
  return [...content.pageByFile].flatMap(([path, { isAsked }]) =>
    isAsked || others.has(path) ? [path] : [],
  )
}

const isInferred = ({ content }: RevisionView): boolean =>
  !content.summary && !content.config.navigation?.groups

/**
 * Returns those of the files whose address is equal to that of another file or of a folder, among
 * these and the pages of a tree. Without a table of contents, only their comings and goings change
 * addresses of other pages.
 */
function equalPaths(
  { pageByFile, config }: RevisionView['content'],
  moved: readonly string[],
): string[] {
  if (moved.length === 0) return []
  const files = new Map<string, Set<string>>()
  const folders = new Set<string>()
  const fold = (path: string) => foldAddress(path.slice(config.root.length))

  for (const path of new Set([...moved, ...pageByFile.keys()])) {
    if (!isMarkdown(path) || !path.startsWith(config.root)) continue
    const address = fold(isFolderPage(path) ? directoryOf(path).slice(0, -1) : path)
    files.set(address, (files.get(address) ?? new Set()).add(path))
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = fold(path.slice(0, at))
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }

  return [...files].flatMap(([address, paths]) =>
    paths.size > 1 || folders.has(address) ? [...paths] : [],
  )
}

/** Returns the files whose changes may change the paths of pages. */
const decisive = ({
  summary,
  settings = [],
  decisive: pages = [],
}: PagePaths['config']): string[] => [
  ...[summary, configPath],
  ...summaryNames.map(name => directoryOf(summary) + name),
  ...navigationPaths,
  ...settings,
  ...pages,
]

/**
 * Returns the pages of the revision with this number. Returns `near` for number 0, which is before
 * the first revision.
 */
async function pathsAt(
  { ctx, repo, spaceId, asking }: Space,
  seq: number,
  near: PagePaths,
): Promise<PagePaths> {
  const revision = revisionAt(ctx, spaceId, seq)
  if (!revision) return near
  return readPagePaths(ctx, repo, spaceId, revision.tree, { near: near.summary, asking })
}

const revisionAt = ({ store }: Context, spaceId: string, seq: number): RevisionRow | undefined =>
  listRevisions(store, spaceId, 1, seq + 1)[0]

type Step = { before: PagePaths; after: PagePaths; seq: number }

/** Records the paths that have no page, or another one, since a revision. */
async function record(
  space: Space,
  view: RevisionView,
  { before, after, seq }: Step,
): Promise<boolean> {
  const { ctx, repo, spaceId } = space
  const [revision, previous] = [revisionAt(ctx, spaceId, seq), revisionAt(ctx, spaceId, seq - 1)]
  if (!revision) return false

  const endedIn = (kind: 'keys' | 'others') =>
    [...before[kind]].filter(([path, key]) => after[kind].get(path) !== key)
  // Of the pages that another path led to, the first one keeps it: later ones only would have had it.
  const isFirst = ([path]: readonly [string, string]) =>
    listFormerPages(ctx.store, spaceId, foldAddress(path), 1).length === 0
  const ended = [...endedIn('keys'), ...endedIn('others').filter(isFirst)].slice(0, mostPaths)
  if (ended.length === 0 || !previous) return put(space, revision, [])

  const identity = await readIdentity(ctx, repo, spaceId, previous.oid)

  // A commit without a note was pushed together with later ones: use the id that the page has now.
  const idNow = (key: string) =>
    view.content.pageByFile.get(presentPath(ctx.store, spaceId, key, seq - 1))?.id ??
    defaultId(spaceId, key)
  const rows: FormerPath[] = []
  const succeeded = successorsOf(before, after)
  const later =
    succeeded.size > 0 ? await readIdentity(ctx, repo, spaceId, revision.oid) : undefined
  const successors = new Map<string, string>()
  const pause = pauses()

  for (const [path, key] of ended) {
    const id = identity ? idOf(spaceId, identity, key) : idNow(key)
    const next = succeeded.get(key)
    const page_id = next === undefined ? id : idOf(spaceId, later ?? new Map(), next)
    rows.push({ path: foldAddress(path), page_id })
    if (page_id !== id && successors.size < mostSuccessors) successors.set(id, page_id)
    await pause()
  }

  return put(space, revision, rows, successors)
}

/**
 * Returns the keys of sections that have another address and so another key since a revision, by
 * their former keys: sections with the same content.
 */
function successorsOf(before: PagePaths, after: PagePaths): Map<string, string> {
  const successors = new Map<string, string>()
  const [old, now] = [new Set(before.keys.values()), new Set(after.keys.values())]
  for (const [content, key] of before.sections) {
    const next = now.has(key) ? undefined : after.sections.get(content)
    if (next !== undefined && !old.has(next)) successors.set(key, next)
  }
  return successors
}

/**
 * Records the paths that ended with a revision, and which pages without a file are continued by
 * others. Returns false if the index no longer has the revision at this number.
 */
function put(
  { ctx: { store }, spaceId }: Space,
  { oid, seq }: RevisionRow,
  rows: readonly FormerPath[],
  successors: ReadonlyMap<string, string> = new Map(),
): boolean {
  let isCurrent = false
  note(() =>
    store.transact(() => {
      isCurrent = findRevision(store, spaceId, oid)?.seq === seq
      if (!isCurrent) return
      moveFormerPaths(store, spaceId, successors)
      putFormerPaths(store, spaceId, seq, rows)
    }),
  )
  return isCurrent
}
