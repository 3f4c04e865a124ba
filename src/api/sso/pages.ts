import { html } from '../sign-in/html.ts'
import type { Page } from '../sign-in/layout.ts'

/** Returns the page that shows the one-time code of a sign-in, for a program that no browser can reach. */
export const codePage = (code: string | undefined): Page => ({
  title: 'You are signed in',
  body: html`
<p>Copy this code into the program that asks for it. It works once, for five minutes.</p>
<code>${code}</code>
<p><small>Then you can close this page.</small></p>`,
})

export type RefusalPage = {
  /** The path that links begin with. */
  base: string
  sentence: string
  requestId: string
}

/** Returns the page that says why a sign-in was refused, with the id of the request for the operator. */
export const refusalPage = ({ base, sentence, requestId }: RefusalPage): Page => ({
  title: 'Sign-in failed',
  body: html`
<p class="alert" role="alert">${sentence}</p>
<p><a href="${base}/sso/sign-in">Go to the sign-in page</a></p>
<p><small>Request ${requestId}</small></p>`,
})
