import { primaryContent } from '../../access/guards/content.ts'
import { atLeast } from '../../access/roles.ts'
import { covers } from '../../access/scopes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { CommentQuery } from '../comments/comment-query.ts'
import { CommentedText } from '../comments/commented-text.tsx'
import { type PageThreads, readPageThreads } from '../comments/page-threads.ts'
import { page } from '../frame/page.ts'
import { A, ButtonLink } from '../parts/link.tsx'
import { More } from '../parts/more.tsx'
import { Empty, Note } from '../parts/pieces.tsx'
import { branchIds, firstPage, type OpenPage, openPage } from './open-space.ts'
import { pageHtml } from './page-html.ts'
import { PageList } from './page-list.tsx'
import { revisionOfPath } from './revision-of-path.ts'
import { tabsOf } from './tabs.ts'

type Loaded = OpenPage & { html: string; threads?: PageThreads | undefined }

type Loading = Parameters<typeof openPage>[0] & {
  hold: (characters: number) => Promise<void>
  at: (path: string) => string
}

/** The comments that a page shows, and one that must be among them. */
type Comments = { comment: string | undefined }

/** Loads a page of a space; `path` is that of its content, to which `/p/<id>` is added. */
async function loadPage(
  loading: Loading,
  { id, path, comments }: { id: string | undefined; path: string; comments?: Comments | undefined },
): Promise<Loaded> {
  const { hold, at, request, ctx } = loading
  const { signal } = request
  const opened = await openPage(loading, id)
  const { open, node } = opened
  if (node?.type !== 'document') return { ...opened, html: '' }

  const read = comments
    ? await readPageThreads({ ctx, hold, signal }, { ...loading, ...comments, pages: on(opened) })
    : undefined
  const hrefOf = (each: PageNode) => at(`${path}/p/${each.id}`)
  const shown = { hold, signal, hrefOf, ...(read && { wanted: read.nodes }) }
  const { written, options } = await pageHtml(open, node, shown)
  const threads = read && (await read.show(written.ends, options))

  return { ...opened, html: written.html, threads }
}

/** Returns the pages whose comments a page shows: the first one has those on the space, too. */
const on = ({ open, node }: OpenPage): (string | null)[] => [
  ...(node ? [node.id] : []),
  ...(node === firstPage(open) ? [null] : []),
]

/** Returns which comments are shown; undefined for a session that may not read them. */
const commentsFor = (
  scopes: Parameters<typeof covers>[0],
  comment: string | undefined,
): Comments | undefined => (covers(scopes, 'comments:read') ? { comment } : undefined)

/** What a member can do with a page, as buttons. */
function Actions({ spaceId, node, role }: { spaceId: string; node: PageNode; role: SpaceRole }) {
  const path = `/s/${spaceId}`
  return (
    <>
      {atLeast(role, 'edit') && (
        <ButtonLink to={`${path}/edit/${node.id}`} class="primary">
          Edit
        </ButtonLink>
      )}
      {node.file && <ButtonLink to={`${path}/p/${node.id}/history`}>History</ButtonLink>}
      {atLeast(role, 'edit') && (
        <More>
          <li>
            <A to={`${path}/new?into=${node.id}`}>New page below</A>
          </li>
          <li>
            <A to={`${path}/import`}>Import files</A>
          </li>
          <li>
            <A to={`${path}/organize?page=${node.id}#chosen`}>Rename or move</A>
          </li>
          <li>
            <A to={`${path}/organize`}>Organize all pages</A>
          </li>
          <li>
            <A to={`${path}/delete/${node.id}`}>Delete</A>
          </li>
        </More>
      )}
    </>
  )
}

type SpaceRole = Parameters<typeof atLeast>[0]

const sideOf = (path: string, loaded: Loaded) => ({
  label: 'Pages',
  body: (
    <PageList
      pages={loaded.open.shown.content.pages}
      path={path}
      branch={branchIds(loaded)}
      current={loaded.node?.id}
    />
  ),
})

type Viewing = {
  space: { id: string; title: string }
  role: SpaceRole
  me: { id: string }
}

function viewOf(loaded: Loaded, { space, role }: Viewing) {
  const path = `/s/${space.id}`
  const { node, html, threads } = loaded
  return {
    title: node?.title ?? space.title,
    heading: node ? undefined : space.title,
    crumbs: [{ title: space.title, to: path }],
    tabs: tabsOf(space.id, 'pages'),
    hasTabsAbove: node !== undefined,
    actions: node?.type === 'document' && <Actions spaceId={space.id} node={node} role={role} />,
    side: sideOf(path, loaded),
    body: node ? (
      <>
        {node.facts?.frontMatter.hidden === true && (
          <Note>
            This page is hidden: the table of contents of a site leaves it out. Readers can open its
            address and find it by search.
          </Note>
        )}
        {node.facts?.frontMatter.condition !== undefined && (
          <Note tone="warning">
            Only readers who meet this condition see this page:{' '}
            <code>{String(node.facts.frontMatter.condition)}</code>
          </Note>
        )}
        {node.type === 'document' && html.trim() === '' && (
          <p class="muted">This page has no text yet.</p>
        )}
        {threads ? (
          <CommentedText
            html={html}
            threads={threads}
            place={{ path: `${path}/p/${node.id}`, mayReply: atLeast(role, 'comment') }}
          />
        ) : (
          <article class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </>
    ) : (
      <Empty>
        <p>There is no page in this space yet.</p>
        {atLeast(role, 'edit') && <ButtonLink to={`${path}/new`}>Write the first page</ButtonLink>}
      </Empty>
    ),
  }
}

export const spaceHome = page({
  path: '/s/:spaceId',
  scope: 'content:read',
  access: primaryContent,
  query: CommentQuery,
  load: asked =>
    loadPage(asked, {
      id: undefined,
      path: `/s/${asked.space.id}`,
      comments: commentsFor(asked.actor.token.scopes, asked.query.comment),
    }),
  view: viewOf,
})

export const spacePage = page({
  path: '/s/:spaceId/p/:pageId',
  scope: 'content:read',
  access: primaryContent,
  query: CommentQuery,
  load: asked =>
    loadPage(asked, {
      id: asked.params.pageId,
      path: `/s/${asked.space.id}`,
      comments: commentsFor(asked.actor.token.scopes, asked.query.comment),
    }),
  view: viewOf,
})

/** A page of a former revision. */
export const revisionPage = page({
  path: '/s/:spaceId/history/:revisionId/p/:pageId',
  scope: 'content:read',
  access: revisionOfPath,
  load: asked =>
    loadPage(asked, {
      id: asked.params.pageId,
      path: `/s/${asked.space.id}/history/${asked.params.revisionId}`,
    }),
  view: (loaded, { space, params }) => {
    const path = `/s/${space.id}`
    const then = `${path}/history/${params.revisionId}`
    return {
      title: loaded.node?.title ?? space.title,
      crumbs: [
        { title: space.title, to: path },
        { title: 'History', to: `${path}/history` },
        { title: params.revisionId.slice(0, 8), to: then },
      ],
      side: sideOf(then, loaded),
      body: (
        <>
          <Note tone="warning">
            This is the page as it was at revision <code>{params.revisionId.slice(0, 8)}</code>.{' '}
            <A to={`${path}/p/${params.pageId}`}>See it as it is now</A>
          </Note>
          <article class="prose" dangerouslySetInnerHTML={{ __html: loaded.html }} />
        </>
      ),
    }
  },
})
