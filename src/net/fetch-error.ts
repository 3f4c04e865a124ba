/**
 * Why a request got no usable response, as a sentence; with `again`, a later attempt may succeed.
 */
export class FetchError extends Error {
  readonly code: 'FETCH_TIMEOUT' | 'FETCH_ERROR'
  readonly again: boolean
  constructor(message: string, { code = 'FETCH_ERROR', again = false }: FetchFailure = {}) {
    super(message)
    this.code = code
    this.again = again
  }
}

type FetchFailure = { code?: FetchError['code']; again?: boolean }

/**
 * Returns the FetchError for anything thrown by a request to `url`, or while reading its response.
 */
export function fetchErrorOf(
  error: unknown,
  url: URL,
  signal: AbortSignal,
  otherwise = 'could not be reached',
): FetchError {
  if (error instanceof FetchError) return error

  if (signal.aborted)
    return new FetchError(`${url.host} took too long to answer.`, {
      code: 'FETCH_TIMEOUT',
      again: true,
    })

  if (error instanceof Error && error.name === 'Fault') return new FetchError(`${error.message}.`)

  const code = String((error as { code?: unknown }).code ?? '')
  const sentence = sentences[code]
  if (sentence) return new FetchError(sentence(url.hostname), { again: true })
  if (/CERT|SSL|TLS|SIGNATURE/.test(code))
    return new FetchError(`The certificate of ${url.host} could not be verified.`)
  if (/^Z_|BROTLI/.test(code))
    return new FetchError(`The response of ${url.host} cannot be decompressed.`)

  return new FetchError(`${url.host} ${otherwise}.`, { again: true })
}

/** Messages for the codes of NameError. */
const sentences: Record<string, (host: string) => string> = {
  ENOTFOUND: host => `The host ${host} does not exist.`,
  ETIMEOUT: host => `The name servers did not answer for ${host} in time.`,
  EBUSY: host => `Too many host names are being resolved. Try ${host} again in a moment.`,
}
