import { multipartOf, multipartType, type Part } from './multipart.ts'
import { send } from './send.ts'

export type PageReply = { status: number; headers: Headers; text: string }

/**
 * A browser without scripts: it keeps the cookies of one server, sends forms with the origin of the
 * page, and does not follow redirects.
 */
export class Browser {
  readonly #url: string
  readonly #cookies = new Map<string, string>()
  readonly userAgent: string

  constructor(
    url: string,
    userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ) {
    this.#url = url
    this.userAgent = userAgent
  }

  /** The Cookie header that it sends. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Returns whether it has the cookie of a session. */
  get isSignedIn(): boolean {
    return this.cookie.includes('stemma-session=')
  }

  get = (path: string, headers: Record<string, string> = {}): Promise<PageReply> =>
    this.#send('GET', path, undefined, headers)

  /**
   * Sends a form from a page of the server; `headers` may pretend another origin ('' sends none).
   */
  post = (
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<PageReply> =>
    this.#send('POST', path, new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      origin: this.#url,
      ...headers,
    })

  /** Sends a form that has files; see `post`. */
  postParts = (path: string, parts: Iterable<Part>, headers: Record<string, string> = {}) =>
    this.#send('POST', path, multipartOf(parts), {
      'content-type': multipartType,
      origin: this.#url,
      ...headers,
    })

  /** Signs in with a token. */
  signIn = (token: string, rest: Record<string, string> = {}): Promise<PageReply> =>
    this.post('/sso/sign-in', { token, ...rest })

  /** Returns the token against forged requests of the account page. */
  async csrf(): Promise<string> {
    const { text } = await this.get('/app/account')
    const found = /name="csrf" value="([^"]+)"/.exec(text)?.[1]
    if (found === undefined) throw new Error(`The account page has no token: ${text.slice(-500)}`)
    return found
  }

  async #send(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ) {
    const named = Object.entries({ cookie: this.cookie, 'user-agent': this.userAgent, ...headers })
    const reply = await send(this.#url + path, {
      method,
      headers: {
        connection: 'close',
        ...Object.fromEntries(named.filter(([, value]) => value !== '')),
      },
      body,
    })

    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0(?:;|$)/.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }

    return reply
  }
}
