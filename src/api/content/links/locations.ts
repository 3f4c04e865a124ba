import type { z } from 'zod'
import type { OpenContent } from '../../../actions/audience/open-content.ts'
import type { RevisionLink } from '../../../content/links/list.ts'
import type { ContentTree, FileNode, PageNode } from '../../../content/tree/build.ts'
import { fileAddresses } from '../../../files/address.ts'
import { timeOf } from '../../../git/values/commit-time.ts'
import { findChangeRequestByMerge } from '../../../store/discussions/change-requests.ts'
import { findServiceCommits } from '../../../store/git/service-commits.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { ChangeRequestRow, UserRow } from '../../../store/tables/rows.ts'
import { loadSpace, showSpace } from '../../spaces/load.ts'
import { loadChangeRequest } from '../change-requests/load.ts'
import { presentFiles } from '../files/read.ts'
import { presentPages } from '../present-page.ts'
import { reusableContentsOf } from '../read-tree.ts'
import { presentGit, typeOf } from '../revisions/present.ts'
import { externalTargets, isExternal, organizationFor } from './external-targets.ts'
import type { ContentLocation } from './schema.ts'

export type Looking = {
  user: UserRow
  role: Role
  /** The id of the token of the request. */
  tokenId: string | null
  changeRequest?: ChangeRequestRow | undefined
}

type Location = z.input<typeof ContentLocation>

/**
 * Locations as JSON in pieces: shared parts are encoded once, because a list may repeat them a
 * thousand times.
 */
export type ShownLocations = {
  /**
   * Returns the target of a link; undefined for a spec that is missing or hidden from the viewer.
   */
  target: (link: RevisionLink) => Buffer[] | undefined
  /** Returns the page, file or piece of reusable content that contains a link. */
  source: (link: RevisionLink) => Buffer[]
}

export type Locations = {
  /**
   * Identifies everything shown that is not part of the revision: rows, the viewer, URLs that
   * change with time.
   */
  stamp: string
  read: () => Promise<ShownLocations>
}

/**
 * Returns a presenter of the sources and, with `targets`, the targets of links as the viewer sees
 * them: every space, page and file once.
 */
export async function locationsOf(
  open: OpenContent,
  looking: Looking,
  links: readonly RevisionLink[],
  { targets }: { targets: boolean },
): Promise<Locations> {
  const home = await homeOf(open, looking)
  const external = externalTargets(open, looking.user)
  const seen = targets ? links.map(({ to }) => (isExternal(to) ? external(to) : '')).join('') : ''
  const read = async (): Promise<ShownLocations> => {
    const { content } = open.view
    const inside = await insideOf(open, links, targets)
    const shared = Buffer.from(home)
    const placed = (kind: Inside, id: string, more = '') => [
      heads[kind],
      shared,
      names[kind],
      inside[kind].get(id) as Buffer,
      Buffer.from(`${more}}`),
    ]
    const includes = new Map(content.includes.map(each => [each.path, each.id]))

    return {
      target: ({ to, fragment }) => {
        if (to.kind === 'url') return [json({ kind: 'url', url: to.url } satisfies Location)]
        if (isExternal(to)) {
          const shown = external(to)
          return shown === undefined ? undefined : [Buffer.from(shown)]
        }
        if (to.kind !== 'page' || !fragment) return placed(to.kind, to.id)
        const anchor = JSON.stringify({ type: 'anchor', anchor: fragment })
        return placed(to.kind, to.id, `,"internalLocation":${anchor}`)
      },
      source: link => {
        const page = pageOf(content, link)
        if (page) return placed('page', page.id)
        const file = content.fileByPath.get(link.source)
        if (file) return placed('file', file.id)
        return placed('reusable-content', includes.get(link.source) ?? '')
      },
    }
  }

  return { stamp: [home, fileAddresses(open.ctx, open.space, open).stamp, seen].join('\n'), read }
}

type Inside = 'page' | 'file' | 'reusable-content'

const heads: Record<Inside, Buffer> = {
  page: Buffer.from('{"kind":"page",'),
  file: Buffer.from('{"kind":"file",'),
  'reusable-content': Buffer.from('{"kind":"reusable-content",'),
}
const names: Record<Inside, Buffer> = {
  page: Buffer.from(',"page":'),
  file: Buffer.from(',"file":'),
  'reusable-content': Buffer.from(',"reusableContent":'),
}
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))

/** Returns the page that contains a link, or whose entry in the table of contents is the link. */
const pageOf = (content: ContentTree, { source, page }: RevisionLink): PageNode | undefined =>
  page === undefined ? content.pageByFile.get(source) : content.pageById.get(page)

/** Returns the pages, files and reusable content that links name, as JSON by id. */
async function insideOf(
  open: OpenContent,
  links: readonly RevisionLink[],
  targets: boolean,
): Promise<Record<Inside, Map<string, Buffer>>> {
  const { app, home, view } = open
  const { content } = view
  const pages = new Set<PageNode>()
  const files = new Set<FileNode>()

  for (const link of links) {
    const page = pageOf(content, link)
    const file = page ? undefined : content.fileByPath.get(link.source)
    const { to } = link
    const toPage = targets && to.kind === 'page' ? content.pageById.get(to.id) : undefined
    const toFile = targets && to.kind === 'file' ? content.fileById.get(to.id) : undefined
    for (const each of [page, toPage]) if (each) pages.add(each)
    for (const each of [file, toFile]) if (each) files.add(each)
  }

  const alone = [...pages].map((node): PageNode => ({ ...node, pages: [] }))

  return {
    page: textsOf(presentPages(alone, { content, app, home, metadata: true })),
    file: textsOf(await presentFiles(open, [...files], true)),
    'reusable-content': textsOf(reusableContentsOf(open, true)),
  }
}

const textsOf = (shown: readonly { id: string }[]): Map<string, Buffer> =>
  new Map(shown.map(each => [each.id, json(each)]))

/** Returns the fields that all locations in the content share, as JSON without braces. */
async function homeOf(open: OpenContent, { user, role, changeRequest }: Looking): Promise<string> {
  const { ctx, space, view, app, ref } = open
  const merged = changeRequest ? undefined : findChangeRequestByMerge(ctx.store, space.id, view.oid)
  const made = findServiceCommits(ctx.store, space.id, [view.oid]).get(view.oid)
  const versionContext = changeRequest
    ? { type: 'changeRequest', changeRequest: await loadChangeRequest(ctx, changeRequest, user.id) }
    : {
        type: 'revision',
        revision: {
          object: 'revision',
          id: view.oid,
          parents: view.parents,
          type: typeOf(made),
          ...(merged && { mergedFrom: await loadChangeRequest(ctx, merged, user.id) }),
          pages: [],
          files: [],
          reusableContents: [],
          tags: [],
          variables: {},
          createdAt: timeOf(view.committedAt),
          git: presentGit(view, { made, ref }),
          urls: {
            app: app.content,
            location: `${ctx.publicUrl()}/v1/spaces/${space.id}/revisions/${view.oid}`,
          },
        },
      }
  const viewer = { userId: user.id, role }
  const shownSpace = changeRequest
    ? await loadSpace(ctx, space, viewer)
    : showSpace(ctx, space, viewer, view.oid)
  const shared = {
    organization: organizationFor(ctx, user, space.organization_id),
    space: shownSpace,
    versionContext,
  }

  return JSON.stringify(shared).slice(1, -1)
}
