import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'

export type SignInPage = {
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
  body: html`${messages(page)}${page.hasSingleSignOn || page.organization !== undefined ? withOrganization(page) : undefined}${withToken(page)}`,
})

const messages = ({ base, user, notice, alert }: SignInPage): Html => html`
${alert === undefined ? undefined : html`<p class="alert" role="alert">${alert}</p>`}
${notice === undefined ? undefined : html`<p class="notice" role="status">${notice}</p>`}
${user === undefined ? undefined : html`<p class="notice">You are signed in as ${user}. <a href="${base}/sso/account">Your account</a></p>`}`

function withOrganization({ base, organization, providers, returnTo }: SignInPage): Html {
  const none =
    organization !== undefined && providers.length === 0
      ? html`<p class="alert" role="alert">There is no identity provider for “${organization}”. Check the name, or sign in with a token.</p>`
      : undefined

  const list = providers.map(
    ({ label, url }) =>
      html`<li><a class="button first" href="${url}">Continue with ${label}</a></li>`,
  )

  return html`
<section aria-labelledby="with-organization">
<h2 id="with-organization">${providers.length > 0 ? `Single sign-on of ${organization}` : 'Single sign-on'}</h2>
${none}${list.length > 0 ? html`<ul class="providers">${list}</ul>` : undefined}
<form method="get" action="${base}/sso/sign-in">
<label for="organization">${providers.length > 0 ? 'Another organization' : 'Organization'}</label>
<input id="organization" name="organization" value="${providers.length > 0 ? '' : organization}" required maxlength="200" autocomplete="organization" autocapitalize="none" spellcheck="false" aria-describedby="organization-hint">
<p class="hint" id="organization-hint">Its id or host name, such as “acme”.</p>
${hidden(returnTo)}<button type="submit">Continue</button>
</form>
</section>`
}

const withToken = ({ base, returnTo, organization, providers }: SignInPage): Html => html`
<section aria-labelledby="with-token">
<h2 id="with-token">Token</h2>
<form method="post" action="${base}/sso/sign-in">
<label for="token">Stemma token</label>
<input id="token" name="token" type="password" required maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="token-hint">
<p class="hint" id="token-hint">It starts with “stm_”. The session has the rights of the token and ends with it.</p>
${hidden(returnTo)}<button type="submit"${organization === undefined || providers.length === 0 ? html` class="first"` : undefined}>Sign in with a token</button>
</form>
</section>`

const hidden = (returnTo: string | undefined): Html | undefined =>
  returnTo === undefined
    ? undefined
    : html`<input type="hidden" name="return_to" value="${returnTo}">`
