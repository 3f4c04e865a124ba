import { indexUpTo } from '../../actions/heads/index-up-to.ts'
import { isRevision } from '../../actions/revisions/is-revision.ts'
import { type Oid, parseOid } from '../../lib/oid.ts'
import { findRewritten } from '../../store/git/content-purges.ts'
import { findRevision, findRevisionBefore } from '../../store/git/revisions.ts'
import type { SitePlace } from '../place/place.ts'
import { readsEverything } from '../place/rights.ts'

/** A commit that an address names. `isExact`: by its id, which every other name leads to. */
export type NamedVersion = { oid: Oid; isExact: boolean }

/**
 * Returns the commit that a name in an address means: an id, or a day, which means the last
 * published commit before its end in UTC. Undefined for a name that means none, and for a commit
 * that the reader may not read: of the published line they may read all, of other branches only
 * with the rights of a member.
 */
export async function findVersion(
  place: SitePlace,
  name: string,
): Promise<NamedVersion | undefined> {
  const { ctx, open } = place
  const { space, ref, view } = open
  const [end, oid] = [endOfDay(name), parseOid(name.toLowerCase())]
  if (end === undefined && oid === undefined) return undefined
  if (ref !== undefined) await indexUpTo(ctx, space.id, ref, view.oid)

  if (oid === undefined) {
    const row = findRevisionBefore(ctx.store, space.id, end!)
    return row && { oid: row.oid, isExact: false }
  }

  const now = findRewritten(ctx.store, space.id, oid)
  const wanted = now ?? oid

  return (await isReadable(place, wanted)) ? { oid: wanted, isExact: wanted === name } : undefined
}

const isReadable = async (place: SitePlace, oid: Oid): Promise<boolean> =>
  findRevision(place.ctx.store, place.open.space.id, oid) !== undefined ||
  (readsEverything(place) && (await isRevision(place.ctx, place.open.space.id, oid)))

/**
 * Returns the end of a day such as 2026-03-12 in UTC, in seconds since 1970; undefined for a day
 * that the calendar lacks.
 */
function endOfDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (day === undefined) return undefined
  const start = Date.parse(`${text}T00:00:00Z`)

  if (
    Number.isNaN(start) ||
    new Date(start).toISOString().slice(0, 10) !== `${year}-${month}-${day}`
  )
    return undefined

  return start / 1000 + 86_400
}
