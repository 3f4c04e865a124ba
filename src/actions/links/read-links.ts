import { cacheSlot } from '../../caches.ts'
import { syntaxIssues } from '../../content/findings/syntax.ts'
import {
  linkSources,
  newlyBrokenSteps,
  type RevisionLink,
  revisionLinkSteps,
} from '../../content/links/list.ts'
import type { TreeIssue } from '../../content/text/issues.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import type { ChangeRequestRow } from '../../store/tables/rows.ts'
import { findMergeBase } from '../heads/find-merge-base.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { isWhole, viewRevision } from '../revisions/view-revision.ts'
import { readLinkFacts } from './read-link-facts.ts'

/** The links of a revision, ordered by file and position. Never changed. */
export type RevisionLinks = {
  readonly links: readonly RevisionLink[]
  readonly broken: number
  /** How many name an OpenAPI spec of the organization by its slug. */
  readonly described: number
  /** Sentences about syntax of other tools that is not understood. */
  readonly issues: readonly TreeIssue[]
  /** False: a file could not be read because the repository is damaged. */
  readonly whole: boolean
}

const weigh = ({ links, issues }: RevisionLinks): number =>
  1_000 + links.length * 250 + issues.length * 500

/**
 * Links by space, commit and address of the server. Each belongs to one view: another view of the
 * commit may have other ids.
 */
const linkCache = cacheSlot<{ view: WeakRef<RevisionView>; links: RevisionLinks }>('links')
const loading = new WeakMap<RevisionView, Promise<RevisionLinks>>()

/**
 * Returns the links of a revision: where each is, what it leads to, and whether that exists.
 * Computed once per view from the cached facts of each blob. Links to OpenAPI specs count as valid:
 * `withRegistry` checks them against rows.
 */
export async function linksOfRevision(
  ctx: Context,
  spaceId: string,
  view: RevisionView,
): Promise<RevisionLinks> {
  const key = `${spaceId} ${view.oid} ${ctx.publicUrl()}`
  const cache = ctx.caches.get(linkCache)
  const held = cache.get(key)
  if (held?.view.deref() === view) return held.links

  const pending = loading.get(view)
  if (pending) return pending

  const load = findAll(ctx, spaceId, view)
    .then(links => {
      // A list over the whole limit is cached alone.
      const weight = Math.min(weigh(links), cache.limit)
      if (links.whole && isWhole(view)) cache.set(key, { view: new WeakRef(view), links }, weight)
      return links
    })
    .finally(() => loading.delete(view))

  loading.set(view, load)

  return load
}

async function findAll(
  ctx: Context,
  spaceId: string,
  { content }: RevisionView,
): Promise<RevisionLinks> {
  const sources = linkSources(content)
  const oids = sources.map(source => source.oid)
  const { facts, whole } = await readLinkFacts(ctx, spaceRepository(ctx, spaceId), oids)
  const home = { spaceId, own: ctx.publicUrl() }
  const links = await inSlices(revisionLinkSteps(content, home, oid => facts.get(oid)))
  const unread = sources.map(({ path, oid }) => ({ path, unread: facts.get(oid)?.unread ?? [] }))
  const issues = await inSlices(syntaxIssues(unread))
  return inSlices(countSteps(links, { issues, whole }))
}

function* countSteps(
  links: readonly RevisionLink[],
  more: Pick<RevisionLinks, 'issues' | 'whole'>,
): Steps<RevisionLinks> {
  let broken = 0
  let described = 0
  for (const [at, { status, to }] of links.entries()) {
    if (at % 4096 === 4095) yield
    if (status === 'broken') broken++
    if (to.kind === 'openapi') described++
  }
  return { links, broken, described, ...more }
}

/** The lower-case slugs of the specs that exist; undefined: all count as existing. */
export type Registry = ReadonlySet<string> | undefined

/** The last result of `withRegistry` for a list, and the slugs it was made with. */
const registered = new WeakMap<RevisionLinks, { slugs: string; links: RevisionLinks }>()

/** Marks links to unknown specs as broken; memoised per list and registry. */
export async function withRegistry(
  links: RevisionLinks,
  registry: Registry,
): Promise<RevisionLinks> {
  if (links.described === 0 || !registry) return links
  const slugs = [...registry].join(' ')
  const known = registered.get(links)
  if (known?.slugs === slugs) return known.links
  const marked = await markLinks(links, link =>
    link.to.kind === 'openapi' && !registry.has(link.to.slug.toLowerCase())
      ? { ...link, status: 'broken' }
      : link,
  )
  registered.set(links, { slugs, links: marked })
  return marked
}

/** Returns a list with each link as `mark` returns it. */
export const markLinks = (
  list: RevisionLinks,
  mark: (link: RevisionLink) => RevisionLink,
): Promise<RevisionLinks> => inSlices(markSteps(list, mark))

function* markSteps(
  { links, issues, whole }: RevisionLinks,
  mark: (link: RevisionLink) => RevisionLink,
): Steps<RevisionLinks> {
  const marked: RevisionLink[] = []
  for (const link of links) {
    marked.push(mark(link))
    if (marked.length % 4096 === 0) yield
  }
  return yield* countSteps(marked, { issues, whole })
}

/** The links that a list breaks compared with an older one. */
const brokenOf = new WeakMap<
  RevisionLinks,
  { old: RevisionLinks | undefined; broken: ReadonlySet<number> }
>()

/**
 * Returns the indexes of the links that a change request breaks: they are broken in its revision,
 * and at the merge base with the primary content they were not, or did not exist. `mark` returns a
 * list with what depends on rows.
 */
export async function brokenByChangeRequest(
  ctx: Context,
  request: ChangeRequestRow,
  view: RevisionView,
  mark: (links: RevisionLinks) => Promise<RevisionLinks>,
): Promise<ReadonlySet<number>> {
  const read = async (revision: RevisionView) =>
    mark(await linksOfRevision(ctx, request.space_id, revision))
  const links = await read(view)
  const base = await findMergeBase(ctx, { ...request, revision: view.oid })
  const before = base ? await viewRevision(ctx, request.space_id, base) : undefined
  const old = before ? await read(before) : undefined
  const known = brokenOf.get(links)
  if (known && known.old === old) return known.broken

  const sameFile = ({ source, page }: RevisionLink, when: 'now' | 'before') => {
    const content = when === 'now' ? view.content : before?.content
    return (
      page ?? content?.pageByFile.get(source)?.id ?? content?.fileByPath.get(source)?.id ?? source
    )
  }
  const broken = await inSlices(newlyBrokenSteps(links.links, old?.links ?? [], sameFile))

  brokenOf.set(links, { old, broken })

  return broken
}

/**
 * The indexes of the links to each page or file, by kind and id; links of a file to itself are left
 * out.
 */
const indexes = new WeakMap<RevisionLinks, Map<string, number[]>>()

/**
 * Returns the links to a page or file from elsewhere in the revision, the first of each source
 * file.
 */
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

function* indexSteps(
  { links }: RevisionLinks,
  { content }: RevisionView,
): Steps<Map<string, number[]>> {
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
