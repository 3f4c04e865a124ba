import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { seesSpecs } from '../../../actions/clearance/clear-content.ts'
import { readLinkFacts } from '../../../actions/links/read-link-facts.ts'
import {
  backlinksOf,
  brokenByChangeRequest,
  linksOfRevision,
  type Registry,
  withRegistry,
} from '../../../actions/links/read-links.ts'
import { withComputed } from '../../../actions/specs/computed-pages.ts'
import { listSpecSlugs } from '../../../actions/specs/read-spec.ts'
import { type Anchors, anchorSteps, hasAnchor } from '../../../content/links/anchors.ts'
import type { LinkFacts } from '../../../content/links/facts.ts'
import type { RevisionLink } from '../../../content/links/list.ts'
import { missing } from '../../../errors.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { pageOf } from '../../../http/list.ts'
import { sha256 } from '../../../lib/digest.ts'
import { inSlices, pauses } from '../../../lib/slices.ts'
import { answer, until } from '../answer.ts'
import { type Locations, type Looking, locationsOf, type ShownLocations } from './locations.ts'
import { Backlinks, Links } from './schema.ts'

type Query = {
  page?: string | undefined
  limit?: number | undefined
  status?: RevisionLink['status'] | undefined
  brokenContext?: 'change-request' | 'space' | undefined
}

/** Answers with more items are not cached: they would take most of a view's cache. */
const mostKept = 200

/**
 * Answers with a page of the links of a revision, sorted by file and position, with counts of all
 * of them; only of one page when its id is given. Throws 'missing' for an unknown page.
 */
export async function answerLinks(
  open: OpenContent,
  looking: Looking,
  query: Query,
  pageId?: string,
): Promise<Bytes> {
  const { ctx, space, view, signal } = open
  if (pageId !== undefined && !(await hasPage(open, pageId))) throw missing('page', pageId)
  const registry = registryFor(open, looking)
  const { links: all, whole } = await withRegistry(
    await linksOfRevision(ctx, space.id, view),
    registry,
  )
  const path = pageId === undefined ? undefined : view.content.pageById.get(pageId)?.file?.path
  const isAsked = ({ source, page }: RevisionLink) =>
    pageId === undefined || page === pageId || (page === undefined && source === path)
  const broken =
    looking.changeRequest &&
    (await brokenByChangeRequest(ctx, looking.changeRequest, view, registry))
  const { wanted, stats } = await selectLinks(all, { isAsked, broken, query, signal })
  const list = `links ${space.id} ${open.scope} ${pageId ?? ''} ${query.status ?? ''} ${query.brokenContext ?? ''}`
  const page = await pageOf(ctx, query, { name: list, rows: wanted, key: keyOf })
  const locations = await locationsOf(open, looking, page.rows, { targets: true })

  return answer(
    open,
    { ...keeping(list, query, page, locations, whole, stats), schema: Links },
    async () => {
      const shown = await locations.read()
      const anchors = await missingAnchors(open, page.rows)
      const items = page.rows.map(link => () => itemOf(link, shown, anchors.has(link)))
      return jsonOf({ ...page, stats }, items)
    },
  )
}

/** Returns the links in scope that the filters select, and counts of all links in scope. */
async function selectLinks(
  all: readonly RevisionLink[],
  { isAsked, broken, query, signal }: Selection,
): Promise<{ wanted: RevisionLink[]; stats: LinkStats }> {
  const stats: LinkStats = { total: 0, broken: { total: 0, ...(broken && { changeRequest: 0 }) } }
  const wanted: RevisionLink[] = []
  const pause = pauses(signal)

  for (const [at, link] of all.entries()) {
    if (at % 4096 === 4095) await pause()
    if (!isAsked(link)) continue
    const isBroken = link.status === 'broken'
    const isNew = isBroken && broken?.has(at) === true
    stats.total++
    if (isBroken) stats.broken.total++
    if (isNew) stats.broken.changeRequest!++
    if (isSelected(query, link.status, isBroken, isNew)) wanted.push(link)
  }

  return { wanted, stats }
}

type LinkStats = { total: number; broken: { total: number; changeRequest?: number } }

type Selection = {
  isAsked: (link: RevisionLink) => boolean
  /**
   * The indexes of the links that the change request breaks; undefined without a change request.
   */
  broken: ReadonlySet<number> | undefined
  query: Query
  signal: AbortSignal | undefined
}

function isSelected(
  { status, brokenContext }: Query,
  own: RevisionLink['status'],
  isBroken: boolean,
  isNew: boolean,
): boolean {
  if (status !== undefined && own !== status) return false
  if (!brokenContext) return true
  return isBroken && isNew === (brokenContext === 'change-request')
}

/**
 * Answers with a page of the backlinks of a page or file: each page, file or piece of reusable
 * content once. Throws 'missing'.
 */
export async function answerBacklinks(
  open: OpenContent,
  looking: Looking,
  query: Query,
  target: { kind: 'page' | 'file'; id: string },
): Promise<Bytes> {
  const { ctx, space, view } = open
  const isThere =
    target.kind === 'page' ? await hasPage(open, target.id) : view.content.fileById.has(target.id)
  if (!isThere) throw missing(target.kind, target.id)

  const links = await linksOfRevision(ctx, space.id, view)
  const found = await backlinksOf(links, view, target)
  const list = `backlinks ${space.id} ${open.scope} ${target.kind} ${target.id}`
  const page = await pageOf(ctx, query, { name: list, rows: found, key: keyOf })
  const locations = await locationsOf(open, looking, page.rows, { targets: false })

  return answer(
    open,
    { ...keeping(list, query, page, locations, links.whole), schema: Backlinks },
    async () => {
      const shown = await locations.read()
      return jsonOf(
        page,
        page.rows.map(link => () => shown.source(link)),
      )
    },
  )
}

/**
 * Returns whether a page exists; a page computed from a spec has no links in Git, and no file links
 * to it.
 */
async function hasPage({ ctx, space, view }: OpenContent, id: string): Promise<boolean> {
  if (view.content.pageById.has(id)) return true
  const { content } = await withComputed(ctx, space.organization_id, view)
  return content.pageById.has(id)
}

/**
 * Returns how to cache and tag an answer: by the question, and by everything it shows that is not
 * part of the revision.
 */
function keeping(
  list: string,
  query: Query,
  { rows, next }: { rows: readonly RevisionLink[]; next?: { page: string } },
  { stamp }: Locations,
  whole: boolean,
  stats?: object,
) {
  const places = rows.map(({ source, at, status }) => `${source} ${at} ${status}`).join('\n')
  return {
    key: `${list} ${query.limit ?? ''} ${query.page ?? ''}`,
    holds: until(sha256([stamp, JSON.stringify([stats, next]), places].join('\n')), 0),
    keep: whole && rows.length <= mostKept,
  }
}

/** Returns the specs of the organization; for users who may not see them, all that links name. */
function registryFor({ ctx, space }: OpenContent, { user }: Looking): Registry {
  if (!seesSpecs(ctx, space.organization_id, user.id)) return undefined
  return new Set([...listSpecSlugs(ctx, space.organization_id)].map(each => each.toLowerCase()))
}

const keyOf = ({ source, at }: RevisionLink): [string, number] => [source, at]

/** The anchors of files, while the facts about their links are in memory. */
const anchors = new WeakMap<LinkFacts, Anchors>()

async function anchorsOf(facts: LinkFacts): Promise<Anchors> {
  const known = anchors.get(facts)
  if (known) return known
  const found = await inSlices(anchorSteps(facts))
  anchors.set(facts, found)
  return found
}

/**
 * Returns those of the links whose anchor does not exist on the target page. Only for shown links:
 * it reads every heading.
 */
async function missingAnchors(
  { ctx, repo, view }: OpenContent,
  links: readonly RevisionLink[],
): Promise<Set<RevisionLink>> {
  const oidOf = ({ to, fragment }: RevisionLink) =>
    fragment && to.kind === 'page' ? view.content.pageById.get(to.id)?.file?.oid : undefined
  const oids = new Set(links.flatMap(link => oidOf(link) ?? []))
  const { facts } = await readLinkFacts(ctx, repo, [...oids])
  const without = new Set<RevisionLink>()
  const pause = pauses()

  for (const link of links) {
    const known = facts.get(oidOf(link) ?? '')
    if (known && !hasAnchor(await anchorsOf(known), link.fragment!)) without.add(link)
    await pause()
  }

  return without
}

function itemOf(link: RevisionLink, locations: ShownLocations, withoutAnchor: boolean): Buffer[] {
  const { status, how, target, class: kind, source, line } = link
  const leadsTo = locations.target(link)
  const written = {
    target,
    class: kind,
    path: source,
    line,
    ...(withoutAnchor && { anchor: 'missing' }),
  }
  const head = JSON.stringify({ status, relation: how ? 'dependsOn' : 'reference', link: written })

  return [
    Buffer.from(head.slice(0, -1)),
    ...(leadsTo === undefined ? [] : [targetName, ...leadsTo]),
    placesName,
    ...locations.source(link),
    end,
  ]
}

const targetName = Buffer.from(',"targetReference":')
const placesName = Buffer.from(',"locationReferences":[')
const end = Buffer.from(']}')
const comma = Buffer.from(',')

/** Returns the JSON text of a list, a few items at a time: a thousand of them take megabytes. */
async function jsonOf(
  { rows, ...page }: { rows: readonly unknown[]; next?: { page: string }; stats?: object },
  items: readonly (() => Buffer[])[],
): Promise<Buffer> {
  const head = JSON.stringify({ ...page, count: rows.length })
  const pieces: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)]
  const pause = pauses()

  for (const [at, item] of items.entries()) {
    if (at > 0) pieces.push(comma)
    pieces.push(...item())
    if (at % 32 === 31) await pause()
  }

  pieces.push(end)

  return Buffer.concat(pieces)
}
