import type { Context } from '../context.ts'
import { type AfterPosition, findSpaces, listSpaces } from '../store/spaces/spaces.ts'
import type { SpaceRow } from '../store/tables/rows.ts'
import { listVisible } from './visible.ts'

/** A part of the spaces of an organization, and the position after which there are more. */
type SomeSpaces = { spaces: SpaceRow[]; next: AfterPosition | undefined }

/** Returns up to `limit` spaces of an organization that a user may read and whose titles have some words. */
export function someSpaces(
  ctx: Context,
  wanted: {
    organizationId: string
    userId: string
    title?: string | undefined
    limit: number
    after?: AfterPosition | undefined
  },
): SomeSpaces {
  const { organizationId, userId, title, limit, after } = wanted
  const found = listVisible(
    ctx,
    { organizationId, userId, kind: 'space' },
    limit + 1,
    after,
    (most, from, among) => listSpaces(ctx.store, { organizationId, title }, most, from, among),
  )
  const shown = found.slice(0, limit).map(({ row }) => row)
  const rows = findSpaces(
    ctx.store,
    shown.map(({ id }) => id),
  )
  const last = found.length > limit ? shown.at(-1) : undefined

  return {
    spaces: shown.flatMap(({ id }) => rows.get(id) ?? []),
    next: last && [last.position, last.seq],
  }
}

/** The most spaces that a form offers. */
const mostOffered = 200

/** Returns the spaces of an organization that a form offers to a user. */
export const offeredSpaces = (ctx: Context, organizationId: string, userId: string): SpaceRow[] =>
  someSpaces(ctx, { organizationId, userId, limit: mostOffered }).spaces
