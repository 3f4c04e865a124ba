import { memberWithin } from '../../access/reach.ts'
import { atLeast } from '../../access/roles.ts'
import type { SignedInUser } from '../../access/session.ts'
import { visibleSites } from '../../access/visible-sites.ts'
import { someSpaces } from '../../access/visible-spaces.ts'
import { readingAddress } from '../../actions/sites/reading-address.ts'
import type { Context } from '../../context.ts'
import { countChangeRequests } from '../../store/discussions/change-requests.ts'
import type { AfterPosition } from '../../store/spaces/spaces.ts'
import type { SiteRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import type { Part, Window } from './load-waiting.ts'
import { type AdmittedTo, organizationsOf } from './visible-spaces.ts'

/** A space in a list, and how many open change requests it has. */
export type HomeSpace = { space: SpaceRow; requests: number }

/** A site in a list, where a member reads it, and whether they may change it. */
export type HomeSite = { site: SiteRow; href: string; changes: boolean }

/** The spaces and sites of an organization. */
export type Places = {
  organization: AdmittedTo['organization']
  spaces: HomeSpace[]
  /** The position after which there are more. */
  nextSpace: AfterPosition | undefined
  sites: HomeSite[]
  moreSites: boolean
}

type Asking = { ctx: Context; me: UserRow; actor: SignedInUser['actor'] }

/** Which spaces are wanted: those with some words in their titles, after a position. */
type WantedSpaces = {
  limit: number
  title?: string | undefined
  after?: AfterPosition | undefined
}

/** Returns the first spaces and sites of the organizations of a user. */
export function loadPlaces(
  asking: Asking,
  { spaces, sites }: { spaces: number; sites: number },
): Places[] {
  const { ctx, actor, me } = asking
  const withSites = new Map(
    organizationsOf(ctx, actor, 'sites:read').map(each => [each.organization.id, each.admitted]),
  )

  return organizationsOf(ctx, actor).map(({ organization, admitted }) => {
    const found = loadSpaces({ organization, admitted }, me, { limit: spaces })
    const reading = withSites.get(organization.id)
    const shown = reading && loadSites({ organization, admitted: reading }, me, { limit: sites })
    return {
      organization,
      ...found,
      sites: shown?.rows ?? [],
      moreSites: shown?.before !== undefined,
    }
  })
}

/** Returns a part of the spaces of an organization. */
export function loadSpaces(
  { organization, admitted }: AdmittedTo,
  me: UserRow,
  wanted: WantedSpaces,
): Pick<Places, 'spaces' | 'nextSpace'> {
  const found = someSpaces(admitted, {
    organizationId: organization.id,
    userId: me.id,
    ...wanted,
  })
  const counts = countChangeRequests(
    admitted.store,
    found.spaces.map(({ id }) => id),
  )

  return {
    spaces: found.spaces.map(space => ({ space, requests: counts.get(space.id)?.open ?? 0 })),
    nextSpace: found.next,
  }
}

/** Returns a part of the sites of an organization that a user may see, newest first. */
export function loadSites(
  { organization, admitted: ctx }: AdmittedTo,
  me: UserRow,
  { limit, before = Number.MAX_SAFE_INTEGER }: Window,
): Part<HomeSite> {
  const member = memberWithin(ctx, organization.id, me.id)
  if (!member) return { rows: [], before: undefined }
  const found = visibleSites(ctx, organization.id, { member, user: me }, ({ seq }) => seq < before)
  const rows = found.slice(0, limit)

  return {
    rows: rows.map(({ row: site, role }) => ({
      site,
      changes: atLeast(role, 'create'),
      href: readingAddress(ctx, site),
    })),
    before: found.length > rows.length ? rows.at(-1)?.row.seq : undefined,
  }
}
