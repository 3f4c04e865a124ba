import type { ListedSession } from '../store/sso/sessions.ts'
import { describeAgent } from './describe-agent.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'

export type AccountPage = {
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
  body: html`${page.notice === undefined ? undefined : html`<p class="notice" role="status">${page.notice}</p>`}${who(page)}${list(page)}${signOut(page)}`,
})

const who = ({ base, user, organization }: AccountPage): Html => html`
<p>You are signed in as <strong>${user.displayName}</strong>${user.email === null ? undefined : ` (${user.email})`}.${organization === undefined ? undefined : html` This session reaches the organization “${organization}” only.`}</p>
<p><a href="${base}/">The sites that you may read</a></p>`

function list(page: AccountPage): Html {
  const { base, sessions, mayEnd, csrfToken } = page
  const others = sessions.length > 1 && mayEnd
  return html`
<section aria-labelledby="sessions">
<h2 id="sessions">Browser sessions</h2>
<form method="post" action="${base}/sso/account">
<input type="hidden" name="csrf" value="${csrfToken}">
<ul class="sessions">${sessions.map(session => item(page, session))}</ul>
${others ? html`<button type="submit" name="end" value="others">End all other sessions</button>` : undefined}
</form>
</section>`
}

function item({ currentId, mayEnd }: AccountPage, session: ListedSession): Html {
  const browser = describeAgent(session.user_agent)
  const isCurrent = session.id === currentId
  const button =
    mayEnd && !isCurrent
      ? html`<button type="submit" name="end" value="${session.id}" aria-label="End the session of ${browser}, signed in ${clock(session.created_at)}">End</button>`
      : undefined

  return html`<li><div class="what">
<p class="browser"><strong>${browser}</strong>${isCurrent ? html` <span class="mark">This browser</span>` : undefined}</p>
<p><small>Signed in ${time(session.created_at)}${session.address ? ` from ${session.address}` : undefined} with ${session.provider_id === null ? `the token “${session.token_name}”` : 'single sign-on'}.
${session.last_used_at === null ? undefined : html`Last used ${time(session.last_used_at)}. `}Ends ${time(session.expires_at)}.</small></p>
</div>${button}</li>`
}

const signOut = ({ base, csrfToken }: AccountPage): Html => html`
<section>
<form method="post" action="${base}/sso/sign-out">
<input type="hidden" name="csrf" value="${csrfToken}">
<button type="submit" class="first">Sign out</button>
</form>
</section>`

const clocks = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

const clock = (at: string): string => `${clocks.format(new Date(at))} UTC`

const time = (at: string): Html => html`<time datetime="${at}">${clock(at)}</time>`
