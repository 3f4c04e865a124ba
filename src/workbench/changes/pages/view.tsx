import { atLeast } from '../../../access/roles.ts'
import type { ChangedPage } from '../../../actions/reviewing/changed-pages.ts'
import type { View } from '../../frame/page.ts'
import { Form, Hidden, Submit, TextArea } from '../../parts/form.tsx'
import { A } from '../../parts/link.tsx'
import { Empty } from '../../parts/pieces.tsx'
import type { ShownThread } from '../conversation/load.ts'
import { Incomparable } from '../overview/what-it-changes.tsx'
import { requestPath, withQuery } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import { SourceView } from '../source/source-view.tsx'
import { ViewedButton, ViewedSign, viewedCount } from '../viewed.tsx'
import { hasText, type PagesPage, type ShownPage, type ViewName } from './load.ts'
import { MarkedView } from './marked-view.tsx'
import { type InPage, Threads } from './threads.tsx'

const names = { page: 'Page', side: 'Side by side', source: 'Source' } as const

/** Returns what a change request changes in a page, beside the list of the pages that it changes. */
export const pagesView = (data: PagesPage): View =>
  requestView(data, 'pages', {
    side:
      data.pages.length > 0 ? { label: 'Changed pages', body: <PageList {...data} /> } : undefined,
    width: 'full',
    body: data.shown ? (
      <Page data={data} shown={data.shown} />
    ) : data.place.compared ? (
      <Empty>
        <p>It changes no page.</p>
      </Empty>
    ) : (
      <Incomparable />
    ),
  })

/** The most pages that the list names. */
const mostListed = 1_000

const signs = { new: '+', changed: '~', removed: '−' } as const
const spoken = { new: 'new', changed: 'changed', removed: 'removed' } as const

function PageList({ place: { request }, pages, shown, viewed }: PagesPage) {
  const path = requestPath(request)
  const view = shown && shown.content.view !== 'page' ? shown.content.view : undefined
  const readable = pages.filter(hasText).map(({ node }) => node.id)
  return (
    <>
      <p class="small muted">{viewedCount(readable, viewed)}</p>
      <ul class="plain changed-pages">
        {pages.slice(0, mostListed).map(page => (
          <li class={page.kind}>
            <span class="sign" aria-hidden="true">
              {signs[page.kind]}
            </span>
            {hasText(page) ? (
              <A
                to={withQuery(`${path}/pages/${page.node.id}`, { view })}
                current={page.node.id === shown?.page.node.id}
              >
                <bdi>{page.node.title}</bdi>
                <span class="sr"> ({spoken[page.kind]})</span>
              </A>
            ) : (
              <bdi>{page.node.title}</bdi>
            )}
            {viewed.has(page.node.id) && <ViewedSign />}
          </li>
        ))}
        {pages.length > mostListed && <li class="muted">{pages.length - mostListed} more</li>}
      </ul>
    </>
  )
}

function Page({ data, shown }: { data: PagesPage; shown: ShownPage }) {
  const { request, role } = data.place
  const path = requestPath(request)
  const own = `${path}/pages/${shown.page.node.id}`
  const { view } = shown.content
  const mayComment = atLeast(role, 'comment')
  const { node, kind } = shown.page

  return (
    <div class="changed-page">
      <div class="changed-head">
        <h2>
          <bdi>{shown.page.node.title}</bdi> <span class="muted small">{placeInWords(shown)}</span>
        </h2>
        <nav class="views" aria-label="How changes are shown">
          {(Object.keys(names) as ViewName[]).map(name => (
            <A
              to={withQuery(own, { view: name === 'page' ? undefined : name })}
              class="chip"
              current={name === view}
            >
              {names[name]}
            </A>
          ))}
        </nav>
        {hasText(shown.page) && (
          <ViewedButton
            path={path}
            back={withQuery(`pages/${node.id}`, { view: view === 'page' ? undefined : view })}
            kind="pages"
            item={node.id}
            blob={kind === 'removed' ? undefined : node.file?.oid}
            isViewed={data.viewed.has(node.id)}
          />
        )}
      </div>
      <Content shown={shown} own={own} path={path} mayComment={mayComment} />
      <Below shown={shown} own={own} path={path} mayComment={mayComment} />
      <Neighbours pages={data.pages} shown={shown} path={path} />
    </div>
  )
}

function placeInWords({ page, place }: ShownPage): string {
  if (page.kind === 'new') return 'new page'
  if (page.kind === 'removed') return 'removed'
  return [
    place.title !== undefined && `renamed from “${place.title}”`,
    place.path !== undefined && `was ${place.path}`,
    place.parent !== undefined &&
      (place.parent === '' ? 'moved from the top level' : `moved from “${place.parent}”`),
  ]
    .filter(Boolean)
    .join(', ')
}

function Content(props: InPage) {
  const { content } = props.shown
  if (content.view === 'source') return <SourceView source={content.source} />
  if (content.view === 'page') return <MarkedView {...props} marked={content.marked} />
  return (
    <div class="sides">
      <p class="side-name muted small">Before</p>
      <p class="side-name muted small">After</p>
      {content.side.rows.map(({ before, after, isChanged }) => (
        <div class={isChanged ? 'pair changed' : 'pair'}>
          <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: before }} />
          <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: after }} />
        </div>
      ))}
    </div>
  )
}

/** Returns the threads of a page that stand at none of its blocks. */
function loose({ content, threads }: ShownPage): { whole: ShownThread[]; lost: ShownThread[] } {
  const placed = content.view === 'page' ? placesOf(content.marked) : undefined
  const whole = threads.filter(({ row }) => row.node_id === null)
  const lost = threads.filter(({ row: { node_id: id } }) => id !== null && !placed?.has(id))
  return { whole, lost }
}

/** Returns the names of the blocks of a page that comments can stand at. */
function placesOf({ parts, partById }: Extract<ShownPage['content'], { view: 'page' }>['marked']) {
  return new Set([
    ...partById.keys(),
    ...parts.flatMap(({ key, formerKey }) => [key, formerKey].filter(name => name !== undefined)),
  ])
}

/** Returns the comments on a page as a whole, and on blocks that this view does not have. */
function Below({ shown, path, own, mayComment }: InPage) {
  const { whole, lost } = loose(shown)
  const back = shown.page.node.id
  const isPage = shown.content.view === 'page'
  return (
    <section class="section" aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {lost.length > 0 && (
        <>
          <p class="small muted">
            {isPage
              ? 'On an earlier revision, on blocks that are gone or were rewritten:'
              : 'On blocks:'}
          </p>
          <Threads threads={lost} path={path} back={back} mayReply={mayComment} />
        </>
      )}
      <Threads threads={whole} path={path} back={back} mayReply={mayComment} />
      {mayComment && (
        <Form to={`${own}/comments`} name="page" label="Comment on the page">
          <Hidden name="block" value="" />
          <TextArea name="text" label="Comment on this page" placeholder="Markdown" rows={3} />
          <Submit>Comment</Submit>
        </Form>
      )}
    </section>
  )
}

type NeighboursProps = { pages: readonly ChangedPage[]; shown: ShownPage; path: string }

function Neighbours({ pages, shown, path }: NeighboursProps) {
  const readable = pages.filter(hasText)
  const at = readable.findIndex(({ node }) => node.id === shown.page.node.id)
  const [previous, next] = at === -1 ? [] : [readable[at - 1], readable[at + 1]]
  const view = shown.content.view === 'page' ? undefined : shown.content.view
  const to = ({ node }: ChangedPage) => withQuery(`${path}/pages/${node.id}`, { view })
  return (
    <nav class="neighbours" aria-label="Next and previous page">
      {previous && (
        <A to={to(previous)} class="btn">
          ← <bdi>{previous.node.title}</bdi>
        </A>
      )}
      {next ? (
        <A to={to(next)} class="btn">
          <bdi>{next.node.title}</bdi> →
        </A>
      ) : (
        <A to={`${path}#conversation`} class="btn primary">
          Finish the review
        </A>
      )}
    </nav>
  )
}
