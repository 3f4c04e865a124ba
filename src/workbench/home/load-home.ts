import { atLeast } from '../../access/roles.ts'
import type { SignedInUser } from '../../access/session.ts'
import type { Context } from '../../context.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { loadPlaces, type Places } from './load-places.ts'
import {
  conflictingRequests,
  type HomeRequest,
  type HomeThread,
  type Part,
  participant,
  someRequests,
  someThreads,
  type WaitingKind,
  waitingFilters,
} from './load-waiting.ts'

/** How many rows the lists of the home page begin with. */
const mostWaiting = 6
const mostOwn = 8
const mostSpaces = 12
const mostSites = 6

/** A change request that waits for the reader, and what for. */
type WaitingRequest = { request: HomeRequest; kinds: WaitingKind[] }

export type Home = {
  waiting: readonly WaitingRequest[]
  threads: readonly HomeThread[]
  /** The lists of which the page shows the start only. */
  longer: readonly WaitingKind[]
  own: Part<HomeRequest>
  places: readonly Places[]
  /** The first organization in which the reader may create spaces. */
  createsIn: string | undefined
  /** The organization whose members the reader may invite. */
  invitesTo: string | undefined
}

/** Loads what the home page of a user shows. */
export async function loadHome(asked: {
  ctx: Context
  me: UserRow
  actor: SignedInUser['actor']
}): Promise<Home> {
  const { me } = asked
  const taking = participant(asked, ['open', 'draft'])
  const place = { limit: mostWaiting }
  const reviews = someRequests(taking, waitingFilters.reviews(me.id), place)
  const changes = someRequests(taking, waitingFilters.changes(me.id), place)
  const conflicts = await conflictingRequests(taking)
  const threads = someThreads(taking, place)
  const places = loadPlaces(asked, { spaces: mostSpaces, sites: mostSites })
  const roles = places.map(({ organization: { id, member_role: role } }) => ({ id, role }))

  return {
    waiting: together({
      reviews: reviews.rows,
      changes: changes.rows,
      conflicts: conflicts.slice(0, mostWaiting),
    }),
    threads: threads.rows,
    longer: [
      ...(reviews.before === undefined ? [] : (['reviews'] as const)),
      ...(changes.before === undefined ? [] : (['changes'] as const)),
      ...(conflicts.length > mostWaiting ? (['conflicts'] as const) : []),
      ...(threads.before === undefined ? [] : (['comments'] as const)),
    ],
    own: ownRequests(taking),
    places,
    createsIn: roles.find(({ role }) => atLeast(role, 'create'))?.id,
    invitesTo: roles.find(({ role }) => role === 'admin')?.id,
  }
}

/** Returns the newest open change requests and drafts of a user. */
function ownRequests(taking: ReturnType<typeof participant>): Part<HomeRequest> {
  const place = { limit: mostOwn }
  const lists = (['open', 'draft'] as const).map(status =>
    someRequests(taking, { status, creator: taking.me.id }, place),
  )
  const rows = lists
    .flatMap(list => list.rows)
    .sort((one, other) => other.row.seq - one.row.seq)
    .slice(0, mostOwn)
  const isWhole = lists.every(({ before }) => before === undefined)
  const shown = lists.reduce((sum, list) => sum + list.rows.length, 0)
  return { rows, before: isWhole && shown <= mostOwn ? undefined : rows.at(-1)?.row.seq }
}

/** Returns each change request once, with everything that it waits for. */
function together(
  lists: Readonly<Partial<Record<WaitingKind, readonly HomeRequest[]>>>,
): WaitingRequest[] {
  const found = new Map<string, WaitingRequest>()
  for (const [kind, requests] of Object.entries(lists) as [WaitingKind, HomeRequest[]][])
    for (const request of requests) {
      const known = found.get(request.row.id)
      if (known) known.kinds.push(kind)
      else found.set(request.row.id, { request, kinds: [kind] })
    }

  return [...found.values()]
}
