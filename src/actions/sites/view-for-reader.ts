import type { Reader } from '../../access/asker.ts'
import { type ConditionedRow, readerCondition } from '../../access/reader-condition.ts'
import { cacheSlot } from '../../caches.ts'
import { type ConditionJudge, conditionJudge } from '../../content/site/conditions.ts'
import type { Variables } from '../../content/tree/variables.ts'
import type { Context } from '../../context.ts'
import { isGitError } from '../../git/values/errors.ts'
import { rememberedStructure } from '../../store/sites/structure.ts'
import { rememberedSpace } from '../../store/spaces/spaces.ts'
import type { SiteRow, SiteSpaceRow } from '../../store/tables/rows.ts'
import { primaryHead } from '../heads/primary-head.ts'
import { recordedHeads } from '../heads/recorded-heads.ts'
import { spaceVariables } from '../revisions/space-variables.ts'
import { type ReaderClaims, readerClaims } from './reader-claims.ts'
import { type SiteView, viewSite } from './view-site.ts'

/**
 * A site as a reader sees it, with the judge of its other conditions: all of them share the limits
 * of one request.
 */
type ReaderView = { view: SiteView; isMet: ConditionJudge['isMet'] }

/**
 * Returns a site as its reader sees it: without the sections and site spaces whose conditions are
 * not met.
 */
export const viewForReader = (ctx: Context, reader: Reader): Promise<ReaderView> =>
  viewWithClaims(ctx, reader.site, readerClaims(ctx, reader).claims, reader.spaceIds)

/** Returns a site as readers with these claims see it, limited to some spaces if they are given. */
export async function viewWithClaims(
  ctx: Context,
  site: SiteRow,
  claims: ReaderClaims['claims'],
  spaceIds?: ReadonlySet<string>,
): Promise<ReaderView> {
  const { isMet } = conditionJudge({ claims })
  const rows = rememberedStructure(ctx.store, site)
  const variables = await variablesFor(ctx, rows.siteSpaces)
  const hides = (row: ConditionedRow): boolean =>
    !isMet(readerCondition(rows, row), 'space_id' in row ? variables.get(row.space_id) : undefined)
  const sees = ({ id }: { id: string }): boolean => spaceIds?.has(id) ?? true
  return { view: viewSite(ctx, site, { sees, hides, seesEmpty: false }), isMet }
}

/** A view and the version of the rows that it was made from. */
type KeptView = { view: SiteView; version: number }

const viewCache = cacheSlot<KeptView>('siteViews')

/** The estimated size of a site space in a view, in bytes. */
const siteSpaceBytes = 600

/**
 * Returns the view of `viewWithClaims`, from the cache while no row changes. The claims are those
 * of `readerClaims`.
 */
export async function rememberedView(
  ctx: Context,
  site: SiteRow,
  { claims, id }: ReaderClaims,
): Promise<SiteView> {
  const version = ctx.store.version()
  const cache = ctx.caches.get(viewCache)
  const key = `${site.id} ${id}`
  const kept = cache.get(key)
  if (kept?.version === version) return kept.view
  const { view } = await viewWithClaims(ctx, site, claims)
  cache.set(key, { view, version }, 1_000 + view.siteSpaces.length * siteSpaceBytes)
  return view
}

/**
 * Returns whether the conditions of a site now show a space to its reader: they may have changed
 * since the token was made.
 */
export async function isSpaceShown(
  ctx: Context,
  reader: Reader,
  spaceId: string,
): Promise<boolean> {
  const rows = rememberedStructure(ctx.store, reader.site)
  const { sections, siteSpaces } = rows
  const row = siteSpaces.find(each => each.space_id === spaceId)
  if (!row || !reader.spaceIds.has(spaceId)) return false
  const section = sections.find(({ id }) => id === row.section_id)
  const [own, ofSection] = [row, section].map(each => each && readerCondition(rows, each))
  if (!own && !ofSection) return true
  const { isMet } = conditionJudge({ claims: readerClaims(ctx, reader).claims })
  const variables = await variablesFor(ctx, [row])
  return isMet(ofSection) && isMet(own, variables.get(spaceId))
}

/**
 * Returns the variables of the spaces whose conditions name `space`, at their recorded heads. They
 * lack spaces with a damaged repository, which their conditions then hide.
 */
async function variablesFor(
  ctx: Context,
  siteSpaces: readonly SiteSpaceRow[],
): Promise<ReadonlyMap<string, Readonly<Variables>>> {
  const ids = siteSpaces
    .filter(({ condition }) => condition !== null && /\bspace\b/.test(condition))
    .map(({ space_id }) => space_id)
    .filter(id => rememberedSpace(ctx.store, id)?.deleted_at === null)
  const variables = new Map<string, Readonly<Variables>>()
  if (ids.length === 0) return variables

  const heads = recordedHeads(ctx, ids)

  for (const id of ids) {
    try {
      const head = heads.get(id) ?? (await primaryHead(ctx, { id })).head
      variables.set(id, await spaceVariables(ctx, id, head))
    } catch (error) {
      if (!isGitError(error)) throw error
      ctx.log.warn({ err: error, spaceId: id }, 'the variables of a space cannot be read')
    }
  }

  return variables
}
