import type { ComponentChildren } from 'preact'
import { plainText } from '../../content/markdown/plain-text.ts'
import { requestPath, withQuery } from '../changes/paths.ts'
import { Status, titleOf } from '../changes/status.tsx'
import { A } from '../parts/link.tsx'
import { Badge, Row, Rows, type Tone } from '../parts/pieces.tsx'
import { Time } from '../parts/time.tsx'
import type { HomeSite, HomeSpace } from './load-places.ts'
import type { HomeRequest, HomeThread, WaitingKind } from './load-waiting.ts'

/** The lists of the home page that have pages of their own. */
export type ListName = WaitingKind | 'mine' | 'spaces' | 'sites'

/** Returns the path of a list of the home page. */
export const listPath = (
  list: ListName,
  more: Readonly<Record<string, string | undefined>> = {},
): string => withQuery('', { list, ...more })

/** Returns the path of the page that makes a space. */
export const newSpacePath = (organizationId: string): string => `/new/${organizationId}/space`

/** Returns the path of the page that makes a site. */
export const newSitePath = (organizationId: string): string => `/new/${organizationId}/site`

/** What is asked of the reader, in a word, and its colour. */
const kindWords: Readonly<Record<WaitingKind, readonly [word: string, tone: Tone]>> = {
  reviews: ['Your review is requested', 'info'],
  changes: ['Changes requested', 'danger'],
  conflicts: ['Conflicts', 'warning'],
  comments: ['Answer', 'info'],
}

function Kind({ of }: { of: WaitingKind }) {
  const [word, tone] = kindWords[of]
  return <Badge tone={tone}>{word}</Badge>
}

/** Returns a change request in a list; `kinds` is what waits for the reader in it. */
export function RequestRow({
  request: { row, space, author },
  kinds = [],
  isOwn = false,
}: {
  request: HomeRequest
  kinds?: readonly WaitingKind[]
  isOwn?: boolean
}) {
  const path = requestPath(row)
  return (
    <Row
      to={kinds.length === 1 && kinds[0] === 'conflicts' ? `${path}/conflicts` : path}
      title={
        <>
          {titleOf(row)} <span class="muted">#{row.number}</span>
        </>
      }
      small={
        <>
          <bdi>{space.title}</bdi> ·{' '}
          {!isOwn && (
            <>
              <bdi>{author}</bdi> ·{' '}
            </>
          )}
          changed <Time at={row.updated_at} />
        </>
      }
      end={
        <>
          {kinds.map(kind => (
            <Kind of={kind} />
          ))}
          {kinds.length === 0 && row.open_comments > 0 && (
            <span class="mark">
              {row.open_comments} open {row.open_comments === 1 ? 'comment' : 'comments'}
            </span>
          )}
          {kinds.length === 0 && <Status of={row.status} />}
        </>
      }
    />
  )
}

/** Returns the path at which a thread is answered. */
function threadPath({ row }: HomeThread): string {
  const { space_id, number, page_id, id } = row
  const path = number === null ? `/s/${space_id}` : requestPath({ space_id, number })
  const below = page_id === null ? '' : `/${number === null ? 'p' : 'pages'}/${page_id}`
  return `${path}${below}?comment=${id}#comment-${id}`
}

/** The most characters of a post in a list. */
const longestWords = 140

/** Returns the start of a post, without its marks. */
function wordsOf(markdown: string | null): string {
  const words = plainText(markdown ?? '').trim()
  if (words === '') return 'A comment'
  return words.length > longestWords ? `${words.slice(0, longestWords).trimEnd()}…` : words
}

/** Returns a thread that waits for an answer. */
export function ThreadRow({ thread }: { thread: HomeThread }) {
  const { row, space, author } = thread
  return (
    <Row
      to={threadPath(thread)}
      title={wordsOf(row.words)}
      small={
        <>
          <bdi>{space.title}</bdi>
          {row.number !== null && ` #${row.number}`} · <bdi>{author}</bdi> wrote{' '}
          <Time at={row.last_at} />
        </>
      }
      end={<Kind of="comments" />}
    />
  )
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** Returns spaces as a list, with what is open in them. */
export const SpaceRows = ({ spaces }: { spaces: readonly HomeSpace[] }) => (
  <Rows>
    {spaces.map(({ space, requests }) => (
      <Row
        to={`/s/${space.id}`}
        title={space.title}
        end={
          <>
            {requests > 0 && (
              <A to={`/s/${space.id}/changes`}>{counted(requests, 'change request')}</A>
            )}
            {space.open_comments > 0 && <span>{counted(space.open_comments, 'open comment')}</span>}
          </>
        }
      />
    ))}
  </Rows>
)

/** Returns sites as a list of links to where a member reads them. */
export const SiteRows = ({ sites }: { sites: readonly HomeSite[] }) => (
  <Rows>
    {sites.map(({ site, href, changes }) => (
      <Row
        title={
          <a class="name" href={href}>
            {site.title}
          </a>
        }
        small={href.replace(/^https?:\/\//, '')}
        end={
          (changes || site.published === 0) && (
            <>
              {site.published === 0 && <Badge>Not published</Badge>}{' '}
              {changes && <A to={`/sites/${site.organization_id}/${site.id}`}>Settings</A>}
            </>
          )
        }
      />
    ))}
  </Rows>
)

/** Returns a row that leads to the rest of a list. */
export const RestRow = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <li class="rest">
    <A to={to}>{children}</A>
  </li>
)
