import { type ChangedPage, placeChangeOf } from '../../../actions/reviewing/changed-pages.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import { type SourceLine, sourceLines } from '../../../content/changes/source.ts'
import { decode } from '../../../content/text/bytes.ts'
import { missing } from '../../../errors.ts'
import { objectInfo, readBlobs } from '../../../git/objects/objects.ts'
import type { Oid } from '../../../lib/oid.ts'
import { inSlices } from '../../../lib/slices.ts'
import { newestOn } from '../../../page-text/comment-threads.ts'
import { type ShownThread, showThreads } from '../conversation/load.ts'
import type { RequestPage } from '../load-request.ts'
import { type MarkedHtml, markedHtml, type Showing, type SideHtml, sideHtml } from './page-html.ts'

export type ViewName = 'page' | 'side' | 'source'

/** The text of a page or file in two versions, or why it is not shown. */
export type Source = { lines: readonly SourceLine[] } | { why: string }

type Content =
  | { view: 'page'; marked: MarkedHtml }
  | { view: 'side'; side: SideHtml }
  | { view: 'source'; source: Source }

/** A page with what changed in it, and the comments on it. */
export type ShownPage = {
  page: ChangedPage
  place: ReturnType<typeof placeChangeOf>
  content: Content
  threads: readonly ShownThread[]
  /** The block that a comment is begun at: its key. */
  at: string | undefined
}

/** The changed pages, and the one that is shown; undefined if none has a text. */
export type PagesPage = RequestPage & { shown: ShownPage | undefined }

/** The longest text, in bytes, of which blocks and lines are compared. */
const longestPage = 500_000
const longestSource = 2_500_000

/** Returns whether a page has a text in one of its versions. */
export const hasText = ({ node, former }: ChangedPage): boolean =>
  node.file !== undefined || former?.file !== undefined

/** Loads what a change request changes in one page. Throws 'missing'. */
export async function loadPage(
  data: RequestPage,
  showing: Showing,
  { pageId, view, at }: { pageId: string; view: ViewName; at: string | undefined },
): Promise<PagesPage> {
  const { place, pages } = data
  const page = pages.find(({ node }) => node.id === pageId) ?? unchanged(place, pageId)
  const oids = {
    before: page.former?.file?.oid,
    after: page.kind === 'removed' ? undefined : page.node.file?.oid,
  }
  const { ctx, space, repo } = place.open
  const scope = { spaceId: space.id, changeRequestId: place.request.id }
  const rows = [...newestOn(ctx.store, scope, [pageId])]
  const threads = (await showThreads(showing, rows)).toSorted((a, b) => a.row.seq - b.row.seq)
  const isLong = (await sizeOf(repo, oids)) > longestPage
  const shown = isLong ? 'source' : view
  const wanted = new Set(threads.flatMap(({ row }) => row.node_id ?? []))
  const content =
    shown === 'page'
      ? { view: shown, marked: await markedHtml(showing, page.node, wanted) }
      : shown === 'side'
        ? { view: shown, side: await sideHtml(showing, page.node) }
        : { view: shown, source: await loadSource(place, oids, showing.hold) }

  return { ...data, shown: { page, place: placeChangeOf(place, page), content, threads, at } }
}

/** Returns a page that the change request does not change. Throws 'missing'. */
function unchanged({ open, compared }: OpenRequest, id: string): ChangedPage {
  const node = open.shown.content.pageById.get(id)
  if (!node) throw missing('page', id)
  return { node, kind: 'changed', former: compared?.before.shown.content.pageById.get(id) ?? node }
}

type Oids = { before: Oid | undefined; after: Oid | undefined }

async function sizeOf(repo: OpenRequest['open']['repo'], { before, after }: Oids): Promise<number> {
  const infos = await objectInfo(
    repo,
    [before, after].filter(oid => oid !== undefined),
  )
  return [...infos.values()].reduce((sum, { size }) => Math.max(sum, size), 0)
}

/** Loads a text in two versions, line by line. */
async function loadSource(
  { open }: OpenRequest,
  { before, after }: Oids,
  hold: Showing['hold'],
): Promise<Source> {
  const { repo, signal } = open
  if ((await sizeOf(repo, { before, after })) > longestSource)
    return { why: 'It is too large to be compared here. Compare it with “git diff”.' }
  const blobs = await readBlobs(
    repo,
    [before, after].filter(oid => oid !== undefined),
  )
  const texts = [before, after].map(oid => {
    const bytes = oid && blobs.get(oid)
    return bytes ? decode(bytes).text : ''
  })
  if (texts.some(text => text.includes('\0'))) return { why: 'It is not a text.' }
  const [was, is] = texts as [string, string]
  await hold(was.length + is.length)
  return { lines: await inSlices(sourceLines(was, is), signal) }
}
