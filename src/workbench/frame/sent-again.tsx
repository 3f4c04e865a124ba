import { HiddenFields, KeptFields } from './kept-fields.tsx'
import type { View } from './page.ts'

type Sent = {
  /** The path of the server, without a slash at its end. */
  base: string
  /** The path of the form below `/app`, and its fields. */
  to: string
  values: ReadonlyMap<string, string>
}

/**
 * Returns the page for a form that came without a session: it keeps what was typed. After signing
 * in in another tab, one sends it again from here.
 */
export const signedOutView = ({ base, to, values }: Sent): View => ({
  title: 'You were signed out',
  status: 401,
  body: (
    <>
      <p class="lead">
        Your session has ended. Nothing is lost: what you typed stands below, and was not sent yet.
      </p>
      <ol class="ways-on">
        <li>
          <a class="btn primary" href={`${base}/sso/sign-in`} target="_blank" rel="noopener">
            Sign in in another tab
          </a>
        </li>
        <li>
          <form method="post" action={`${base}/app${to}`}>
            <HiddenFields values={values} />
            <button class="btn" type="submit">
              Then send it again
            </button>
          </form>
        </li>
      </ol>
      <KeptFields values={values} />
    </>
  ),
})

/**
 * Returns the page for a form without the token of the session, as one of an earlier sign-in: it
 * asks whether to send it, and as whom.
 */
export const confirmView = ({
  base,
  to,
  values,
  csrf,
  name,
}: Sent & { csrf: string; name: string }): View => ({
  title: 'Send it again?',
  status: 403,
  body: (
    <>
      <p class="lead">
        This was written before you signed in as <b>{name}</b>. Nothing was done yet.
      </p>
      <form method="post" action={`${base}/app${to}`}>
        <HiddenFields values={values} />
        <input type="hidden" name="csrf" value={csrf} />
        <button class="btn primary" type="submit">
          Send it as {name}
        </button>
      </form>
      <KeptFields values={values} />
    </>
  ),
})
