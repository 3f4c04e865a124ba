import type { z } from 'zod'
import { seesIntegration } from '../../../access/guards/integration.ts'
import type { Context } from '../../../context.ts'
import { inMemory } from '../../../http/list.ts'
import type { StoredManifest } from '../../../integrations/manifest.ts'
import {
  type Integration,
  rememberedIntegrations,
} from '../../../store/integrations/integrations.ts'
import type { UserRow } from '../../../store/tables/rows.ts'
import { manifestOf, presenter } from './present.ts'
import type { IntegrationsQuery } from './schema.ts'

type Query = z.output<typeof IntegrationsQuery>

/**
 * Returns the list of the integrations that a user may see and that are `among` those of the list,
 * by title.
 */
export function integrationsFor(
  { ctx, user, query }: { ctx: Context; user: UserRow; query: Query },
  list: string,
  among: (row: Integration) => boolean,
) {
  const { page: _page, limit: _limit, ...filters } = query
  const visible = rememberedIntegrations(ctx.store).filter(
    row => among(row) && seesIntegration(ctx, row, user.id) && matches(row, filters),
  )
  return inMemory({
    name: `integrations ${list} ${JSON.stringify(filters)}`,
    rows: visible,
    key: (row): [string, string] => [row.title.toLowerCase(), row.name_folded],
    show: (rows: Integration[]) => rows.map(presenter(ctx, user)),
  })
}

/** Returns whether the name or the title of an integration contains a text, in any case. */
export function isNamed({ name_folded, title }: Integration, search: string | undefined): boolean {
  const part = search?.toLowerCase()
  return part === undefined || name_folded.includes(part) || title.toLowerCase().includes(part)
}

function matches(row: Integration, filters: Omit<Query, 'page' | 'limit'>): boolean {
  const { owner, target } = filters
  if (!isNamed(row, filters.search)) return false
  if (owner !== undefined && row.organization_id !== owner) return false
  if (target !== undefined && row.target !== target) return false
  return matchesManifest(manifestOf(row), filters)
}

function matchesManifest(
  { blocks = [], contentSources = [], categories, scopes }: StoredManifest,
  filters: Omit<Query, 'page' | 'limit'>,
): boolean {
  const { category, scope, blockDomain } = filters
  if (category !== undefined && !categories.includes(category)) return false
  if (scope !== undefined && !scopes.includes(scope)) return false
  if (filters.blocks !== undefined && blocks.length > 0 !== filters.blocks) return false
  if (filters.contentSources !== undefined && contentSources.length > 0 !== filters.contentSources)
    return false

  return (
    blockDomain === undefined || blocks.some(block => unfurls(block.urlUnfurl ?? [], blockDomain))
  )
}

/** Returns whether one of the patterns is for addresses of a domain. */
const unfurls = (patterns: readonly string[], domain: string): boolean =>
  patterns.some(pattern => {
    const host = /^(?:[a-z]+:)?(?:\/\/)?([^/?#:]+)/i.exec(pattern)?.[1]?.toLowerCase()
    return (
      host !== undefined &&
      (host === domain.toLowerCase() || host.endsWith(`.${domain.toLowerCase()}`))
    )
  })
