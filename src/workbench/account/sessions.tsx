import type { ListedSession } from '../../store/sso/sessions.ts'
import { Form, Submit } from '../parts/form.tsx'
import { Badge, Row, Rows, Section } from '../parts/pieces.tsx'
import { useSurroundings } from '../parts/surroundings.ts'
import { Time } from '../parts/time.tsx'
import { describeAgent } from './describe-agent.ts'
import type { Account } from './load-account.ts'

type SessionsProps = Pick<Account, 'sessions' | 'may'> & { currentId: string }

/** Shows the browser sessions of a user, and ends them. */
export function Sessions({ sessions, may, currentId }: SessionsProps) {
  return (
    <Section title="Browser sessions" id="sessions" count={sessions.length}>
      <Rows>
        {sessions.map(session => (
          <SessionItem session={session} isCurrent={session.id === currentId} mayEnd={may.change} />
        ))}
      </Rows>
      <div class="buttons">
        {sessions.length > 1 && may.change && (
          <Form to="/account/sessions" name="others">
            <Submit name="end" value="others">
              End all other sessions
            </Submit>
          </Form>
        )}
        <SignOut />
      </div>
    </Section>
  )
}

type ItemProps = { session: ListedSession; isCurrent: boolean; mayEnd: boolean }

function SessionItem({ session, isCurrent, mayEnd }: ItemProps) {
  const browser = describeAgent(session.user_agent)
  return (
    <Row
      title={
        <>
          {browser} {isCurrent && <Badge tone="success">This browser</Badge>}
        </>
      }
      small={
        <>
          Signed in <Time at={session.created_at} />
          {session.address && ` from ${session.address}`} with {wayOf(session)}
          {session.last_used_at !== null && (
            <>
              {' '}
              · last used <Time at={session.last_used_at} />
            </>
          )}{' '}
          · until {session.expires_at.slice(0, 16).replace('T', ' ')} UTC
        </>
      }
      end={
        mayEnd &&
        !isCurrent && (
          <Form to="/account/sessions" name={session.id}>
            <Submit
              name="end"
              value={session.id}
              label={`End the session of ${browser}, signed in ${session.created_at.slice(0, 16)}`}
            >
              End
            </Submit>
          </Form>
        )
      }
    />
  )
}

/** Returns how a browser signed in, to follow "with". */
function wayOf({ provider_id, own_token, token_name }: ListedSession): string {
  if (provider_id !== null) return 'single sign-on'
  return own_token === 1 ? 'a link' : `the token “${token_name}”`
}

function SignOut() {
  const { base, csrf } = useSurroundings()
  return (
    <form method="post" action={`${base}/sso/sign-out`}>
      <input type="hidden" name="csrf" value={csrf} />
      <button type="submit" class="btn">
        Sign out
      </button>
    </form>
  )
}
