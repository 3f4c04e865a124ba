import { indexUpTo } from '../../actions/heads/index-up-to.ts'
import { type FileRevision, fileHistory } from '../../actions/revisions/file-history.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { findChangeRequestByMerge } from '../../store/discussions/change-requests.ts'
import { listRevisions } from '../../store/git/revisions.ts'
import { timeInWords } from '../../ui/words/dates.ts'
import type { SitePlace } from '../place/place.ts'
import { mayTravel, readsChangeRequests, readsEverything } from '../place/rights.ts'
import { settingsOf } from '../place/settings-of-place.ts'
import { madeHtml, type SiteResponse } from '../sending/made.ts'
import { scopeBase } from '../travel/open-scope.ts'
import { historyAddress } from '../travel/toolbar.ts'
import type { HistoryPage } from '../views/model.ts'
import { renderPage } from '../views/render.tsx'
import { frameOf } from './frame.ts'
import { listingOf } from './listing.ts'
import { navOf } from './nav.ts'
import { nothingHere } from './nothing-here.ts'

/** The entries on one page, and the most versions of a page that are looked at. */
const entriesOfPage = 30
const mostVersions = 3_000

/**
 * Answers with the versions of a page, latest first, through its renames. `before` is the number of
 * the entry before them.
 */
export async function answerHistory(
  place: SitePlace,
  id: string,
  before: string | undefined,
): Promise<SiteResponse> {
  const { ctx, open } = place
  const { space, ref, view } = open
  const node = mayTravel(place) ? open.shown.content.pageById.get(id) : undefined
  if (!node?.file) return nothingHere(place)
  if (ref !== undefined) await indexUpTo(ctx, space.id, ref, view.oid)

  const below = before !== undefined && /^\d{1,9}$/.test(before) ? Number(before) : Infinity

  // Later entries are found through the renames above them only.
  const most = below === Infinity ? entriesOfPage + 1 : mostVersions
  const all = fileHistory(ctx.store, space.id, node.file.path, most).filter(
    ({ seq }) => seq < below,
  )
  const rows = all.slice(0, entriesOfPage)
  const settings = settingsOf(place)
  const frame = await frameOf(place, settings, node)
  const last = all.length > rows.length ? rows.at(-1) : undefined
  const page: HistoryPage = {
    kind: 'history',
    head: {
      title: `${frame.words.history}: ${node.title}`,
      description: '',
      canonical: '',
      robots: 'noindex',
      alternates: [],
      crumbs: [],
    },
    title: node.title,
    entries: rows.map(row => entryOf(place, id, row, frame.lang)),
    older: last && `${historyAddress(place, id)}?before=${last.seq}`,
    nav: navOf(listingOf(place, settings), node),
  }

  return madeHtml(renderPage(frame, page))
}

function entryOf(
  place: SitePlace,
  id: string,
  row: FileRevision,
  lang: string,
): HistoryPage['entries'][number] {
  const { ctx, open } = place
  const { oid, seq, committed_at: at } = row
  const [previous] = listRevisions(ctx.store, open.space.id, 1, seq)
  const request =
    readsEverything(place) && readsChangeRequests(place)
      ? findChangeRequestByMerge(ctx.store, open.space.id, oid)
      : undefined
  const pageIn = (base: string): string => `${base}~stemma/page/${id}`

  return {
    date: { iso: timeOf(at), text: timeInWords(lang, at) },
    revision: oid.slice(0, 7),
    author: row.author_name,
    subject: row.message.trim().split(/\r?\n/, 1)[0] ?? '',
    changeRequest: request && {
      title: `#${request.number}`,
      href: scopeBase(place, 'changes', String(request.number)),
    },
    asOf: pageIn(scopeBase(place, 'revisions', oid)),
    changed: previous && pageIn(scopeBase(place, 'compare', `${previous.oid}...${oid}`)),
  }
}
