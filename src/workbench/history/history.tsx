import { z } from 'zod'
import { primaryContent } from '../../access/guards/content.ts'
import { space as spaceGuard } from '../../access/guards/space.ts'
import { indexUpTo } from '../../actions/heads/index-up-to.ts'
import { primaryHead } from '../../actions/heads/primary-head.ts'
import { fileHistory } from '../../actions/revisions/file-history.ts'
import { timeOf } from '../../git/values/commit-time.ts'
import { listRevisions } from '../../store/git/revisions.ts'
import type { RevisionRow } from '../../store/tables/rows.ts'
import { page } from '../frame/page.ts'
import { Empty, Pager, Row, Rows } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'
import { fileOf, openPage } from '../space/open-space.ts'
import { tabsOf } from '../space/tabs.ts'

/** The entries on one page. */
const entriesOfPage = 50

/** The entry after which a list goes on: its number. */
const Before = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'takes the number of an entry')
    .transform(Number)
    .optional(),
})

/** Returns the first line of the message of a commit. */
export const subjectOf = (message: string): string =>
  message.trim().split(/\r?\n/, 1)[0]?.slice(0, 200) || '(no message)'

type Listed = Pick<RevisionRow, 'oid' | 'message' | 'author_name' | 'committed_at' | 'seq'>

function Revisions({ path, rows }: { path: string; rows: readonly Listed[] }) {
  return (
    <Rows>
      {rows.map(row => (
        <Row
          to={`${path}/history/${row.oid}`}
          title={subjectOf(row.message)}
          small={
            <>
              {row.author_name}, <Time at={timeOf(row.committed_at)} />
            </>
          }
          end={<code>{row.oid.slice(0, 8)}</code>}
        />
      ))}
    </Rows>
  )
}

/** Splits off the row beyond the page, which says that there are older ones. */
function partOf<Item extends Listed>(
  found: readonly Item[],
  path: string,
): { rows: Item[]; older: string | undefined } {
  const rows = found.slice(0, entriesOfPage)
  const last = found.length > rows.length ? rows.at(-1) : undefined
  return { rows, older: last && `${path}?before=${last.seq}` }
}

export const spaceHistory = page({
  path: '/s/:spaceId/history',
  scope: 'content:read',
  access: spaceGuard('read'),
  query: Before,
  load: async ({ ctx, space, query }) => {
    const { ref, head } = await primaryHead(ctx, space)
    await indexUpTo(ctx, space.id, ref, head)
    const found = listRevisions(ctx.store, space.id, entriesOfPage + 1, query.before)
    return partOf(found, `/s/${space.id}/history`)
  },
  view: ({ rows, older }, { space }) => ({
    title: 'History',
    heading: space.title,
    crumbs: [{ title: space.title, to: `/s/${space.id}` }],
    tabs: tabsOf(space.id, 'history'),
    width: 'wide',
    body: (
      <>
        <Revisions path={`/s/${space.id}`} rows={rows} />
        <Pager older={older} />
      </>
    ),
  }),
})

export const pageHistory = page({
  path: '/s/:spaceId/p/:pageId/history',
  scope: 'content:read',
  access: primaryContent,
  query: Before,
  load: async asked => {
    const { ctx, space, params, query } = asked
    const opened = await openPage(asked, params.pageId)
    const { node, path } = fileOf(opened)
    const { ref, view } = opened.open
    if (ref !== undefined) await indexUpTo(ctx, space.id, ref, view.oid)
    const found = fileHistory(ctx.store, space.id, path, entriesOfPage + 1, query.before)
    return { node, ...partOf(found, `/s/${space.id}/p/${node.id}/history`) }
  },
  view: ({ node, rows, older }, { space }) => {
    const path = `/s/${space.id}`
    return {
      title: `History of ${node.title}`,
      crumbs: [
        { title: space.title, to: path },
        { title: node.title, to: `${path}/p/${node.id}` },
      ],
      width: 'wide',
      body: (
        <>
          {rows.length === 0 && <Empty>No revision has changed this page.</Empty>}
          {rows.length > 0 && (
            <Rows>
              {rows.map(row => (
                <Row
                  to={`${path}/history/${row.oid}/p/${node.id}`}
                  title={subjectOf(row.message)}
                  small={
                    <>
                      {row.author_name}, <Time at={timeOf(row.committed_at)} />
                      {row.path !== node.file?.path && ` as ${row.path}`}
                    </>
                  }
                  end={<code>{row.oid.slice(0, 8)}</code>}
                />
              ))}
            </Rows>
          )}
          <Pager older={older} />
        </>
      ),
    }
  },
})
