import type { Context } from '../../context.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listHostRules } from '../../store/sites/host-rules.ts'

type SiteHostRule = Context['config']['siteHosts'][number]

/** Returns a rule as text: a host, or `*.` and a host for all hosts below it. */
export const patternOf = ({ host, below }: SiteHostRule): string => (below ? `*.${host}` : host)

/** Returns whether a rule with a pattern is about a host. */
export const coversHost = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern

/**
 * Returns the ids of the organizations that the operator assigned a host to: those of the most
 * specific pattern. A rule stays with the organization that it named when the server first started
 * with it; until then it counts for an organization with the id, which the operator gave.
 */
export function ownersOfHost(ctx: Context, host: string): Set<string> {
  const covering = ctx.config.siteHosts.filter(rule => coversHost(patternOf(rule), host))
  const closest = covering
    .sort((a, b) => a.host.length - b.host.length || Number(b.below) - Number(a.below))
    .at(-1)
  if (!closest) return new Set()

  const resolved = new Map(
    listHostRules(ctx.store).map(row => [`${row.pattern} ${row.named}`, row.organization_id]),
  )
  const pattern = patternOf(closest)
  const owners = covering
    .filter(rule => patternOf(rule) === pattern)
    .map(
      ({ organization: named }) =>
        resolved.get(`${pattern} ${named}`) ?? findOrganization(ctx.store, named)?.id,
    )

  return new Set(owners.filter(id => id !== undefined))
}
