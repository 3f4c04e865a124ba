import { foldSource } from '../../content/site/redirect-source.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { randomId } from '../../lib/digest.ts'
import {
  deleteRedirect,
  findRedirectFrom,
  insertRedirect,
  updateRedirect,
} from '../../store/sites/redirects.ts'
import type { SiteRedirectRow } from '../../store/tables/rows.ts'
import type { RedirectDestination } from '../../store/tables/sites.ts'
import type { EventActor } from '../events/audit-event.ts'
import { recordSiteEvent } from '../sites/record-site-event.ts'
import type { SiteView } from '../sites/view-site.ts'
import type { Looking } from './destination.ts'
import { isHidden } from './hidden-redirects.ts'
import { type InputDestination, storedDestination } from './input-destination.ts'
import { checkDestination, checkRoom, checkWildcard, sourceTaken } from './redirect-rules.ts'

/** The maximum number of changes in one call. */
export const mostInBulk = 500

/** A change of the redirect from a path, or of the draft of one. */
type RedirectChange =
  | { source: string; intent: 'publish' }
  | {
      source: string
      intent: 'live' | 'draft'
      captureWildcard: boolean
      /** Without it, a redirect that is there keeps what it has. */
      permanent?: boolean | undefined
      /** Null deletes the redirect. */
      destination: InputDestination | null
    }

/** A change that is ready to be made, or why it cannot be. */
type Prepared = { change: RedirectChange } & (
  | { folded: string; destination: RedirectDestination | null }
  | { fault: Fault }
)

/** What became of a change. */
type RedirectResult = {
  status: 'created' | 'updated' | 'deleted' | 'published' | 'error'
  source: string
  draft: boolean
  id?: string
  error?: string
  reason?: Fault['reason']
}

/** Who changes the redirects of a site, and what they see of it. */
type Editing = {
  ctx: Context
  view: SiteView
  /** The ids of sections and site spaces that are hidden from the user. */
  hidden: ReadonlySet<string>
  by: EventActor
}

/** Looks up the pages to which changes lead, as a user reads them. */
export async function prepareRedirects(
  ctx: Context,
  looking: Looking,
  changes: readonly RedirectChange[],
): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  for (const change of changes)
    prepared.push(
      await orFault(change, async () => {
        const given = change.intent === 'publish' ? null : change.destination
        const destination = given && (await storedDestination(ctx, looking, given))
        return { change, folded: foldSource(change.source), destination }
      }),
    )

  return prepared
}

async function orFault(change: RedirectChange, work: () => Promise<Prepared>): Promise<Prepared> {
  try {
    return await work()
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return { change, fault }
  }
}

/**
 * Makes changes of redirects in their order. One that cannot be made changes nothing and does not
 * stop the others. Call it inside a transaction.
 */
export const putRedirects = (editing: Editing, changes: readonly Prepared[]): RedirectResult[] =>
  changes.map(prepared => {
    const { source, intent } = prepared.change
    const named = { source, draft: intent === 'draft' }
    try {
      if ('fault' in prepared) throw prepared.fault
      return { ...named, ...putRedirect(editing, prepared) }
    } catch (fault) {
      // A check that fails has written nothing.
      if (!(fault instanceof Fault)) throw fault
      return { ...named, status: 'error', error: fault.message, reason: fault.reason }
    }
  })

type Ready = Exclude<Prepared, { fault: Fault }>

function putRedirect(editing: Editing, ready: Ready): Pick<RedirectResult, 'status' | 'id'> {
  const { change } = ready
  if (change.intent === 'publish') return publishDraft(editing, change.source, ready.folded)
  const { ctx, view, hidden } = editing
  const draft = Number(change.intent === 'draft')
  const before = findRedirectFrom(ctx.store, view.site.id, draft, ready.folded)
  const seen = before && !isHidden(hidden, before.destination) ? before : undefined
  if (!ready.destination) {
    if (seen) removeRedirect(editing, seen)
    return { status: 'deleted' }
  }

  if (before && !seen) throw sourceTaken(change.source, draft)

  const set = {
    source: change.source,
    source_folded: ready.folded,
    destination: ready.destination,
    draft,
    capture_wildcard: Number(change.captureWildcard),
    permanent: change.permanent === undefined ? (seen?.permanent ?? 0) : Number(change.permanent),
  }

  return seen
    ? { status: 'updated', id: changeRedirect(editing, seen, set).id }
    : { status: 'created', id: addRedirect(editing, set).id }
}

/** The columns of a redirect that a user decides on. */
export type RedirectSettings = Pick<
  SiteRedirectRow,
  'source' | 'source_folded' | 'destination' | 'draft' | 'capture_wildcard' | 'permanent'
>

/** Inserts a redirect after the checks. Call it inside a transaction. */
export function addRedirect(editing: Omit<Editing, 'hidden'>, set: RedirectSettings) {
  const { ctx, view, by } = editing
  checkDestination(ctx, view, set.destination)
  checkWildcard(set)
  checkRoom(ctx, view.site)
  const at = ctx.now().toISOString()
  const row = { ...set, id: randomId(), site_id: view.site.id, created_at: at }
  const made = insertRedirect(ctx.store, row)
  recordSiteEvent(ctx, view.site, 'redirect.created', by, { redirect: made.id, ...described(set) })
  return made
}

/** Changes a redirect after the checks. Call it inside a transaction. */
export function changeRedirect(
  { ctx, view, by }: Omit<Editing, 'hidden'>,
  before: SiteRedirectRow,
  set: Partial<RedirectSettings>,
): SiteRedirectRow {
  if (set.destination) checkDestination(ctx, view, set.destination)
  checkWildcard({ ...before, ...set })
  const changes = { ...set, updated_at: ctx.now().toISOString() }
  const after = updateRedirect(ctx.store, before.id, changes) as SiteRedirectRow
  recordSiteEvent(ctx, view.site, 'redirect.updated', by, {
    redirect: after.id,
    from: before.source,
    ...described(set),
  })

  return after
}

/** Deletes a redirect. Call it inside a transaction. */
export function removeRedirect(
  { ctx, view, by }: Omit<Editing, 'hidden'>,
  { id, source }: SiteRedirectRow,
): void {
  deleteRedirect(ctx.store, id)
  recordSiteEvent(ctx, view.site, 'redirect.deleted', by, { redirect: id, source })
}

/** Puts the draft from a path in the place of the redirect from it. */
export function publishDraft(
  editing: Editing,
  path: string,
  folded: string,
): Pick<RedirectResult, 'status' | 'id'> {
  const { ctx, view, hidden } = editing
  const [live, draft] = [0, 1].map(each => findRedirectFrom(ctx.store, view.site.id, each, folded))
  if (!draft || isHidden(hidden, draft.destination)) throw missing('draft redirect', path)
  if (live && isHidden(hidden, live.destination)) throw sourceTaken(path, 0)
  if (!live) return { status: 'published', id: changeRedirect(editing, draft, { draft: 0 }).id }

  const { source, destination, capture_wildcard, permanent } = draft
  removeRedirect(editing, draft)
  const set = { source, destination, capture_wildcard, permanent }

  return { status: 'published', id: changeRedirect(editing, live, set).id }
}

const described = (set: Partial<RedirectSettings>) => ({
  ...(set.source !== undefined && { source: set.source }),
  ...(set.destination && { destination: set.destination }),
  ...(set.draft === 1 && { draft: true }),
})
