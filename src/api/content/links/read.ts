import type { OpenContent } from '../../../actions/audience/open-content.ts'
import { seesSpecs } from '../../../actions/clearance/clear-content.ts'
import {
  backlinksOf,
  brokenByChangeRequest,
  linksOfRevision,
  type RevisionLinks,
  withRegistry,
} from '../../../actions/links/read-links.ts'
import { selectLinks } from '../../../actions/links/select-links.ts'
import { withComputed } from '../../../actions/specs/computed-pages.ts'
import { listSpecSlugs } from '../../../actions/specs/read-spec.ts'
import type { RevisionLink } from '../../../content/links/list.ts'
import { missing } from '../../../errors.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { jsonArray, jsonObject } from '../../../http/json-text.ts'
import { pageOf } from '../../../http/list.ts'
import { sha256 } from '../../../lib/digest.ts'
import { answer, until } from '../answer.ts'
import { type Locations, type Looking, locationsOf, type ShownLocations } from './locations.ts'
import { withOwnSites } from './own-sites.ts'
import { Backlinks, Links } from './schema.ts'

type Query = {
  page?: string | undefined
  limit?: number | undefined
  status?: RevisionLink['status'] | undefined
  brokenContext?: 'change-request' | 'space' | undefined
  fields?: 'link' | undefined
}

/** The most issues of an answer. */
const mostIssues = 200

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
  const mark = markerFor(open, looking)
  const { links: all, issues, whole } = await mark(await linksOfRevision(ctx, space.id, view))
  const path = pageId === undefined ? undefined : view.content.pageById.get(pageId)?.file?.path
  const isAsked = ({ source, page }: RevisionLink) =>
    pageId === undefined || page === pageId || (page === undefined && source === path)
  const broken =
    looking.changeRequest && (await brokenByChangeRequest(ctx, looking.changeRequest, view, mark))
  const { wanted, stats } = await selectLinks(all, {
    isAsked,
    broken,
    filters: query,
    signal,
  })
  const isFirst = query.page === undefined
  const asked = issues.filter(each => isFirst && (pageId === undefined || each.path === path))
  const shownIssues = asked.length > 0 ? { issues: asked.slice(0, mostIssues) } : {}
  const list = `links ${space.id} ${open.scope} ${pageId ?? ''} ${query.status ?? ''} ${query.brokenContext ?? ''}`
  const page = await pageOf(ctx, query, { name: list, rows: wanted, key: keyOf })
  const { rows, ...next } = page
  const locations = await locationsOf(open, looking, rows, { targets: true })

  return answer(
    open,
    { ...keeping(list, query, page, locations, whole, { stats, ...shownIssues }), schema: Links },
    async () => {
      const shown = query.fields === 'link' ? undefined : await locations.read()
      const items = await jsonArray(rows, link => itemOf(link, shown))
      return Buffer.concat(
        jsonObject({ ...next, ...shownIssues, stats, count: rows.length }, { items }),
      )
    },
  )
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
  const { rows, ...next } = page
  const locations = await locationsOf(open, looking, rows, { targets: false })

  return answer(
    open,
    { ...keeping(list, query, page, locations, links.whole), schema: Backlinks },
    async () => {
      const shown = await locations.read()
      const items = await jsonArray(rows, shown.source)
      return Buffer.concat(jsonObject({ ...next, count: rows.length }, { items }))
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
  head?: object,
) {
  const places = rows.map(({ source, at, status }) => `${source} ${at} ${status}`).join('\n')
  return {
    key: `${list} ${query.limit ?? ''} ${query.page ?? ''} ${query.fields ?? ''}`,
    holds: until(sha256([stamp, JSON.stringify([head, next]), places].join('\n')), 0),
    keep: whole && rows.length <= mostKept,
  }
}

/**
 * Returns a function that marks links by what they lead to outside of the revision: specs of the
 * organization, where the viewer may see them, and published sites.
 */
function markerFor({ ctx, space, signal }: OpenContent, { user, tokenId }: Looking) {
  const registry = seesSpecs(ctx, space.organization_id, user.id)
    ? new Set([...listSpecSlugs(ctx, space.organization_id)].map(each => each.toLowerCase()))
    : undefined
  const asker = tokenId === null ? undefined : { userId: user.id, tokenId }
  return async (links: RevisionLinks): Promise<RevisionLinks> =>
    withOwnSites(ctx, await withRegistry(links, registry), asker, signal)
}

const keyOf = ({ source, at }: RevisionLink): [string, number] => [source, at]

const none = [Buffer.from('[]')]

async function itemOf(
  link: RevisionLink,
  locations: ShownLocations | undefined,
): Promise<Buffer[]> {
  const { status, how, target, class: kind, source, line, anchor } = link
  const written = {
    target,
    class: kind,
    path: source,
    line,
    ...(anchor && { anchor }),
  }
  const head = { status, relation: how ? 'dependsOn' : 'reference', link: written }

  return jsonObject(head, {
    ...(locations && { targetReference: locations.target(link) }),
    locationReferences: locations ? await jsonArray([link], locations.source) : none,
  })
}
