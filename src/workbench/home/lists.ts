import { z } from 'zod'
import type { SignedInUser } from '../../access/session.ts'
import type { Context } from '../../context.ts'
import { missing } from '../../errors.ts'
import type { AfterPosition } from '../../store/spaces/spaces.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { type HomeSite, type HomeSpace, loadSites, loadSpaces } from './load-places.ts'
import {
  conflictingRequests,
  type HomeRequest,
  type HomeThread,
  participant,
  someRequests,
  someThreads,
  waitingFilters,
} from './load-waiting.ts'
import type { ListName } from './rows.tsx'
import { type AdmittedTo, organizationsOf } from './visible-spaces.ts'

/** How many rows a part of a list has. */
const mostRows = 25
const mostPlaces = 50

/** A position in a list of spaces, as the address has it: two numbers. */
const Position = z
  .string()
  .regex(/^\d{1,15}~\d{1,15}$/, 'must be that of a link on this page')
  .transform(text => text.split('~').map(Number) as unknown as AfterPosition)

export const HomeQuery = z.object({
  list: z
    .enum(['reviews', 'changes', 'conflicts', 'comments', 'mine', 'spaces', 'sites'])
    .optional(),
  status: z.enum(['open', 'draft', 'merged', 'archived']).default('open'),
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  of: z.string().max(100).optional(),
  title: z.string().trim().max(200).optional(),
  after: Position.optional(),
})

type Query = z.output<typeof HomeQuery>

/** A part of one list of the home page. `query` is what the address says. */
export type List = { name: ListName; query: Query; before?: number | undefined } & (
  | { kind: 'requests'; rows: readonly HomeRequest[] }
  | { kind: 'threads'; rows: readonly HomeThread[] }
  | { kind: 'sites'; rows: readonly HomeSite[]; organization: { id: string; title: string } }
  | {
      kind: 'spaces'
      rows: readonly HomeSpace[]
      organization: Pick<AdmittedTo['organization'], 'id' | 'title' | 'member_role'>
      after: string | undefined
    }
)

type ListInput = { ctx: Context; me: UserRow; actor: SignedInUser['actor']; query: Query }

/** Loads a part of one list of the home page. */
export async function loadList(asked: ListInput, name: ListName): Promise<List> {
  const { me, query } = asked
  const place = { limit: mostRows, before: query.before }
  if (name === 'spaces' || name === 'sites') return placesOf(asked, name)
  const taking = participant(asked, [name === 'mine' ? query.status : 'open', 'draft'])
  if (name === 'comments') return { name, query, kind: 'threads', ...someThreads(taking, place) }
  if (name === 'conflicts')
    return { name, query, kind: 'requests', rows: await conflictingRequests(taking) }
  const filter =
    name === 'mine' ? { status: query.status, creator: me.id } : waitingFilters[name](me.id)
  return { name, query, kind: 'requests', ...someRequests(taking, filter, place) }
}

/** Loads a part of the spaces or sites of the organization that the address names. */
function placesOf({ ctx, me, actor, query }: ListInput, name: 'spaces' | 'sites'): List {
  const own = organizationsOf(ctx, actor, name === 'spaces' ? 'content:read' : 'sites:read')
  const of = own.find(({ organization: { id } }) => query.of === undefined || id === query.of)
  if (!of) throw missing('organization', query.of ?? '')
  const { organization } = of

  if (name === 'sites') {
    const place = { limit: mostPlaces, before: query.before }
    return { name, query, kind: 'sites', organization, ...loadSites(of, me, place) }
  }

  const { title, after } = query
  const found = loadSpaces(of, me, { limit: mostPlaces, title, after })

  return {
    ...{ name, query, organization },
    kind: 'spaces',
    rows: found.spaces,
    after: found.nextSpace?.join('~'),
  }
}
