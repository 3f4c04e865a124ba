import type { Page } from './layout.tsx'

type FailurePage = {
  /** The path that links begin with. */
  base: string
  message: string
  title?: string
  requestId: string
}

/** Returns the page that says why a request of a browser failed. */
export const failurePage = ({
  base,
  message,
  requestId,
  title = 'Something went wrong',
}: FailurePage): Page => ({
  title,
  body: (
    <>
      <p class="alert" role="alert">
        {message}
      </p>
      <p>
        <a href={`${base}/sso/sign-in`}>Go to the sign-in page</a>
      </p>
      <p>
        <small>Request {requestId}</small>
      </p>
    </>
  ),
})
