import { cacheSlot, stateSlot } from '../../caches.ts'
import { describeVersion, type OpenapiOutline } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import { readBlobs, unreadable } from '../../git/objects/objects.ts'
import { listFiles, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Oid } from '../../lib/oid.ts'
import { saysCannotWrite } from '../../store/note.ts'
import { findSpecBySlug, listSpecSlugs as slugsIn } from '../../store/openapi/specs.ts'
import { findOutline, findPiece, findVersion, hasOutline } from '../../store/openapi/versions.ts'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../store/tables/rows.ts'
import { keepDerived } from '../made-files/spec-rows.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { mostSpecBytes, readAgain, type SpecFile } from './gather-spec.ts'
import { openSpecs } from './open-specs.ts'

/** The outline of the latest version of a spec. */
type SpecOutline = {
  specId: string
  slug: string
  versionId: Oid
  outline: OpenapiOutline
}

/** Outlines by version, weighed by the length of their JSON. */
const outlineCache = cacheSlot<OpenapiOutline>('outlines')

/**
 * Returns the latest version of a spec by its slug, without its outline; undefined when there is
 * none yet.
 */
export const latestVersion = (
  ctx: Context,
  organizationId: string,
  slug: string,
): { specId: string; slug: string; versionId: Oid } | undefined =>
  ctx.store.remember(
    `openapi ${organizationId} ${slug}`,
    () => {
      const spec = findSpecBySlug(ctx.store, organizationId, slug)
      if (!spec?.last_version) return undefined
      return { specId: spec.id, slug: spec.slug, versionId: spec.last_version }
    },
    { organizationId },
  )

/**
 * Returns the outline of the latest version of a spec; undefined when there is no such spec, or no
 * readable version of it. Rebuilds the derived data if it is missing or outdated, which takes
 * seconds for a large spec.
 */
export async function findSpecOutline(
  ctx: Context,
  organizationId: string,
  slug: string,
): Promise<SpecOutline | undefined> {
  const latest = latestVersion(ctx, organizationId, slug)
  if (!latest) return undefined
  const { specId, versionId } = latest
  const outline =
    keptOutline(ctx, versionId) ??
    (await ctx.locks.run(`describe ${versionId}`, async () => {
      const isDue =
        !hasOutline(ctx.store, versionId, describeVersion) && !wasAborted(ctx, versionId)
      if (isDue) await derive(ctx, organizationId, latest)
      return keptOutline(ctx, versionId)
    }))

  return outline && { specId, slug: latest.slug, versionId, outline }
}

/** The mark in a stamp of a spec that cannot be read now. No row says when it can be. */
export const unreadMark = ' !'

/** Reports whether one of the specs of a stamp cannot be read now. */
export const saysUnread = (stamp: string): boolean => stamp.includes(unreadMark)

/**
 * Returns a string that changes when pages show one of the specs differently: its version, the way
 * it is described, and whether it can be read.
 */
export async function shownStamp(
  ctx: Context,
  organizationId: string,
  slugs: readonly string[],
): Promise<string> {
  const stamps: string[] = []
  for (const slug of slugs) {
    const found = await findSpecOutline(ctx, organizationId, slug)
    const version = found?.versionId ?? latestVersion(ctx, organizationId, slug)?.versionId
    const state =
      version === undefined ? '' : `${version}/${describeVersion}${found ? '' : unreadMark}`
    stamps.push(`${slug}=${state}`)
  }
  return stamps.join(' ')
}

/**
 * Returns a piece of a version that `findSpecOutline` returned, as Markdown; undefined for an
 * unknown key.
 */
export const readPiece = (ctx: Context, versionId: Oid, key: string): string | undefined =>
  findPiece(ctx.store, versionId, key)

/** Returns the slugs of all specs of an organization, including those without a version. */
export const listSpecSlugs = (ctx: Context, organizationId: string): ReadonlySet<string> =>
  ctx.store.remember(
    `openapi slugs ${organizationId}`,
    () => new Set(slugsIn(ctx.store, organizationId)),
    {
      organizationId,
    },
  )

/** Returns the files of a version, sorted by path. */
export async function listSpecFiles(
  ctx: Context,
  { organization_id }: Pick<OpenapiSpecRow, 'organization_id'>,
  { id }: Pick<OpenapiVersionRow, 'id'>,
): Promise<TreeFile[]> {
  await openSpecs(ctx, organization_id)
  return (await listFiles(specsRepository(ctx, organization_id), id)).files
}

function keptOutline(ctx: Context, versionId: Oid): OpenapiOutline | undefined {
  const cache = ctx.caches.get(outlineCache)
  const known = cache.get(versionId)

  // Its pieces may have been deleted since.
  const isThere = () => hasOutline(ctx.store, versionId, describeVersion)
  if (known && ctx.store.remember(`openapi outline ${versionId}`, isThere, {})) return known

  const json = findOutline(ctx.store, versionId, describeVersion)?.outline
  if (!json) return undefined

  const outline = JSON.parse(json) as OpenapiOutline

  cache.set(versionId, outline, json.length)

  return outline
}

/** When reading a version was last aborted, by version, in milliseconds since 1970. */
const abortedAt = stateSlot(() => new BoundedCache<string, number>(1_000))
/** How long such a version is not read again. */
const abortedMs = 10 * 60_000

const wasAborted = ({ caches }: Context, versionId: Oid): boolean =>
  Date.now() - (caches.get(abortedAt).get(versionId) ?? 0) < abortedMs

/** Rebuilds the derived data of a version from its files. */
async function derive(
  ctx: Context,
  organizationId: string,
  { specId, versionId }: { specId: string; versionId: Oid },
): Promise<void> {
  const version = findVersion(ctx.store, specId, versionId)
  if (!version) return

  try {
    const files = await filesOf(ctx, organizationId, version)
    const stop = new AbortController().signal
    const read = await readAgain(ctx, files, addressOf(version.entry), stop)
    const nothing = { outline: null, pieces: new Uint8Array() }
    if ('unfinished' in read) ctx.caches.get(abortedAt).set(versionId, Date.now(), 1)
    else await keepDerived(ctx, { specId, versionId }, 'code' in read ? nothing : read)
  } catch (error) {
    // A damaged repository or a full disk must not break pages.
    if (!isGitError(error) && !saysCannotWrite(error)) throw error
    ctx.log.error(
      { spec: specId, err: String(error) },
      'a version of an OpenAPI spec cannot be read',
    )
  }
}

async function filesOf(
  ctx: Context,
  organizationId: string,
  version: OpenapiVersionRow,
): Promise<SpecFile[]> {
  const listed = await listSpecFiles(ctx, { organization_id: organizationId }, version)
  const repo = specsRepository(ctx, organizationId)
  const oids = listed.map(({ oid }) => oid)
  const blobs = await readBlobs(repo, oids, mostSpecBytes)

  return listed.map(({ path, oid }) => {
    const bytes = blobs.get(oid)
    if (!bytes) throw unreadable(oid)
    return { address: addressOf(path), bytes }
  })
}

const addressOf = (path: string): string => `text:///${path}`
