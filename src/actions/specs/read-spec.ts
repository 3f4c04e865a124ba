import { describeVersion, type OpenapiOutline } from '../../content/openapi/describe.ts'
import type { Context } from '../../context.ts'
import { readBlobs, unreadable } from '../../git/objects/objects.ts'
import { listFiles, type TreeFile } from '../../git/trees/tree-files.ts'
import { isGitError } from '../../git/values/errors.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { findSpecBySlug, listSpecSlugs as slugsIn } from '../../store/openapi/specs.ts'
import { findOutline, findPiece, findVersion, hasOutline } from '../../store/openapi/versions.ts'
import type { OpenapiSpecRow, OpenapiVersionRow } from '../../store/tables/rows.ts'
import { specsRepository } from '../repositories/specs-repository.ts'
import { type DescriptionFile, mostDescriptionBytes, readAgain } from './gather-spec.ts'
import { keepDescription } from './keep-spec.ts'

/** What the latest version of a description says, in outline. */
export type FoundDescription = { specId: string; slug: string; versionId: string; outline: OpenapiOutline }

/** Outlines by version, weighed by the length of their JSON. */
const outlines = new WeakMap<Context['store'], BoundedCache<string, OpenapiOutline>>()
const mostOutlines = 16 * 1024 * 1024

/** The latest version of a description by its slug, without looking into it; undefined when there is none yet. */
export const latestVersion = (
  ctx: Context,
  organizationId: string,
  slug: string,
): { specId: string; slug: string; versionId: string } | undefined =>
  ctx.store.remember(`openapi ${organizationId} ${slug}`, () => {
    const spec = findSpecBySlug(ctx.store, organizationId, slug)
    if (!spec?.last_version) return undefined
    return { specId: spec.id, slug: spec.slug, versionId: spec.last_version }
  })

/**
 * What the latest version of an organization's description says; undefined when there is no such description, or no
 * version of it yet. What was derived from it and forgotten is made again first, which takes seconds for a large one.
 */
export async function findDescription(
  ctx: Context,
  organizationId: string,
  slug: string,
): Promise<FoundDescription | undefined> {
  const latest = latestVersion(ctx, organizationId, slug)
  if (!latest) return undefined
  const { specId, versionId } = latest
  const outline =
    keptOutline(ctx, versionId) ??
    (await ctx.locks.run(`describe ${versionId}`, async () => {
      const isDue = !hasOutline(ctx.store, versionId, describeVersion) && !isGivenUp(versionId)
      if (isDue) await derive(ctx, organizationId, latest)
      return keptOutline(ctx, versionId)
    }))
  return outline && { specId, slug: latest.slug, versionId, outline }
}

/**
 * What tells whether pages show descriptions as they did, by their slugs: their versions, how pages are made of them, and
 * which of them cannot be read now.
 */
export async function shownStamp(
  ctx: Context,
  organizationId: string,
  slugs: readonly string[],
): Promise<string> {
  const stamps: string[] = []
  for (const slug of slugs) {
    const found = await findDescription(ctx, organizationId, slug)
    const version = found?.versionId ?? latestVersion(ctx, organizationId, slug)?.versionId
    const seen = version === undefined ? '' : `${version}/${describeVersion}${found ? '' : ' !'}`
    stamps.push(`${slug}=${seen}`)
  }
  return stamps.join(' ')
}

/** A piece of a version that `findDescription` gave, as Markdown; undefined when it has none of that key. */
export const readPiece = (ctx: Context, versionId: string, key: string): string | undefined =>
  findPiece(ctx.store, versionId, key)

/** The slugs of all descriptions of an organization, also of those that have no version yet. */
export const listSpecSlugs = (ctx: Context, organizationId: string): ReadonlySet<string> =>
  ctx.store.remember(`openapi slugs ${organizationId}`, () => new Set(slugsIn(ctx.store, organizationId)))

/** The files of a version, in the order of their paths. */
export async function listDescriptionFiles(
  ctx: Context,
  { organization_id }: Pick<OpenapiSpecRow, 'organization_id'>,
  { id }: Pick<OpenapiVersionRow, 'id'>,
): Promise<TreeFile[]> {
  return (await listFiles(specsRepository(ctx, organization_id), id as Oid)).files
}

function keptOutline(ctx: Context, versionId: string): OpenapiOutline | undefined {
  const cache = outlines.get(ctx.store) ?? new BoundedCache<string, OpenapiOutline>(mostOutlines)
  outlines.set(ctx.store, cache)
  const known = cache.get(versionId)
  // Its pieces may have been forgotten since.
  const isThere = () => hasOutline(ctx.store, versionId, describeVersion)
  if (known && ctx.store.remember(`openapi outline ${versionId}`, isThere)) return known
  const json = findOutline(ctx.store, versionId, describeVersion)?.outline
  if (!json) return undefined
  const outline = JSON.parse(json) as OpenapiOutline
  cache.set(versionId, outline, json.length)
  return outline
}

/** When versions were last given up before they were read to their end, in milliseconds, and how long that holds. */
const givenUp = new BoundedCache<string, number>(1_000)
const givenUpMs = 10 * 60_000

const isGivenUp = (versionId: string): boolean => Date.now() - (givenUp.get(versionId) ?? 0) < givenUpMs

/** Derives from the files of a version again what was forgotten, or was derived by another describer. */
async function derive(
  ctx: Context,
  organizationId: string,
  { specId, versionId }: { specId: string; versionId: string },
): Promise<void> {
  const version = findVersion(ctx.store, specId, versionId)
  if (!version) return
  try {
    const files = await filesOf(ctx, organizationId, version)
    const stop = new AbortController().signal
    const read = await readAgain(ctx, files, addressOf(version.entry), stop)
    const nothing = { outline: null, pieces: new Uint8Array() }
    if ('unfinished' in read) givenUp.set(versionId, Date.now(), 1)
    else await keepDescription(ctx, { specId, versionId }, 'code' in read ? nothing : read)
  } catch (error) {
    // A repository that is damaged keeps nobody from reading the page.
    if (!isGitError(error)) throw error
    ctx.log.error({ spec: specId, err: error.message }, 'a version of a description cannot be read')
  }
}

async function filesOf(
  ctx: Context,
  organizationId: string,
  version: OpenapiVersionRow,
): Promise<DescriptionFile[]> {
  const listed = await listDescriptionFiles(ctx, { organization_id: organizationId }, version)
  const repo = specsRepository(ctx, organizationId)
  const oids = listed.map(({ oid }) => oid)
  const blobs = await readBlobs(repo, oids, mostDescriptionBytes)
  return listed.map(({ path, oid }) => {
    const bytes = blobs.get(oid)
    if (!bytes) throw unreadable(oid)
    return { address: addressOf(path), bytes }
  })
}

const addressOf = (path: string): string => `text:///${path}`
