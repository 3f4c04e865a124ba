import type { Context } from '../../context.ts'
import {
  findOrganization,
  findOrganizationByHostname,
  listAllOrganizations,
  updateOrganization,
} from '../../store/people/organizations.ts'
import {
  listHostRules,
  listSitesWithHosts,
  replaceHostRules,
} from '../../store/sites/host-rules.ts'
import { findSiteByHostname, listProxiesOnHost, updateSite } from '../../store/sites/sites.ts'
import type { OrganizationRow, SiteHostRuleRow, SiteRow } from '../../store/tables/rows.ts'
import { noActor } from '../events/audit-event.ts'
import { recordOnOrganization } from '../events/record-event.ts'
import { coversHost, ownersOfHost, patternOf } from './host-rules.ts'
import { recordSiteEvent } from './record-site-event.ts'

/**
 * Brings names and hosts in line with the settings when a server starts: takes hostnames away that
 * are the id of another organization, resolves new rules about hosts, and withdraws hosts that the
 * rules no longer allow. Each of these is logged and recorded as an event. A withdrawn host comes
 * back when the rules allow it again and it is free.
 */
export const settleHosts = (ctx: Context): void =>
  ctx.store.transact(() => {
    const organizations = listAllOrganizations(ctx.store)
    takeHostnamesBack(ctx, organizations)
    const before = listHostRules(ctx.store)
    const rules = resolveRules(ctx, before)
    const known = new Set(before)
    if (rules.length !== before.length || !rules.every(rule => known.has(rule)))
      replaceHostRules(ctx.store, rules)
    if (organizations.length > 1)
      for (const site of listSitesWithHosts(ctx.store)) withdraw(ctx, site, before)
    for (const site of listSitesWithHosts(ctx.store)) giveBack(ctx, site)
  })

/**
 * Earlier versions allowed the id of another organization as a hostname. The id, which the operator
 * gave, counts.
 */
function takeHostnamesBack(ctx: Context, organizations: readonly OrganizationRow[]): void {
  const ids = new Map<string, string[]>()
  for (const { id } of organizations)
    ids.set(id.toLowerCase(), [...(ids.get(id.toLowerCase()) ?? []), id])

  for (const { id, hostname } of organizations) {
    if (hostname === null) continue
    const owner = ids.get(hostname)?.find(each => each !== id)
    if (owner === undefined) continue
    updateOrganization(ctx.store, id, { hostname: null })
    recordOnOrganization(ctx, { id }, 'organization.updated', noActor, {
      changed: ['hostname'],
      hostname: { from: hostname, to: null },
      reason: 'id-of-another',
    })

    ctx.log.warn(
      { organization: id, hostname, owner },
      'removed the hostname of an organization, because it is the id of another one',
    )
  }
}

/** Returns the rows of the rules in the settings. A rule that was resolved before keeps its row. */
function resolveRules(ctx: Context, before: readonly SiteHostRuleRow[]): SiteHostRuleRow[] {
  const resolved = new Map(before.map(row => [`${row.pattern} ${row.named}`, row]))
  const rows = new Map<string, SiteHostRuleRow>()
  for (const rule of ctx.config.siteHosts) {
    const [pattern, named] = [patternOf(rule), rule.organization]
    const key = `${pattern} ${named}`
    const known = resolved.get(key)
    const organization =
      findOrganization(ctx.store, named) ??
      findOrganizationByHostname(ctx.store, named.toLowerCase())

    if (known) rows.set(key, known)
    else if (organization) {
      const resolved_at = ctx.now().toISOString()
      rows.set(key, { pattern, named, organization_id: organization.id, resolved_at })
      ctx.log.info(
        { pattern, named, organization: organization.id },
        'assigned hosts to an organization',
      )
    } else
      ctx.log.warn(
        { pattern, named },
        'a rule of STEMMA_SITE_HOSTS names no organization; it counts once the operator creates one with this id',
      )
  }

  return [...rows.values()]
}

/** The columns of the two kinds of hosts that a site may have. */
const kinds = [
  { held: 'hostname', withdrawn: 'withdrawn_hostname', shown: 'hostname' },
  { held: 'proxy_origin', withdrawn: 'withdrawn_proxy_origin', shown: 'proxy' },
] as const

const hostOf = (origin: string): string => origin.split('/', 1)[0] as string

/**
 * Withdraws the hosts of a site that are assigned to other organizations, or that a rule assigned
 * which is gone.
 */
function withdraw(ctx: Context, site: SiteRow, before: readonly SiteHostRuleRow[]): void {
  for (const kind of kinds) {
    const origin = site[kind.held]
    if (origin === null) continue
    const host = hostOf(origin)
    const owners = ownersOfHost(ctx, host)
    const wasAssigned = before.some(
      row => row.organization_id === site.organization_id && coversHost(row.pattern, host),
    )

    // A host from the time when the server had one organization needed no rule.
    if (owners.has(site.organization_id) || (owners.size === 0 && !wasAssigned)) continue
    change(ctx, site, kind, { from: origin, to: null })
  }
}

function giveBack(ctx: Context, site: SiteRow): void {
  for (const kind of kinds) {
    const origin = site[kind.withdrawn]
    if (origin === null || site[kind.held] !== null) continue
    const host = hostOf(origin)
    const onHost = findSiteByHostname(ctx.store, host)
    const isFree =
      (onHost === undefined || onHost.id === site.id) &&
      listProxiesOnHost(ctx.store, host).every(({ id }) => id === site.id)
    if (isFree && ownersOfHost(ctx, host).has(site.organization_id))
      change(ctx, site, kind, { from: null, to: origin })
  }
}

function change(
  ctx: Context,
  site: SiteRow,
  { held, withdrawn, shown }: (typeof kinds)[number],
  { from, to }: { from: string | null; to: string | null },
): void {
  updateSite(ctx.store, site.id, {
    [held]: to,
    [withdrawn]: from,
    updated_at: ctx.now().toISOString(),
  })
  const details = { changed: [shown], [shown]: { from, to }, reason: 'STEMMA_SITE_HOSTS' }
  recordSiteEvent(ctx, site, 'site.updated', noActor, details)
  ctx.log.warn(
    { site: site.id, organization: site.organization_id, host: from ?? to },
    to === null
      ? 'withdrew a host from a site, which the rules no longer allow'
      : 'gave a site its host back',
  )
}
