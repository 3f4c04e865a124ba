import {
  linkSources,
  newlyBrokenSteps,
  type RevisionLink,
  revisionLinkSteps,
} from '../../content/links/list.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { isWhole, viewRevision } from '../revisions/view-revision.ts'
import { readLinkFacts } from './read-link-facts.ts'

/** The links of a revision, by the path of their file and the place in it. Never changed. */
export type RevisionLinks = {
  readonly links: readonly RevisionLink[]
  readonly broken: number
  /** How many name a description in the organization's registry by its slug. */
  readonly described: number
  /** False: a file could not be read. It can be, once the repository is mended. */
  readonly whole: boolean
}

/** The most bytes of links kept in memory, estimated. */
const cacheBytes = 96 * 1024 * 1024
const weigh = (links: readonly RevisionLink[]): number => 1_000 + links.length * 250

/** Links by space, commit and address of the server; only for the very view they were found with: ids may be other ones in the next. */
const kept = new BoundedCache<string, { view: WeakRef<RevisionView>; links: RevisionLinks }>(cacheBytes)
const loading = new WeakMap<RevisionView, Promise<RevisionLinks>>()

/**
 * The links of a revision: where each stands, what it leads to, whether that is there. Worked out once for a view, of what
 * is kept for each blob. Links to descriptions in the registry count as good: whether one is there, rows say, not Git.
 */
export async function linksOfRevision(
  ctx: Context,
  spaceId: string,
  view: RevisionView,
): Promise<RevisionLinks> {
  const key = `${spaceId} ${view.oid} ${ctx.publicUrl()}`
  const held = kept.get(key)
  if (held?.view.deref() === view) return held.links
  const pending = loading.get(view)
  if (pending) return pending
  const load = findAll(ctx, spaceId, view)
    .then(links => {
      // One that weighs more than all may together is held alone.
      const weight = Math.min(weigh(links.links), cacheBytes)
      if (links.whole && isWhole(view)) kept.set(key, { view: new WeakRef(view), links }, weight)
      return links
    })
    .finally(() => loading.delete(view))
  loading.set(view, load)
  return load
}

async function findAll(ctx: Context, spaceId: string, { content }: RevisionView): Promise<RevisionLinks> {
  const oids = linkSources(content).map(source => source.oid)
  const { facts, whole } = await readLinkFacts(ctx, spaceRepository(ctx, spaceId), oids)
  const home = { spaceId, own: ctx.publicUrl() }
  const links = await inSlices(revisionLinkSteps(content, home, oid => facts.get(oid)))
  return inSlices(countSteps(links, whole))
}

function* countSteps(links: readonly RevisionLink[], whole: boolean): Steps<RevisionLinks> {
  let broken = 0
  let described = 0
  for (const [at, { status, to }] of links.entries()) {
    if (at % 4096 === 4095) yield
    if (status === 'broken') broken++
    if (to.kind === 'openapi') described++
  }
  return { links, broken, described, whole }
}

/** The slugs of the descriptions that are there, in small letters; undefined: all count as there. */
export type Registry = ReadonlySet<string> | undefined

/** What links came to with a registry, and which it was. */
const registered = new WeakMap<RevisionLinks, { slugs: string; links: RevisionLinks }>()

/** The same links, of which those to descriptions are broken that the registry does not have; the same list while it is. */
export async function withRegistry(links: RevisionLinks, registry: Registry): Promise<RevisionLinks> {
  if (links.described === 0 || !registry) return links
  const slugs = [...registry].join(' ')
  const known = registered.get(links)
  if (known?.slugs === slugs) return known.links
  const marked = await inSlices(markSteps(links, registry))
  registered.set(links, { slugs, links: marked })
  return marked
}

function* markSteps({ links, whole }: RevisionLinks, slugs: ReadonlySet<string>): Steps<RevisionLinks> {
  const marked: RevisionLink[] = []
  for (const link of links) {
    const isGone = link.to.kind === 'openapi' && !slugs.has(link.to.slug.toLowerCase())
    marked.push(isGone ? { ...link, status: 'broken' } : link)
    if (marked.length % 4096 === 0) yield
  }
  return yield* countSteps(marked, whole)
}

/** What a list of links broke of another one. */
const brokenOf = new WeakMap<RevisionLinks, { old: RevisionLinks | undefined; broken: ReadonlySet<number> }>()

/**
 * Which links of a change request's revision it breaks, by their places in the list: they are broken there, and where its
 * branch and the primary content last had the same history they were not, or were not there. `registry` as for `withRegistry`.
 */
export async function brokenByChangeRequest(
  ctx: Context,
  request: ChangeRequestRow,
  view: RevisionView,
  registry: Registry,
): Promise<ReadonlySet<number>> {
  const read = async (revision: RevisionView) =>
    withRegistry(await linksOfRevision(ctx, request.space_id, revision), registry)
  const links = await read(view)
  const base = await findMergeBase(ctx, { ...request, revision: view.oid })
  const before = base ? await viewRevision(ctx, request.space_id, base as Oid) : undefined
  const old = before ? await read(before) : undefined
  const known = brokenOf.get(links)
  if (known && known.old === old) return known.broken
  const sameFile = ({ source, page }: RevisionLink, when: 'now' | 'before') => {
    const content = when === 'now' ? view.content : before?.content
    return page ?? content?.pageByFile.get(source)?.id ?? content?.fileByPath.get(source)?.id ?? source
  }
  const broken = await inSlices(newlyBrokenSteps(links.links, old?.links ?? [], sameFile))
  brokenOf.set(links, { old, broken })
  return broken
}

/** The places of the links that lead to something of the revision, by kind and id; links of a file to itself left out. */
const indexes = new WeakMap<RevisionLinks, Map<string, number[]>>()

/** The links that lead to a page or file of the revision from elsewhere, the first of each file. */
export async function backlinksOf(
  links: RevisionLinks,
  view: RevisionView,
  target: { kind: 'page' | 'file'; id: string },
): Promise<RevisionLink[]> {
  let index = indexes.get(links)
  if (!index) {
    index = await inSlices(indexSteps(links, view))
    indexes.set(links, index)
  }
  return (index.get(`${target.kind} ${target.id}`) ?? []).map(at => links.links[at]!)
}

function* indexSteps({ links }: RevisionLinks, { content }: RevisionView): Steps<Map<string, number[]>> {
  const index = new Map<string, number[]>()
  const last = new Map<string, string>()
  for (const [at, { to, source, page }] of links.entries()) {
    if (at % 4096 === 4095) yield
    if (to.kind !== 'page' && to.kind !== 'file') continue
    const key = `${to.kind} ${to.id}`
    const own = content.pageByFile.get(source)?.id ?? content.fileByPath.get(source)?.id
    const from = page ?? source
    if (own === to.id || last.get(key) === from) continue
    last.set(key, from)
    const places = index.get(key)
    if (places) places.push(at)
    else index.set(key, [at])
  }
  return index
}
