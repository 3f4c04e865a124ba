import { type FieldState, FormField } from './form-field.tsx'
import type { Page } from './layout.tsx'

type WelcomePage = FieldState & {
  /** The path that links begin with. */
  base: string
  code: string
  /** The name of the user whom the code signs in. */
  name: string
  /** Whether they have yet to tell their name and e-mail address. */
  introduces: boolean
}

/** Returns the page of a code that signs a user in. */
export const welcomePage = (page: WelcomePage): Page => ({
  title: page.introduces ? 'Welcome to Stemma' : 'Sign in',
  body: (
    <>
      <p>
        {page.introduces ? (
          'You are the first administrator of this server. Your name and address appear in the history of what you write.'
        ) : (
          <>
            You sign in as <strong>{page.name}</strong>.
          </>
        )}
      </p>
      <form method="post" action={`${page.base}/app/welcome`}>
        <input type="hidden" name="code" value={page.code} />
        {page.introduces && (
          <>
            <FormField
              {...page}
              name="displayName"
              label="Your name"
              type="text"
              autocomplete="name"
              maxlength={64}
            />
            <FormField
              {...page}
              name="email"
              label="E-mail address"
              type="email"
              autocomplete="email"
              maxlength={254}
            />
          </>
        )}
        <button type="submit" class="first">
          {page.introduces ? 'Start' : 'Sign in'}
        </button>
      </form>
    </>
  ),
})

const NewLink = () => (
  <>
    <p>On the machine of the server, this command prints a new link:</p>
    <code>stemma open</code>
    <p>
      <small>In a checkout of the repository, it is called “npx stemma open”.</small>
    </p>
  </>
)

/** The page of a code that is unknown, expired or used. */
export const goneCodePage: Page = {
  title: 'This link can no longer be used',
  body: (
    <>
      <p class="alert" role="alert">
        The link is incomplete, has expired or was used before. Each link signs in once, within an
        hour.
      </p>
      <NewLink />
    </>
  ),
}

/** The page of a code that is opened on another machine. */
export const elsewherePage: Page = {
  title: 'Open this link on the machine of the server',
  body: (
    <>
      <p class="alert" role="alert">
        This link works in a browser on the machine on which the server runs. It is still valid.
      </p>
      <p>For a browser on another machine, this command prints a link:</p>
      <code>stemma open --anywhere</code>
      <p>
        <small>In a checkout of the repository, it is called “npx stemma open --anywhere”.</small>
      </p>
    </>
  ),
}
