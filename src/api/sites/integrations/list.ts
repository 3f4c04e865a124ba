import type { z } from 'zod'
import { seesIntegration } from '../../../access/guards/integration.ts'
import type { Context } from '../../../context.ts'
import { envelope, pageOf } from '../../../http/list.ts'
import {
  type Integration,
  rememberedIntegrations,
} from '../../../store/integrations/integrations.ts'
import type { StoredManifest } from './manifest-schema.ts'
import { manifestOf, presenter } from './present.ts'
import type { IntegrationsQuery } from './schema.ts'

type Query = z.output<typeof IntegrationsQuery>

/**
 * Answers with a page of the integrations that a user may see and that are `among` those of the
 * list, by title.
 */
export async function answerIntegrations(
  ctx: Context,
  user: { id: string },
  { page, limit, ...filters }: Query,
  { list, among }: { list: string; among: (row: Integration) => boolean },
) {
  const visible = rememberedIntegrations(ctx.store).filter(
    row => among(row) && seesIntegration(ctx, row, user.id) && matches(row, filters),
  )
  const shown = await pageOf(
    ctx,
    `integrations ${list} ${JSON.stringify(filters)}`,
    { page, limit },
    (most, after: [string, string] | undefined) => {
      const from = after === undefined ? 0 : visible.findIndex(row => isAfter(keyOf(row), after))
      return from < 0 ? [] : visible.slice(from, from + most)
    },
    keyOf,
  )
  const items = shown.rows.map(presenter(ctx, user))
  return { ...envelope(shown, items), count: visible.length }
}

const keyOf = (row: Integration): [string, string] => [row.title.toLowerCase(), row.name_folded]

const isAfter = (one: [string, string], other: [string, string]): boolean =>
  one[0] === other[0] ? one[1] > other[1] : one[0] > other[0]

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
