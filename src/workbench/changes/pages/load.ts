import { includesOfPages } from '../../../actions/change-requests/viewed.ts'
import { type ChangedPage, placeChangeOf } from '../../../actions/reviewing/changed-pages.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import { type NamedLine, namedLines } from '../../../content/changes/named-lines.ts'
import { missing } from '../../../errors.ts'
import { inSlices } from '../../../lib/slices.ts'
import { newestOn } from '../../../page-text/comment-threads.ts'
import type { ShownThread } from '../../comments/show-threads.ts'
import { showRequestThreads } from '../conversation/load.ts'
import type { RequestPage } from '../load-request.ts'
import {
  type BlobPair,
  compareTexts,
  largerSize,
  readTexts,
  type Source,
} from '../source/load-source.ts'
import { loadViewed, type Viewed } from '../viewed.tsx'
import { type MarkedHtml, markedHtml, type Showing, type SideHtml, sideHtml } from './page-html.ts'

export type ViewName = 'page' | 'side' | 'source'

type Content =
  | { view: 'page'; marked: MarkedHtml }
  | { view: 'side'; side: SideHtml }
  | { view: 'source'; source: NamedSource }

/** The Markdown of a page in two versions, whose lines have names, or why it is not shown. */
export type NamedSource = Source | { lines: readonly NamedLine[] }

/** A page with what changed in it, and the comments on it. */
export type ShownPage = {
  page: ChangedPage
  place: ReturnType<typeof placeChangeOf>
  content: Content
  threads: readonly ShownThread[]
  /** A digest of the reusable content that the page shows. */
  includes: string | undefined
  /** The block that a comment is begun at: its key. */
  at: string | undefined
}

/** What the parts of a page of changes know: its path, and that of the change request. */
export type InPage = { shown: ShownPage; own: string; path: string; mayComment: boolean }

/** The changed pages, and the one that is shown; undefined if none has a text. */
export type PagesPage = RequestPage & { shown: ShownPage | undefined; viewed: Viewed }

/** The longest text, in bytes, of which blocks are compared. */
const longestPage = 500_000

/** Returns whether a page has a text in one of its versions. */
export const hasText = ({ node, former }: ChangedPage): boolean =>
  node.file !== undefined || former?.file !== undefined

/** The page that is asked for, and one of its comments that must be shown. */
type WantedPage = {
  pageId: string
  view: ViewName
  at: string | undefined
  comment: string | undefined
}

/** Loads what a change request changes in one page. Throws 'missing'. */
export async function loadPage(
  data: RequestPage,
  showing: Showing,
  { pageId, view, at, comment }: WantedPage,
): Promise<PagesPage> {
  const { place, pages } = data
  const page = pages.find(({ node }) => node.id === pageId) ?? unchanged(place, pageId)
  const oids = {
    before: page.former?.file?.oid,
    after: page.kind === 'removed' ? undefined : page.node.file?.oid,
  }
  const { ctx, space, repo } = place.open
  const scope = { spaceId: space.id, changeRequestId: place.request.id }
  const rows = [...newestOn(ctx.store, scope, [pageId], comment)]
  const threads = (await showRequestThreads(showing, rows)).toSorted(
    (a, b) => a.row.seq - b.row.seq,
  )
  const { content: now } = place.open.view
  const includes = await includesOfPages(
    ctx,
    place.request,
    now,
    page.kind === 'removed' ? [] : [page.node],
  )
  const isLong = (await largerSize(repo, oids)) > longestPage
  const shown = isLong ? 'source' : view
  const wanted = new Set(threads.flatMap(({ row }) => row.node_id ?? []))
  const content =
    shown === 'page'
      ? { view: shown, marked: await markedHtml(showing, page.node, wanted) }
      : shown === 'side'
        ? { view: shown, side: await sideHtml(showing, page.node) }
        : { view: shown, source: await sourceOf(showing, oids) }

  return {
    ...data,
    viewed: await loadViewed(place),
    shown: {
      page,
      place: placeChangeOf(place, page),
      content,
      threads,
      includes: includes.get(pageId),
      at,
    },
  }
}

/** Returns the Markdown of a page in two versions, line by line. */
async function sourceOf({ place, hold }: Showing, oids: BlobPair): Promise<NamedSource> {
  const { repo, signal } = place.open
  const texts = await readTexts(repo, oids)
  if ('why' in texts) return texts
  const source = await compareTexts(texts, { hold, signal })
  return 'why' in source ? source : { lines: await inSlices(namedLines(source.lines), signal) }
}

/** Returns a page that the change request does not change. Throws 'missing'. */
function unchanged({ open, compared }: OpenRequest, id: string): ChangedPage {
  const node = open.shown.content.pageById.get(id)
  if (!node) throw missing('page', id)
  return { node, kind: 'changed', former: compared?.before.shown.content.pageById.get(id) ?? node }
}
