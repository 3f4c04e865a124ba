/** What a server answers to a text that was sent. */
export type Answer = {
  to?: string
  notice?: string
  revision?: string
  fields?: Record<string, string>
}

/**
 * What became of a text: saved; not saved for a reason that can be mended; or refused in a way that
 * a page of the server shows.
 */
type Outcome =
  | { kind: 'saved'; answer: Answer }
  | { kind: 'signed-out' }
  | { kind: 'offline' }
  | { kind: 'refused'; message: string; csrf?: string | undefined }
  | { kind: 'overlaps' }

/** Sends a form as a browser would, and returns what became of it. */
export async function send(form: HTMLFormElement, fields: URLSearchParams): Promise<Outcome> {
  let reply: Response
  try {
    reply = await fetch(form.action, {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
    })
  } catch {
    return { kind: 'offline' }
  }

  if (reply.status === 401 || (reply.redirected && reply.url.includes('/sso/sign-in')))
    return { kind: 'signed-out' }
  if (reply.status === 409 || reply.status === 412) return { kind: 'overlaps' }
  const answer = (await reply.json().catch(() => undefined)) as
    | (Answer & { csrf?: string; error?: { message?: string } })
    | undefined
  if (reply.ok && answer) return { kind: 'saved', answer }

  return {
    kind: 'refused',
    message: answer?.error?.message ?? `The server answers ${reply.status}.`,
    // The user signed in again since the page was opened.
    csrf: answer?.csrf,
  }
}

/** What is said of a text that could not be sent. */
export const sentences = {
  'signed-out':
    'You are no longer signed in. Your text is kept in this browser: sign in in another tab, then save again.',
  offline: 'The server does not answer. Your text is kept in this browser: try again later.',
}
