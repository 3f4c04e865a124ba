import type { Page } from './layout.tsx'

/**
 * Returns the page that shows the one-time code of a sign-in, for a program that no browser can
 * reach.
 */
export const codePage = (code: string | undefined): Page => ({
  title: 'You are signed in',
  body: (
    <>
      <p>Copy this code into the program that asks for it. It works once, for five minutes.</p>
      <code>{code}</code>
      <p>
        <small>Then you can close this page.</small>
      </p>
    </>
  ),
})
