import type { z } from 'zod'
import { checkDescriptions } from '../../access/openapi.ts'
import { roleOnSpace } from '../../access/space.ts'
import type { LinkTo } from '../../content/link-class.ts'
import type { RevisionLink } from '../../content/link-list.ts'
import type { FileNode, PageNode } from '../../content/tree.ts'
import type { Context } from '../../context.ts'
import { findSpecBySlug } from '../../store/openapi-specs.ts'
import { findMember, findOrganization } from '../../store/organizations.ts'
import type { ChangeRequestRow, UserRow } from '../../store/rows.ts'
import { findLatestRevisions, findSpace } from '../../store/spaces.ts'
import type { Role } from '../../store/tables.ts'
import { listOrganizationsOfOwnedTeams } from '../../store/teams.ts'
import { loadChangeRequest } from '../change-requests/load.ts'
import type { OpenContent } from '../content/open-content.ts'
import { presentPages } from '../content/present-page.ts'
import { reusableContentsOf } from '../content/read-tree.ts'
import { presentFiles } from '../files/read.ts'
import { presentSpec } from '../openapi/present.ts'
import { presentOrganization } from '../organizations/present.ts'
import { presentGit, timeOf, typeOf } from '../revisions/present.ts'
import { loadSpace, showSpace } from '../spaces/load.ts'
import type { ContentLocation } from './schema.ts'

export type Looking = { user: UserRow; role: Role; changeRequest?: ChangeRequestRow | undefined }

type Location = z.input<typeof ContentLocation>

/** Gives locations as JSON text: what they share is written out once, as a list may name it a thousand times. */
export type Locations = {
  /** What a link leads to; undefined for a description that is not there, or that they may not see. */
  target: (link: RevisionLink) => string | undefined
  /** The page, file or piece of reusable content that a link stands in. */
  source: (link: RevisionLink) => string
}

/** Presents what links stand in and lead to, as somebody sees it: every space, page and file once. */
export async function locationsOf(
  open: OpenContent,
  looking: Looking,
  links: readonly RevisionLink[],
  { targets }: { targets: boolean },
): Promise<Locations> {
  const { content } = open.view
  const home = await homeOf(open, looking)
  const pages = new Map<string, PageNode>()
  const files = new Map<string, FileNode>()
  const sourceOf = ({ source, page }: RevisionLink) =>
    page === undefined ? content.pageByFile.get(source) : content.pageById.get(page)
  for (const link of links) {
    const page = sourceOf(link)
    const file = page ? undefined : content.fileByPath.get(link.source)
    if (page) pages.set(page.id, page)
    if (file) files.set(file.id, file)
    if (!targets) continue
    const { kind, id = '' } = link.to as { kind: string; id?: string }
    const leadsTo = kind === 'page' && content.pageById.get(id)
    const file2 = kind === 'file' && content.fileById.get(id)
    if (leadsTo) pages.set(leadsTo.id, leadsTo)
    if (file2) files.set(file2.id, file2)
  }
  const shown = {
    page: textsOf(
      presentPages([...pages.values()].map(alone), { content, location: open.location, metadata: true }),
    ),
    file: textsOf(await presentFiles(open, [...files.values()], true)),
    'reusable-content': textsOf(reusableContentsOf(open, true)),
  }
  const placed = (kind: keyof typeof shown, id: string, more = '') => {
    const name = kind === 'reusable-content' ? 'reusableContent' : kind
    return `{"kind":"${kind}",${home},"${name}":${shown[kind].get(id)}${more}}`
  }
  const spaces = spacesFor(open, looking)
  const described = descriptionsFor(open, looking)
  const includes = new Map(content.includes.map(each => [each.path, each.id]))
  return {
    target: ({ to, fragment }) => {
      if (to.kind === 'openapi') return described(to.slug)
      if (to.kind === 'url') return JSON.stringify({ kind: 'url', url: to.url } satisfies Location)
      if (to.kind === 'space') return spaces(to)
      const inside =
        to.kind === 'page' && fragment
          ? `,"internalLocation":${JSON.stringify({ type: 'anchor', anchor: fragment })}`
          : ''
      return placed(to.kind, to.id, inside)
    },
    source: link => {
      const page = sourceOf(link)
      if (page) return placed('page', page.id)
      const file = content.fileByPath.get(link.source)
      if (file) return placed('file', file.id)
      return placed('reusable-content', includes.get(link.source) ?? '')
    },
  }
}

const alone = (node: PageNode): PageNode => ({ ...node, pages: [] })

const textsOf = (shown: readonly { id: string }[]): Map<string, string> =>
  new Map(shown.map(each => [each.id, JSON.stringify(each)]))

/** The fields that all locations in the content share, as JSON without braces. */
async function homeOf(open: OpenContent, { user, role, changeRequest }: Looking): Promise<string> {
  const { ctx, space, view, location, ref } = open
  const versionContext = changeRequest
    ? { type: 'changeRequest', changeRequest: await loadChangeRequest(ctx, changeRequest) }
    : {
        type: 'revision',
        revision: {
          object: 'revision',
          id: view.oid,
          parents: view.parents,
          type: typeOf(view, false),
          pages: [],
          files: [],
          reusableContents: [],
          variables: {},
          createdAt: timeOf(view.committedAt),
          git: presentGit(view, { ref }),
          urls: { app: location, location: `${ctx.publicUrl()}/v1/spaces/${space.id}/revisions/${view.oid}` },
        },
      }
  const viewer = { userId: user.id, role }
  const shownSpace = changeRequest
    ? await loadSpace(ctx, space, viewer)
    : showSpace(ctx, space, viewer, view.oid)
  const shared = {
    organization: organizationFor(open, user, space.organization_id),
    space: shownSpace,
    versionContext,
  }
  return JSON.stringify(shared).slice(1, -1)
}

function organizationFor({ ctx }: OpenContent, user: UserRow, id: string) {
  const row = findOrganization(ctx.store, id)!
  const member = findMember(ctx.store, id, user.id)
  const ownsTeam = listOrganizationsOfOwnedTeams(ctx.store, user.id).has(id)
  return presentOrganization(row, { role: member?.role ?? null, ownsTeam }, ctx.publicUrl())
}

/** Other spaces as somebody sees them: of one that they may not read, or that is not here, the address alone. */
function spacesFor(open: OpenContent, { user }: Looking): (to: Extract<LinkTo, { kind: 'space' }>) => string {
  const { ctx } = open
  const seen = new Map<string, string | undefined>()
  const look = (id: string): string | undefined => {
    const row = findSpace(ctx.store, id)
    const role = row && row.deleted_at === null ? roleOnSpace(ctx, row, user.id) : null
    if (!row || !role) return undefined
    const organization = organizationFor(open, user, row.organization_id)
    const revision = findLatestRevisions(ctx.store, [id]).get(id) ?? ''
    return JSON.stringify({
      kind: 'space',
      organization,
      space: showSpace(ctx, row, { userId: user.id, role }, revision),
    } satisfies Location)
  }
  return ({ space, url }) => {
    if (!seen.has(space)) seen.set(space, look(space))
    return seen.get(space) ?? JSON.stringify({ kind: 'url', url } satisfies Location)
  }
}

/** Whether somebody may see the descriptions of an organization. */
export const seesDescriptions = (ctx: Context, organizationId: string, user: UserRow): boolean =>
  (findMember(ctx.store, organizationId, user.id)?.role ?? null) !== null

function descriptionsFor(open: OpenContent, { user }: Looking): (slug: string) => string | undefined {
  const { ctx, space } = open
  const id = space.organization_id
  const seen = new Map<string, string | undefined>()
  const look = (slug: string): string | undefined => {
    const spec = seesDescriptions(ctx, id, user) ? findSpecBySlug(ctx.store, id, slug) : undefined
    if (!spec) return undefined
    const { mayEdit } = checkDescriptions(ctx, id, user, 'view')
    return JSON.stringify({
      kind: 'openapi',
      organization: organizationFor(open, user, id),
      openAPISpec: presentSpec(spec, mayEdit, ctx.publicUrl()),
    } satisfies Location)
  }
  return slug => {
    if (!seen.has(slug)) seen.set(slug, look(slug))
    return seen.get(slug)
  }
}
