import { navigationPaths } from '../../content/navigation/navigation.ts'
import { configPath } from '../../content/tree/config.ts'
import { foldPath } from '../../content/tree/find-page.ts'
import { defaultId, idOf } from '../../content/tree/identity.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { pauses } from '../../lib/slices.ts'
import {
  findFormerPathScan,
  listChangesOfPaths,
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
  const of = (paths: readonly string[], after: number, limit: number, order: 'asc' | 'desc') =>
    listChangesOfPaths(ctx.store, spaceId, paths, { after, upTo: upTo.seq, limit, order })
  const start = findFormerPathScan(ctx.store, spaceId) ?? 0
  const last = of([...decisive(config), ...asking], start, mostVersions, 'desc')
  let seq = last.length === mostVersions ? last.at(-1)! : start
  let before: PagePaths | undefined
  const pause = pauses()

  for (;;) {
    // `before` has the current name of the table of contents, which a revision may change.
    before ??= await pathsAt(space, seq, { keys: new Map(), config, summary })
    const [next] = of([...decisive(before.config), ...asking], seq, 1, 'asc')
    if (next === undefined) break
    const after = await pathsAt(space, next, before)
    if (!(await record(space, view, { before, after, seq: next }))) return false
    ;[before, seq] = [after, next]
    await pause()
  }

  return put(space, upTo, [])
}

const pathsAsking = ({ content }: RevisionView): string[] =>
  [...content.pageByFile].flatMap(([path, { isAsked }]) => (isAsked ? [path] : []))

/** Returns the files whose changes may change the paths of pages. */
const decisive = ({
  summary,
  settings = [],
  decisive: pages = [],
}: PagePaths['config']): string[] => [
  ...[summary, configPath],
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

  const ended = [...before.keys]
    .filter(([path, key]) => after.keys.get(path) !== key)
    .slice(0, mostPaths)
  if (ended.length === 0 || !previous) return put(space, revision, [])

  const identity = await readIdentity(repo, previous.oid)

  // A commit without a note was pushed together with later ones: use the id that the page has now.
  const idNow = (key: string) =>
    view.content.pageByFile.get(presentPath(ctx.store, spaceId, key, seq - 1))?.id ??
    defaultId(spaceId, key)
  const rows: { path: string; page_id: string }[] = []
  const pause = pauses()

  for (const [path, key] of ended) {
    rows.push({
      path: foldPath(path),
      page_id: identity ? idOf(spaceId, identity, key) : idNow(key),
    })
    await pause()
  }

  return put(space, revision, rows)
}

/**
 * Records the paths that ended with a revision. Returns false if the index no longer has the
 * revision at this number.
 */
function put(
  { ctx: { store }, spaceId }: Space,
  { oid, seq }: RevisionRow,
  rows: readonly { path: string; page_id: string }[],
): boolean {
  let isCurrent = false
  note(() =>
    store.transact(() => {
      isCurrent = findRevision(store, spaceId, oid)?.seq === seq
      if (isCurrent) putFormerPaths(store, spaceId, seq, rows)
    }),
  )
  return isCurrent
}
