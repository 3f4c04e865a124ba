import type { Role } from '../store/tables/roles.ts'
import { type FieldState, FormField } from './form-field.tsx'
import type { Page } from './layout.tsx'

type JoinPage = FieldState & {
  /** The path that links begin with. */
  base: string
  secret: string
  /** The title of the organization. */
  organization: string
  /** The member who invites; undefined if the visitor has all that the invitation gives. */
  maker: string | undefined
  /** What it gives: a role in the organization (null for guests), or one on a part of it. */
  gives: { role: Role | null; isPart: boolean }
  /** The visitor, if they are signed in. */
  user: { name: string; csrfToken: string } | undefined
}

/** Returns the page of an invitation: for a visitor with an account, or to make one. */
export const joinPage = (page: JoinPage): Page => ({
  title: `Join ${page.organization}`,
  body: page.maker === undefined ? <Already {...page} /> : <Invitation {...page} />,
})

const Already = ({ base, organization }: JoinPage) => (
  <>
    <p>
      You belong to <strong>{organization}</strong> already. This invitation gives you nothing new.
    </p>
    <a class="button first" href={`${base}/app`}>
      Continue
    </a>
  </>
)

function Invitation(page: JoinPage) {
  const { base, secret, organization, maker, gives, user } = page
  return (
    <>
      <p>
        <strong>{maker}</strong> invites you to <strong>{organization}</strong>
        {sentenceOf(gives)}.
      </p>
      {user ? (
        <AsUser {...page} user={user} />
      ) : (
        <form method="post" action={`${base}/join/${secret}`}>
          <FormField
            {...page}
            name="displayName"
            label="Your name"
            type="text"
            autocomplete="name"
            maxlength={64}
          />
          <button type="submit" class="first">
            Join as a new user
          </button>
          <p class="hint">
            You have an account on this server?{' '}
            <a href={`${base}/sso/sign-in?return_to=%2Fjoin%2F${secret}`}>Sign in first</a>
          </p>
        </form>
      )}
    </>
  )
}

type AsUserProps = JoinPage & { user: NonNullable<JoinPage['user']> }

const AsUser = ({ base, secret, user: { name, csrfToken } }: AsUserProps) => (
  <>
    <form method="post" action={`${base}/join/${secret}`}>
      <input type="hidden" name="csrf" value={csrfToken} />
      <button type="submit" class="first">
        Join as {name}
      </button>
    </form>
    <form method="post" action={`${base}/sso/sign-out`}>
      <input type="hidden" name="csrf" value={csrfToken} />
      <p class="hint">You are not {name}? Sign out, and open the invitation again.</p>
      <button type="submit">Sign out</button>
    </form>
  </>
)

/** Returns what an invitation gives, to follow the name of the organization. */
function sentenceOf({ role, isPart }: JoinPage['gives']): string {
  if (role === null) return ', as a guest'
  return isPart ? `, with the role “${role}” on a part of it` : `, with the role “${role}”`
}

/** The page of an invitation that is unknown, expired, used up or withdrawn. */
export const goneInvitePage: Page = {
  title: 'This invitation can no longer be used',
  body: (
    <>
      <p class="alert" role="alert">
        The link is incomplete, or the invitation has expired, was used up or withdrawn, or is not
        for you.
      </p>
      <p>Ask the person who sent it for a new one.</p>
    </>
  ),
}
