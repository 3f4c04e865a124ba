import type { Page } from './layout.tsx'

type SignInPage = {
  /** The path that links begin with. */
  base: string
  /** The organization that the visitor named. */
  organization?: string | undefined
  /**
   * Whether any organization has a provider: without one, single sign-on is shown only after an
   * organization was named.
   */
  hasSingleSignOn: boolean
  /** Its providers, with the addresses at which a sign-in starts. */
  providers: readonly { label: string; url: string }[]
  /** The path to return to. */
  returnTo?: string | undefined
  /** The display name of the user who is signed in. */
  user?: string | undefined
  /** What just happened, or what is wrong. */
  notice?: string | undefined
  alert?: string | undefined
}

/**
 * Returns the page on which visitors sign in: through a provider of their organization, or with a
 * token.
 */
export const signInPage = (page: SignInPage): Page => ({
  title: 'Sign in',
  body: (
    <>
      <Messages {...page} />
      {(page.hasSingleSignOn || page.organization !== undefined) && <WithOrganization {...page} />}
      <WithToken {...page} />
    </>
  ),
})

function Messages({ base, user, notice, alert }: SignInPage) {
  return (
    <>
      {alert !== undefined && <Alert text={alert} />}
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {user !== undefined && (
        <p class="notice">
          You are signed in as {user}. <a href={`${base}/app/account`}>Your account</a>
        </p>
      )}
    </>
  )
}

const Alert = ({ text }: { text: string }) => (
  <p class="alert" role="alert">
    {text}
  </p>
)

function WithOrganization({ base, organization, providers, returnTo }: SignInPage) {
  const found = providers.length > 0
  return (
    <section aria-labelledby="with-organization">
      <h2 id="with-organization">
        {found ? `Single sign-on of ${organization}` : 'Single sign-on'}
      </h2>
      {!found && organization !== undefined && (
        <Alert
          text={`There is no identity provider for “${organization}”. Check the name, or sign in with a token.`}
        />
      )}
      {found && (
        <ul class="providers">
          {providers.map(({ label, url }) => (
            <li>
              <a class="button first" href={url}>
                Continue with {label}
              </a>
            </li>
          ))}
        </ul>
      )}
      <form method="get" action={`${base}/sso/sign-in`}>
        <label for="organization">{found ? 'Another organization' : 'Organization'}</label>
        <input
          id="organization"
          name="organization"
          value={found ? '' : organization}
          required
          maxlength={200}
          autocomplete="organization"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="organization-hint"
        />
        <p class="hint" id="organization-hint">
          Its id or host name, such as “acme”.
        </p>
        <ReturnTo path={returnTo} />
        <button type="submit">Continue</button>
      </form>
    </section>
  )
}

function WithToken({ base, returnTo, organization, providers }: SignInPage) {
  const isFirst = organization === undefined || providers.length === 0
  return (
    <section aria-labelledby="with-token">
      <h2 id="with-token">Token</h2>
      <form method="post" action={`${base}/sso/sign-in`}>
        <label for="token">Stemma token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          maxlength={500}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="token-hint"
        />
        <p class="hint" id="token-hint">
          It starts with “stm_”. The session has the rights of the token and ends with it.
        </p>
        <ReturnTo path={returnTo} />
        <button type="submit" class={isFirst ? 'first' : undefined}>
          Sign in with a token
        </button>
      </form>
      <p class="hint">
        Without a token: the operator of the server gets a link with <code>stemma open</code>,
        others with an invitation.
      </p>
    </section>
  )
}

const ReturnTo = ({ path }: { path: string | undefined }) =>
  path === undefined ? null : <input type="hidden" name="return_to" value={path} />
