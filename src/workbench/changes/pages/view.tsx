import { atLeast } from '../../../access/roles.ts'
import type { ChangedPage } from '../../../actions/reviewing/changed-pages.ts'
import { kindOfName } from '../../../content/changes/text-names.ts'
import type { ShownThread } from '../../comments/show-threads.ts'
import { Threads } from '../../comments/thread.tsx'
import type { Key, View } from '../../frame/page.ts'
import { Form, Hidden, Submit, TextArea } from '../../parts/form.tsx'
import { A } from '../../parts/link.tsx'
import { Empty } from '../../parts/pieces.tsx'
import { Incomparable } from '../overview/what-it-changes.tsx'
import { requestPath, withQuery } from '../paths.ts'
import { requestView } from '../request-view.tsx'
import { ViewedButton, ViewedSign, viewedCount } from '../viewed.tsx'
import { runsOf } from './folds.ts'
import { hasText, type InPage, type PagesPage, type ShownPage, type ViewName } from './load.ts'
import { MarkedView } from './marked-view.tsx'
import type { SideRow } from './page-html.ts'
import { placesOf as linesOf, SourcePage } from './source-page.tsx'

const names = { page: 'Page', side: 'Side by side', source: 'Source' } as const

/** Returns what a change request changes in a page, beside the list of the pages that it changes. */
export const pagesView = (data: PagesPage): View =>
  requestView(data, 'pages', {
    side:
      data.pages.length > 0 ? { label: 'Changed pages', body: <PageList {...data} /> } : undefined,
    width: 'full',
    keys,
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

const keys: readonly Key[] = [
  ['n', 'go to the next change'],
  ['p', 'go to the change before'],
  ['j', 'open the next page'],
  ['k', 'open the page before'],
  ['c', 'comment on the block or line with the focus, else on the page'],
]

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
            includes={shown.includes}
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
  if (content.view === 'source') return <SourcePage {...props} source={content.source} />
  if (content.view === 'page') return <MarkedView {...props} marked={content.marked} />
  return (
    <div class="sides">
      <p class="side-name muted small">Before</p>
      <p class="side-name muted small">After</p>
      {runsOf(content.side.rows, ({ isChanged }) => isChanged).map(({ items, isFolded }) => {
        const pairs = items.map(row => <Pair row={row} />)
        return isFolded ? (
          <details class="unchanged">
            <summary>{items.length} blocks unchanged</summary>
            {pairs}
          </details>
        ) : (
          pairs
        )
      })}
    </div>
  )
}

const Pair = ({ row: { before, after, isChanged } }: { row: SideRow }) => (
  <div class={isChanged ? 'pair changed' : 'pair'} data-change={isChanged ? '' : undefined}>
    <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: before }} />
    <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: after }} />
  </div>
)

/** Returns the threads of a page that stand at none of the blocks or lines of a view. */
function loose({ content, threads }: ShownPage) {
  const placed = namesIn(content)
  const others = threads.filter(({ row: { node_id: name } }) => name !== null && !placed.has(name))
  return {
    whole: threads.filter(({ row }) => row.node_id === null),
    lines: others.filter(each => !each.isOutdated && nameKind(each) === 'line'),
    blocks: others.filter(each => !each.isOutdated && nameKind(each) !== 'line'),
    outdated: others.filter(each => each.isOutdated),
  }
}

const nameKind = ({ row }: ShownThread) => kindOfName(row.node_id ?? '')

/** Returns the names of the blocks or lines of a view that comments stand at. */
function namesIn(content: ShownPage['content']): { has: (name: string) => boolean } {
  if (content.view === 'source')
    return 'why' in content.source ? new Set() : linesOf(content.source.lines)
  if (content.view === 'side') return new Set()
  const { parts, partById } = content.marked
  return new Set([
    ...partById.keys(),
    ...parts.flatMap(({ key, formerKey }) => [key, formerKey].filter(name => name !== undefined)),
  ])
}

/** Returns the comments on a page as a whole, and on blocks and lines that this view does not have. */
function Below({ shown, path, own, mayComment }: InPage) {
  const { whole, lines, blocks, outdated } = loose(shown)
  const { view } = shown.content
  const back = shown.page.node.id + (view === 'page' ? '' : `?view=${view}`)
  const place = { path, back, mayReply: mayComment }
  return (
    <section class="section" aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      <Group title="On earlier revisions" threads={outdated} {...place} />
      <Group
        title={view === 'page' ? 'On removed or rewritten blocks' : 'On blocks'}
        threads={blocks}
        {...place}
      />
      <Group title="On lines of the source" threads={lines} {...place} />
      <Threads threads={whole} {...place} />
      {mayComment && (
        <div data-comment="">
          <Form to={`${own}/comments`} name="page">
            <Hidden name="block" value="" />
            <Hidden name="view" value={view} />
            <TextArea
              name="text"
              label="Comment on this page"
              hidesLabel
              placeholder="Comment on this page, in Markdown"
              rows={3}
            />
            <Submit>Comment</Submit>
          </Form>
        </div>
      )}
    </section>
  )
}

type GroupProps = Parameters<typeof Threads>[0] & { title: string }

const Group = ({ title, ...props }: GroupProps) =>
  props.threads.length === 0 ? null : (
    <>
      <h3 class="small muted">{title}</h3>
      <Threads {...props} />
    </>
  )

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
        <A to={to(previous)} class="btn" onKey="k">
          ← <bdi>{previous.node.title}</bdi>
        </A>
      )}
      {next ? (
        <A to={to(next)} class="btn" onKey="j">
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
