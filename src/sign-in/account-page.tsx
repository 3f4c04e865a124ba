import type { ListedSession } from '../store/sso/sessions.ts'
import { describeAgent } from './describe-agent.ts'
import type { Page } from './layout.tsx'

type AccountPage = {
  /** The path that links begin with. */
  base: string
  user: { displayName: string; email: string | null }
  /** The title of the organization that the session is limited to. */
  organization?: string | undefined
  /** The sessions that this one may see; the current one is among them. */
  sessions: readonly ListedSession[]
  currentId: string
  /** Whether this session may end others. */
  mayEnd: boolean
  csrfToken: string
  notice?: string | undefined
}

/**
 * Returns the page that shows a user who is signed in where they are, with buttons that end
 * sessions.
 */
export const accountPage = (page: AccountPage): Page => ({
  title: 'Your account',
  wide: true,
  body: (
    <>
      {page.notice !== undefined && (
        <p class="notice" role="status">
          {page.notice}
        </p>
      )}
      <Who {...page} />
      <Sessions {...page} />
      <SignOut {...page} />
    </>
  ),
})

function Who({ base, user, organization }: AccountPage) {
  return (
    <>
      <p>
        You are signed in as <strong>{user.displayName}</strong>
        {user.email !== null && ` (${user.email})`}.
        {organization !== undefined &&
          ` This session reaches the organization “${organization}” only.`}
      </p>
      <p>
        <a href={`${base}/`}>Your sites</a>
      </p>
    </>
  )
}

function Sessions(page: AccountPage) {
  const { base, sessions, mayEnd, csrfToken } = page
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Browser sessions</h2>
      <form method="post" action={`${base}/sso/account`}>
        <input type="hidden" name="csrf" value={csrfToken} />
        <ul class="sessions">
          {sessions.map(session => (
            <Session
              session={session}
              isCurrent={session.id === page.currentId}
              mayEnd={page.mayEnd}
            />
          ))}
        </ul>
        {sessions.length > 1 && mayEnd && (
          <button type="submit" name="end" value="others">
            End all other sessions
          </button>
        )}
      </form>
    </section>
  )
}

type SessionItem = { session: ListedSession; isCurrent: boolean; mayEnd: boolean }

function Session({ session, isCurrent, mayEnd }: SessionItem) {
  const browser = describeAgent(session.user_agent)
  const through =
    session.provider_id === null ? `the token “${session.token_name}”` : 'single sign-on'

  return (
    <li>
      <div class="what">
        <p class="browser">
          <strong>{browser}</strong>
          {isCurrent && (
            <>
              {' '}
              <span class="mark">This browser</span>
            </>
          )}
        </p>
        <p>
          <small>
            Signed in <Time at={session.created_at} />
            {session.address && ` from ${session.address}`} with {through}.{' '}
            {session.last_used_at !== null && (
              <>
                Last used <Time at={session.last_used_at} />.{' '}
              </>
            )}
            Ends <Time at={session.expires_at} />.
          </small>
        </p>
      </div>
      {mayEnd && !isCurrent && (
        <button
          type="submit"
          name="end"
          value={session.id}
          aria-label={`End the session of ${browser}, signed in ${clock(session.created_at)}`}
        >
          End
        </button>
      )}
    </li>
  )
}

const SignOut = ({ base, csrfToken }: AccountPage) => (
  <section>
    <form method="post" action={`${base}/sso/sign-out`}>
      <input type="hidden" name="csrf" value={csrfToken} />
      <button type="submit" class="first">
        Sign out
      </button>
    </form>
  </section>
)

const clocks = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

const clock = (at: string): string => `${clocks.format(new Date(at))} UTC`

const Time = ({ at }: { at: string }) => <time datetime={at}>{clock(at)}</time>
