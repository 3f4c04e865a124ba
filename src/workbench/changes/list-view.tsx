import { atLeast } from '../../access/roles.ts'
import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { ChangeRequestRow, SpaceRow } from '../../store/tables/rows.ts'
import type { View } from '../frame/page.ts'
import { Fold } from '../parts/fold.tsx'
import { Form, Submit, TextField } from '../parts/form.tsx'
import { A, ButtonLink } from '../parts/link.tsx'
import { Empty, Pager, Row, Rows } from '../parts/pieces.tsx'
import { useAt } from '../parts/surroundings.ts'
import { Time } from '../parts/time.tsx'
import { changesPath, requestPath, withQuery } from './paths.ts'
import { Status, statusWords, titleOf } from './status.tsx'

/** A change request as the list shows it: people by their names. */
export type ListedRequest = {
  row: ChangeRequestRow
  outdated: boolean
  author: string
  approvedBy: readonly string[]
  refusedBy: readonly string[]
  waitsFor: readonly string[]
}

type Filter = {
  status: ChangeRequestStatus
  by?: string | undefined
  review?: 'me' | undefined
  q?: string | undefined
  before?: number | undefined
}

type Listed = {
  space: SpaceRow
  role: Role
  query: Filter
  counts: Readonly<Record<ChangeRequestStatus, number>>
  /** The name of the user whose change requests are listed, unless it is the reader. */
  by: string | undefined
  rows: readonly ListedRequest[]
  older: number | undefined
}

/** Returns the list of the change requests of a space. */
export function listView(data: Listed): View {
  const { space, role, query, counts, rows, older } = data
  const path = changesPath(space.id)
  const tabs = (Object.keys(statusWords) as ChangeRequestStatus[]).map(status => ({
    title: statusWords[status][0],
    to: withQuery(path, { ...asQuery(query), status, before: undefined }),
    count: counts[status],
    current: status === query.status,
  }))

  return {
    title: 'Change requests',
    crumbs: [{ title: space.title, to: `/s/${space.id}` }],
    width: 'wide',
    actions: atLeast(role, 'edit') ? <NewRequest space={space} /> : undefined,
    tabs,
    body: (
      <>
        <Filters {...data} />
        {rows.length === 0 ? <Nothing {...data} /> : <List rows={rows} />}
        <Pager
          newer={
            query.before ? withQuery(path, { ...asQuery(query), before: undefined }) : undefined
          }
          older={
            older === undefined
              ? undefined
              : withQuery(path, { ...asQuery(query), before: String(older) })
          }
        />
      </>
    ),
  }
}

const asQuery = ({ status, by, review, q, before }: Filter) => ({
  status: status === 'open' ? undefined : status,
  ...{ by, review, q },
  before: before && String(before),
})

/** Returns a form that opens an empty change request. */
function NewRequest({ space }: { space: SpaceRow }) {
  return (
    <Fold to={changesPath(space.id)} summary="New change request" class="drop" isButton="primary">
      <div class="drop-body">
        <Form to={changesPath(space.id)} label="New change request">
          <TextField name="subject" label="What will it change?" required maxlength={100} />
          <Submit kind="primary">Create</Submit>
          <p class="small muted">Its pages are edited next, here or with Git.</p>
        </Form>
      </div>
    </Fold>
  )
}

function Filters({ space, query, by }: Listed) {
  const at = useAt()
  const path = changesPath(space.id)
  const whose = { ...asQuery(query), by: undefined, review: undefined, before: undefined }
  const isAll = query.by === undefined && query.review === undefined
  return (
    <div class="filters">
      <nav aria-label="Whose change requests">
        <A to={withQuery(path, whose)} class="chip" current={isAll}>
          All
        </A>
        <A to={withQuery(path, { ...whose, by: 'me' })} class="chip" current={query.by === 'me'}>
          Mine
        </A>
        <A
          to={withQuery(path, { ...whose, review: 'me' })}
          class="chip"
          current={query.review === 'me'}
        >
          My review is requested
        </A>
        {by !== undefined && (
          <A to={withQuery(path, whose)} class="chip" current label={`By ${by}: show all`}>
            By {by} ×
          </A>
        )}
      </nav>
      <search>
        <form action={at(path)}>
          {Object.entries({ ...asQuery(query), before: undefined, q: undefined }).map(
            ([name, value]) => value && <input type="hidden" name={name} value={value} />,
          )}
          <label for="~find" class="sr">
            Part of the title, or a number
          </label>
          <input
            id="~find"
            name="q"
            type="search"
            value={query.q}
            placeholder="Title or #number"
            maxlength={200}
          />
          <button type="submit" class="btn">
            Find
          </button>
        </form>
      </search>
    </div>
  )
}

function Nothing({ space, query, counts }: Listed) {
  const isFiltered = query.by !== undefined || query.review !== undefined || query.q !== undefined
  const isEmpty = Object.values(counts).every(count => count === 0)
  if (isEmpty)
    return (
      <Empty>
        <p>
          <strong>No change requests yet.</strong>
        </p>
        <p>
          A change request proposes changes to pages. Others discuss and approve them before readers
          see them. Create one here, with “Edit” on a page, or by pushing a branch with Git:
        </p>
        <pre>
          <code>git push origin HEAD:refs/for/main</code>
        </pre>
      </Empty>
    )

  return (
    <Empty>
      <p>Nothing here{isFiltered ? ' that matches' : ''}.</p>
      {isFiltered && (
        <p>
          <ButtonLink to={withQuery(changesPath(space.id), { status: query.status })}>
            Show all with this status
          </ButtonLink>
        </p>
      )}
    </Empty>
  )
}

const List = ({ rows }: { rows: readonly ListedRequest[] }) => (
  <Rows>
    {rows.map(each => (
      <Row
        to={requestPath(each.row)}
        title={
          <>
            {titleOf(each.row)} <span class="muted">#{each.row.number}</span>
          </>
        }
        small={<Small {...each} />}
        end={<End {...each} />}
      />
    ))}
  </Rows>
)

const Small = ({ row, author, outdated }: ListedRequest) => (
  <>
    <bdi>{author}</bdi> · opened <Time at={row.created_at} />
    {row.updated_at !== row.created_at && (
      <>
        {' '}
        · changed <Time at={row.updated_at} />
      </>
    )}
    {outdated && ' · behind the published content'}
  </>
)

function End({ row, approvedBy, refusedBy, waitsFor }: ListedRequest) {
  return (
    <span class="request-end">
      {refusedBy.length > 0 && (
        <span class="mark danger" title={`Changes requested by ${refusedBy.join(', ')}`}>
          Changes requested
        </span>
      )}
      {approvedBy.length > 0 && refusedBy.length === 0 && (
        <span class="mark success" title={`Approved by ${approvedBy.join(', ')}`}>
          Approved
        </span>
      )}
      {waitsFor.length > 0 && row.status !== 'merged' && (
        <span class="mark" title={`A review is requested from ${waitsFor.join(', ')}`}>
          Waits for {waitsFor.length === 1 ? waitsFor[0] : `${waitsFor.length} reviews`}
        </span>
      )}
      {row.open_comments > 0 && (
        <span class="mark">
          {row.open_comments} open {row.open_comments === 1 ? 'comment' : 'comments'}
        </span>
      )}
      <Status of={row.status} />
    </span>
  )
}
