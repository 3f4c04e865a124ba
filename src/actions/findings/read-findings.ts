import { cacheSlot, stateSlot } from '../../caches.ts'
import { addedFindings } from '../../content/findings/compare.ts'
import { findingSteps } from '../../content/findings/find.ts'
import type { Finding } from '../../content/findings/kinds.ts'
import { isPointer, longestPointer, shortestPointer } from '../../content/findings/pointer.ts'
import { linkSources } from '../../content/links/list.ts'
import type { ContentTree } from '../../content/tree/build.ts'
import { configPath } from '../../content/tree/config.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { objectInfo } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { SharedWork } from '../../lib/shared-work.ts'
import { inSlices, pauses } from '../../lib/slices.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { readLinkFacts } from '../links/read-link-facts.ts'
import { linksOfRevision, type Registry, withRegistry } from '../links/read-links.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { findFile, readSmall } from '../revisions/read-config.ts'
import { streamReadable } from '../revisions/read-content.ts'
import { viewRevision } from '../revisions/view-revision.ts'
import { specFindings } from './spec-findings.ts'

/** The findings of a revision. `whole` is false if a file could not be read. */
type RevisionFindings = { readonly findings: readonly Finding[]; readonly whole: boolean }

/** The findings of revisions by the name of the list of their links, if all files could be read. */
const findingCache = cacheSlot<readonly Finding[]>('findings')

const running = stateSlot(() => new SharedWork<RevisionFindings>())

/** The names of lists of links, which differ by revision and by the specs that a caller knows. */
const listNames = stateSlot(() => ({ names: new WeakMap<object, string>(), last: 0 }))

/** Estimated bytes of a finding beside its texts. */
const findingBytes = 200

function nameOf(ctx: Context, list: object): string {
  const state = ctx.caches.get(listNames)
  const name = state.names.get(list) ?? String(++state.last)
  state.names.set(list, name)
  return name
}

/**
 * Returns the findings of a revision by file and line. `registry` as for `withRegistry`. Throws the
 * reason of `signal` soon after it is aborted.
 */
export async function findingsOfRevision(
  ctx: Context,
  spaceId: string,
  view: RevisionView,
  registry?: Registry,
  signal?: AbortSignal,
): Promise<RevisionFindings> {
  const list = await withRegistry(await linksOfRevision(ctx, spaceId, view), registry)
  const name = nameOf(ctx, list)
  const cache = ctx.caches.get(findingCache)
  const known = cache.get(name)
  if (known) return { findings: known, whole: list.whole }

  const { findings, whole } = await ctx.caches
    .get(running)
    .join(name, signal, stop => find(ctx, spaceId, view, list.links, stop))
  const weight = findings.reduce((sum, each) => sum + weightOf(each), findingBytes)
  if (whole) cache.set(name, findings, weight)

  return { findings, whole: whole && list.whole }
}

const weightOf = ({ file = '', message, advice }: Finding): number =>
  findingBytes + 2 * (file.length + message.length + advice.length)

async function find(
  ctx: Context,
  spaceId: string,
  { content, treeOid, notices }: RevisionView,
  links: Awaited<ReturnType<typeof linksOfRevision>>['links'],
  signal: AbortSignal,
): Promise<RevisionFindings> {
  const repo = spaceRepository(ctx, spaceId)
  const oids = linkSources(content).map(({ oid }) => oid)
  const { facts } = await readLinkFacts(ctx, repo, oids)
  const settings = await readSmall(repo, await findFile(repo, treeOid, configPath))
  const pointers = await pointersOf(repo, content)
  const { findings: others, whole } = await specFindings(ctx, { spaceId, content }, links, signal)
  const source = { tree: content, notices, links, settings, pointers, others }
  const steps = findingSteps({ ...source, facts: oid => facts.get(oid) })
  return { findings: await inSlices(steps, signal), whole }
}

/** How many blobs are looked at together. */
const batch = 1_000

/** Returns the blobs of a tree that are pointers of Git LFS. Only small blobs are read. */
async function pointersOf(repo: Repository, tree: ContentTree): Promise<Set<Oid>> {
  const pages = [...tree.pageByFile.values()].flatMap(({ file }) => file?.oid ?? [])
  const oids = new Set([...tree.files, ...tree.includes].map(({ oid }) => oid))
  for (const oid of pages) oids.add(oid)
  const all = [...oids]
  const pointers = new Set<Oid>()
  const pause = pauses()

  for (let at = 0; at < all.length; at += batch) {
    const infos = await objectInfo(repo, all.slice(at, at + batch))
    const small = [...infos].flatMap(([oid, { size }]) =>
      size >= shortestPointer && size <= longestPointer ? [oid] : [],
    )
    for await (const [oid, bytes] of streamReadable(repo, small, longestPointer)) {
      if (isPointer(bytes)) pointers.add(oid)
      await pause()
    }
  }

  return pointers
}

/**
 * Returns the findings of a change request that the primary content it started from, or was last
 * updated with, does not have. `registry` as for `withRegistry`.
 */
export async function addedByChangeRequest(
  ctx: Context,
  request: ChangeRequestRow,
  view: RevisionView,
  registry: Registry,
): Promise<readonly Finding[]> {
  const { findings } = await findingsOfRevision(ctx, request.space_id, view, registry)
  const base = await findMergeBase(ctx, { ...request, revision: view.oid })
  if (!base) return findings
  const before = await viewRevision(ctx, request.space_id, base)
  const old = await findingsOfRevision(ctx, request.space_id, before, registry)
  return addedFindings(findings, old.findings)
}
