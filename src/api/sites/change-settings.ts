import type { z } from 'zod'
import { isForMembers } from '../../access/site-roles.ts'
import type { EventActor } from '../../actions/events/audit-event.ts'
import { checkHost } from '../../actions/sites/check-host.ts'
import { spacesOf } from '../../actions/sites/publish-site.ts'
import { recordSiteEvent } from '../../actions/sites/record-site-event.ts'
import { deriveSpaceVisibility } from '../../actions/sites/structure/derive-space-visibility.ts'
import { readSegment } from '../../content/site/path.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { dropAlias, putAlias } from '../../store/sites/aliases.ts'
import {
  findSiteByBasename,
  findSiteByHostname,
  listProxiesOnHost,
  updateSite,
} from '../../store/sites/sites.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { audienceOf } from './audience.ts'
import { changeDefaults } from './change-defaults.ts'
import type { SitePatch } from './schema.ts'

type Body = z.output<typeof SitePatch>

/** The settings that the role "create" may change; the others need "admin". */
const ofCreators: ReadonlySet<string> = new Set(['title', 'defaultSiteSection', 'defaultSiteSpace'])

/** Returns the role that a change of settings needs. */
export const roleForSettings = (body: Body): 'create' | 'admin' =>
  Object.keys(body).every(name => ofCreators.has(name)) ? 'create' : 'admin'

/**
 * Updates the settings that the body names and returns the new row; call it inside a transaction.
 * Throws 'invalid' for a basename or default that does not fit, 'missing' for an unknown default,
 * and 'conflict' for a basename, host name or proxy whose addresses another site has, or that the
 * organization may not use.
 */
export function changeSiteSettings(
  ctx: Context,
  row: SiteRow,
  body: Body,
  user: { id: string },
  by: EventActor,
): SiteRow {
  const set = columnsOf(ctx, row, body)
  const before = shown(row)
  const updated =
    Object.keys(set).length > 0 ? (updateSite(ctx.store, row.id, set) as SiteRow) : row
  const { site: changed, defaults } = changeDefaults(ctx, updated, body, user)
  const details = differences(
    { ...before, ...defaults?.before },
    { ...shown(changed), ...defaults?.after },
  )
  if (details.changed.length === 0) return changed

  const { basename, visibility } = row
  if (changed.basename !== basename) leaveAlias(ctx, changed, basename)
  if (changed.visibility !== visibility) deriveSpaceVisibility(ctx, spacesOf(ctx, row), by)
  recordSiteEvent(ctx, row, 'site.updated', by, details)
  const ended = details.changed.some(name => endingTokens.has(name))

  return updateSite(ctx.store, row.id, {
    updated_at: ctx.now().toISOString(),
    ...(ended && { access_version: row.access_version + 1 }),
  }) as SiteRow
}

/** The settings whose change ends all reading tokens. */
const endingTokens: ReadonlySet<string> = new Set([
  'visibility',
  'membersOnly',
  'agentsContext',
  'adaptiveContent',
])

/** Returns the columns that the body sets, apart from the defaults. */
function columnsOf(ctx: Context, row: SiteRow, body: Body): Partial<SiteRow> {
  const set: Partial<SiteRow> = {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.type !== undefined && { type: body.type }),
    ...audienceOf(body, row),
    ...(body.adaptiveContent !== undefined && { adaptive: body.adaptiveContent.enabled ? 1 : 0 }),
    ...(body.agentsContext !== undefined && { agents_context: body.agentsContext }),
    ...(body.defaultLevel !== undefined && { default_level: body.defaultLevel }),
    ...(body.timeTravel !== undefined && { time_travel: body.timeTravel }),
    ...(body.basename !== undefined && { basename: freeBasename(ctx, row, body.basename) }),
    ...(body.hostname !== undefined && {
      hostname: freeHostname(ctx, row, body.hostname),
      withdrawn_hostname: null,
    }),
    ...(body.proxy !== undefined && {
      proxy_origin: freeProxy(ctx, row, body.proxy),
      withdrawn_proxy_origin: null,
    }),
  }
  return set
}

function freeBasename({ store }: Context, row: SiteRow, text: string): string {
  const basename = readSegment(text, 'basename')
  const holder = findSiteByBasename(store, row.organization_id, basename)
  if (holder && holder.id !== row.id)
    throw new Fault(
      'name_in_use',
      `The basename "${basename}" is already in use. Choose another one.`,
    )
  return basename
}

function freeHostname(ctx: Context, row: SiteRow, hostname: string | null): string | null {
  if (hostname === null || hostname === row.hostname) return hostname
  checkHost(ctx, row.organization_id, hostname)

  if (findSiteByHostname(ctx.store, hostname))
    throw new Fault(
      'host_in_use',
      `The host name "${hostname}" is already in use. Choose another one.`,
    )

  if (othersOn(ctx, row, hostname).length > 0)
    throw new Fault(
      'host_in_use',
      `The host name "${hostname}" is already in use by the proxy of another site. Choose another one.`,
    )

  return hostname
}

function freeProxy(ctx: Context, row: SiteRow, origin: string | null): string | null {
  if (origin === null || origin === row.proxy_origin) return origin
  const host = origin.split('/', 1)[0] as string
  checkHost(ctx, row.organization_id, host)
  const byHostname = findSiteByHostname(ctx.store, host)

  if (byHostname && byHostname.id !== row.id)
    throw new Fault(
      'host_in_use',
      `The host "${host}" of the proxy is already in use as the host name of another site. Choose another one.`,
    )

  for (const other of othersOn(ctx, row, host)) {
    if (other === origin)
      throw new Fault('host_in_use', `The proxy "${origin}" is already in use. Choose another one.`)
    if (isInside(origin, other) || isInside(other, origin))
      throw new Fault(
        'host_in_use',
        `The path of the proxy "${origin}" is above or below that of another site. Choose a path beside it, or another host.`,
      )
  }

  return origin
}

/** Returns the proxy origins of other sites on a host. */
const othersOn = ({ store }: Context, { id }: SiteRow, host: string): string[] =>
  listProxiesOnHost(store, host)
    .filter(other => other.id !== id)
    .map(other => other.proxy_origin)

/** Returns whether the addresses of a proxy origin are among those of another one. */
const isInside = (origin: string, outer: string): boolean => `${origin}/`.startsWith(`${outer}/`)

/**
 * Keeps the addresses with the former basename working; those with the new one lead to this site
 * alone.
 */
function leaveAlias({ store, now }: Context, site: SiteRow, former: string): void {
  const place = { organizationId: site.organization_id, siteId: null, scope: 'organization' }
  dropAlias(store, place, site.basename)
  putAlias(store, place, former, { kind: 'site', id: site.id }, now().toISOString())
}

/** Returns the settings of a site by the names that they have in the API. */
const shown = (row: SiteRow): Record<string, unknown> => ({
  title: row.title,
  type: row.type,
  visibility: row.visibility,
  membersOnly: isForMembers(row),
  basename: row.basename,
  adaptiveContent: row.adaptive === 1,
  agentsContext: row.agents_context,
  defaultLevel: row.default_level,
  timeTravel: row.time_travel,
  hostname: row.hostname,
  proxy: row.proxy_origin,
})

/**
 * Returns the names of the settings that differ, with their values before and after, apart from the
 * title, a text.
 */
function differences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): { changed: string[] } & Record<string, unknown> {
  const changed = Object.keys(after).filter(name => after[name] !== before[name])
  const values = changed
    .filter(name => name !== 'title')
    .map(name => [name, { from: before[name], to: after[name] }])
  return { changed, ...Object.fromEntries(values) }
}
