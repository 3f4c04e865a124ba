import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import { statusWords } from '../changes/status.tsx'
import type { View } from '../frame/page.ts'
import { A, ButtonLink } from '../parts/link.tsx'
import { Empty, Pager, Rows } from '../parts/pieces.tsx'
import { useAt } from '../parts/surroundings.ts'
import type { List } from './lists.ts'
import { type ListName, listPath, RequestRow, SiteRows, SpaceRows, ThreadRow } from './rows.tsx'

const titles: Readonly<Record<ListName, string>> = {
  reviews: 'Reviews requested from you',
  changes: 'Changes requested from you',
  conflicts: 'Conflicts in your change requests',
  comments: 'Comments to answer',
  mine: 'Your change requests',
  spaces: 'Spaces',
  sites: 'Sites',
}

const empties: Readonly<Record<ListName, string>> = {
  reviews: 'No change request waits for your review.',
  changes: 'No review requests changes from you.',
  conflicts: 'None of your newest change requests is known to conflict with what is published.',
  comments: 'No comment waits for your answer.',
  mine: 'You have no change request of this status.',
  spaces: 'There is no space here that you may read.',
  sites: 'There is no site here that you may see.',
}

/** Returns a part of one list of the home page. */
export function listView(list: List): View {
  const { name, query, before } = list
  const title =
    'organization' in list ? `${titles[name]} of ${list.organization.title}` : titles[name]
  const isFirst = query.before === undefined && query.after === undefined

  return {
    title,
    crumbs: [{ title: 'Home', to: '' }],
    width: 'wide',
    ...(name === 'mine' && { tabs: tabsOf(query.status) }),
    body: (
      <>
        {list.kind === 'spaces' && <Filter {...list} />}
        {list.rows.length === 0 ? <Nothing list={list} /> : <Shown list={list} />}
        <Pager newer={isFirst ? undefined : pathOf(list, {})} older={olderOf(list, before)} />
      </>
    ),
  }
}

const tabsOf = (current: ChangeRequestStatus) =>
  (Object.keys(statusWords) as ChangeRequestStatus[]).map(status => ({
    title: statusWords[status][0],
    to: listPath('mine', { status }),
    current: status === current,
  }))

/** Returns the path of a part of the same list. */
const pathOf = (list: List, place: Readonly<Record<string, string | undefined>>): string =>
  listPath(list.name, {
    status: list.name === 'mine' ? list.query.status : undefined,
    of: 'organization' in list ? list.organization.id : undefined,
    title: list.query.title,
    ...place,
  })

function olderOf(list: List, before: number | undefined): string | undefined {
  if (list.kind === 'spaces') return list.after && pathOf(list, { after: list.after })
  return before === undefined ? undefined : pathOf(list, { before: String(before) })
}

function Shown({ list }: { list: List }) {
  switch (list.kind) {
    case 'spaces':
      return <SpaceRows spaces={list.rows} />
    case 'sites':
      return <SiteRows sites={list.rows} />
    case 'threads':
      return (
        <Rows>
          {list.rows.map(thread => (
            <ThreadRow thread={thread} />
          ))}
        </Rows>
      )
    default: {
      const { name } = list
      const isWaiting = name === 'reviews' || name === 'changes' || name === 'conflicts'
      return (
        <Rows>
          {list.rows.map(request => (
            <RequestRow request={request} kinds={isWaiting ? [name] : []} isOwn={name === 'mine'} />
          ))}
        </Rows>
      )
    }
  }
}

function Nothing({ list }: { list: List }) {
  const { title } = list.query
  if (!title) return <Empty>{empties[list.name]}</Empty>
  return (
    <Empty>
      <p>No space that you may read has “{title}” in its title.</p>
      <p>
        <ButtonLink to={pathOf(list, { title: undefined })}>Show all spaces</ButtonLink>
      </p>
    </Empty>
  )
}

function Filter({ organization, query }: List & { kind: 'spaces' }) {
  const at = useAt()
  return (
    <search>
      <form action={at('')} class="filter">
        <input type="hidden" name="list" value="spaces" />
        <input type="hidden" name="of" value={organization.id} />
        <div class="field">
          <label for="~title">Words of the title</label>
          <input id="~title" name="title" type="search" value={query.title} maxlength={200} />
        </div>
        <button type="submit" class="btn">
          Find
        </button>
        {query.title && <A to={listPath('spaces', { of: organization.id })}>Show all</A>}
        {organization.member_role === 'admin' && (
          <A to={`/deleted/${organization.id}`}>Deleted spaces</A>
        )}
      </form>
    </search>
  )
}
