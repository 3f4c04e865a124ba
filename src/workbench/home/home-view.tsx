import { atLeast } from '../../access/roles.ts'
import type { View } from '../frame/page.ts'
import { A } from '../parts/link.tsx'
import { Empty, Rows, Section } from '../parts/pieces.tsx'
import { FirstSteps } from './first-steps.tsx'
import type { Home } from './load-home.ts'
import type { Places } from './load-places.ts'
import {
  listPath,
  newSitePath,
  newSpacePath,
  RequestRow,
  RestRow,
  SiteRows,
  SpaceRows,
  ThreadRow,
} from './rows.tsx'

const restWords = {
  reviews: 'All reviews requested from you',
  changes: 'All changes requested from you',
  conflicts: 'All conflicts in your change requests',
  comments: 'All comments to answer',
} as const

/** Returns the home page: what waits for the reader, their change requests, spaces and sites. */
export function homeView(home: Home): View {
  const { places, createsIn, invitesTo } = home
  const isNew = places.every(({ spaces, sites }) => spaces.length === 0 && sites.length === 0)
  return {
    title: 'Home',
    width: 'wide',
    body: isNew ? (
      <>
        <p class="lead">There is no space here that you may read yet. What to do first:</p>
        <FirstSteps createsIn={createsIn} invitesTo={invitesTo} />
      </>
    ) : (
      <>
        {createsIn !== undefined && isFirstDay(places) && (
          <Section title="What to do first" id="first">
            <FirstSteps createsIn={createsIn} invitesTo={invitesTo} />
          </Section>
        )}
        <Waiting {...home} />
        <Own {...home} />
        {places.map(each => (
          <OfOrganization places={each} isOnly={places.length === 1} />
        ))}
      </>
    ),
  }
}

/** Returns whether there is one space at most: a server begins with that of its manual. */
const isFirstDay = (places: readonly Places[]): boolean =>
  places.reduce((count, { spaces }) => count + spaces.length, 0) <= 1

function Waiting({ waiting, threads, longer }: Home) {
  const count = waiting.length + threads.length
  return (
    <Section
      title="Waiting for you"
      id="waiting"
      count={count === 0 ? undefined : longer.length > 0 ? `${count}+` : count}
    >
      {count === 0 ? (
        <Empty>
          Nothing waits for you: no review, no change, no answer, and no conflict in your change
          requests.
        </Empty>
      ) : (
        <Rows>
          {waiting.map(each => (
            <RequestRow {...each} />
          ))}
          {threads.map(thread => (
            <ThreadRow thread={thread} />
          ))}
          {longer.map(kind => (
            <RestRow to={listPath(kind)}>{restWords[kind]}</RestRow>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Own({ own }: Home) {
  return (
    <Section title="Your change requests" id="mine" aside={<A to={listPath('mine')}>All</A>}>
      {own.rows.length === 0 ? (
        <Empty>
          You have no open change request. “Edit” on a page of a space begins one, and so does a
          push with Git.
        </Empty>
      ) : (
        <Rows>
          {own.rows.map(request => (
            <RequestRow request={request} isOwn />
          ))}
          {own.before !== undefined && (
            <RestRow to={listPath('mine')}>All your change requests</RestRow>
          )}
        </Rows>
      )}
    </Section>
  )
}

function OfOrganization({ places, isOnly }: { places: Places; isOnly: boolean }) {
  const { organization, spaces, nextSpace, sites, moreSites } = places
  const { id, title, member_role: role } = organization
  const creates = atLeast(role, 'create')
  const titled = (name: string) => (isOnly ? name : `${name} of ${title}`)
  const all = listPath('spaces', { of: id })
  return (
    <>
      <Section
        title={titled('Spaces')}
        id={`spaces-${id}`}
        aside={
          <span class="asides">
            {creates && <A to={newSpacePath(id)}>New space</A>}
            <A to={all}>Find a space</A>
          </span>
        }
      >
        {spaces.length === 0 ? (
          <Empty>There is no space here that you may read.</Empty>
        ) : (
          <>
            <SpaceRows spaces={spaces} />
            {nextSpace !== undefined && (
              <p class="more">
                <A to={all}>All spaces</A>
              </p>
            )}
          </>
        )}
      </Section>
      {(sites.length > 0 || creates) && (
        <Section
          title={titled('Sites')}
          id={`sites-${id}`}
          aside={creates && <A to={newSitePath(id)}>New site</A>}
        >
          {sites.length === 0 ? (
            <Empty>A site shows spaces to readers. There is no site yet.</Empty>
          ) : (
            <SiteRows sites={sites} />
          )}
          {moreSites && (
            <p class="more">
              <A to={listPath('sites', { of: id })}>All sites</A>
            </p>
          )}
        </Section>
      )}
    </>
  )
}
