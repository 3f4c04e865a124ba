import { compare } from '../../actions/audience/compare.ts'
import { openAt } from '../../actions/audience/open-at.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import { currentChangeRequest } from '../../actions/heads/current-change-request.ts'
import { findMergeBase } from '../../actions/heads/find-merge-base.ts'
import { isLinkedTo } from '../../actions/sites/previewed-content.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import { findChangeRequest } from '../../store/discussions/change-requests.ts'
import { findUser } from '../../store/people/users.ts'
import type { SitePlace } from '../place/place.ts'
import { mayTravel, readsChangeRequests } from '../place/rights.ts'
import type { Scope, Version } from '../place/scope.ts'
import { findVersion, type NamedVersion } from './find-version.ts'

/**
 * What a path below `~/` leads to: a place in the scope, another address, or nothing: 'refused' for
 * a reader who may not read such content, whether or not it exists, 'unknown' for a version that
 * does not exist.
 */
export type ScopeOpened = SitePlace | { redirect: string } | 'refused' | 'unknown'

type Named = { place: SitePlace; name: string; rest: string; marks: boolean }

/**
 * Opens the version of the content that the path of a place names: `~/revisions/<commit or day>`,
 * `~/changes/<number>` or `~/compare/<commit or day>...<commit or day>`, each with the path of a
 * page behind it. With `marks`, pages show what changed.
 */
export async function openScope(place: SitePlace, marks: boolean): Promise<ScopeOpened> {
  const [, kind, name = '', ...rest] = place.path.split('/')
  const named = { place, name, rest: encodePath(rest.join('/')), marks }
  if (kind === 'changes') return readsChangeRequests(place) ? openChangeRequest(named) : 'refused'
  if (!mayTravel(place)) return 'refused'
  if (kind === 'revisions') return openRevision(named)
  return kind === 'compare' ? openComparison(named) : 'unknown'
}

/** Returns the base of the addresses of a scope below that of a site space. */
export const scopeBase = (
  { resolved }: Pick<SitePlace, 'resolved'>,
  kind: 'revisions' | 'changes' | 'compare',
  name: string,
): string => `${resolved.basePath}~/${kind}/${name}/`

async function openRevision({ place, name, rest }: Named): Promise<ScopeOpened> {
  const found = await findVersion(place, name)
  if (!found) return 'unknown'
  if (!found.isExact) return { redirect: scopeBase(place, 'revisions', found.oid) + rest }
  const open = await openVersion(place, found)
  return within(place, open, { kind: 'revision', version: versionOf(open), current: place.open })
}

async function openComparison({ place, name, rest, marks }: Named): Promise<ScopeOpened> {
  const [first = '', second = '', ...others] = name.split(/\.{2,3}/)
  const from = await findVersion(place, first)
  const to = from && (await findVersion(place, second))
  if (!to || others.length > 0) return 'unknown'

  const exact = `${from.oid}...${to.oid}`
  if (name !== exact) return { redirect: scopeBase(place, 'compare', exact) + rest }

  const [before, after] = [await openVersion(place, from), await openVersion(place, to)]

  return within(place, after, {
    kind: 'comparison',
    from: versionOf(before),
    to: versionOf(after),
    compared: { ...(await compare(before, after)), marks },
    current: place.open,
  })
}

async function openChangeRequest({ place, name, rest, marks }: Named): Promise<ScopeOpened> {
  const { ctx, open } = place
  const number = /^0*([1-9]\d{0,8})$/.exec(name)?.[1]
  const row = number && findChangeRequest(ctx.store, open.space.id, number)
  const isAny = place.member?.readsChangeRequests || place.reader.preview?.linkId === undefined
  if (!isAny && !(row && isLinkedTo(ctx, place.reader, row.id))) return 'refused'
  if (!row) return 'unknown'
  if (number !== name) return { redirect: scopeBase(place, 'changes', number) + rest }

  const request = await currentChangeRequest(ctx, row)
  const after = await openAt(open, request.revision, `change-requests/${request.id}/content`)
  const base = await findMergeBase(ctx, request)

  return within(place, after, {
    kind: 'change-request',
    request,
    author: findUser(ctx.store, request.created_by)?.display_name ?? '',
    compared: base
      ? { ...(await compare(await openAt(open, base, `revisions/${base}`), after)), marks }
      : undefined,
    current: open,
  })
}

const openVersion = ({ open }: SitePlace, { oid }: NamedVersion): Promise<OpenContent> =>
  openAt(open, oid, `revisions/${oid}`)

const versionOf = ({ view }: OpenContent): Version => ({
  oid: view.oid,
  at: view.committedAt,
})

/**
 * Returns a place that shows other content of its space, whose pages lie below the name of that
 * content.
 */
function within(place: SitePlace, open: OpenContent, scope: Scope): SitePlace {
  const [tilde, kind, name, ...rest] = place.path.split('/')
  const base = `${place.resolved.basePath}${[tilde, kind, name].join('/')}/`
  return { ...place, open, scope, base, path: rest.join('/') }
}
