import { invalid } from '../../errors.ts'

/** The maximum length of the path of an address in characters, as sent. */
const longestPath = 2_048
const longestAddress = 8_192

/** An address as its parts. */
export type Address = {
  /** In lower case, without the port. */
  host: string
  /** '' for the default port of the scheme. */
  port: string
  /** The path, decoded, without empty and dot segments. */
  segments: string[]
  /** Whether the path has empty or dot segments: a redirect leads to the address without them. */
  untidy: boolean
  /** With its "?"; '' if there is none. */
  search: string
  /** With its "#"; absent if there is none. */
  hash?: string
}

/**
 * Parses the address of published content. Dot segments never lead above the root. Throws 'invalid'
 * if it is not an http or https URL, has credentials, is too long, or has a path that cannot be
 * decoded in two rounds.
 */
export function parseAddress(text: string): Address {
  const url = readUrl(text)
  // Not from the URL, which has resolved its dot segments.
  const path = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(text)?.[1] ?? ''
  if (path.length > longestPath)
    throw invalid(`The path of the address is too long. Use at most ${longestPath} characters.`)

  const given = path.slice(1).split('/').map(decodeSegment)
  if (given.at(-1) === '') given.pop()

  const segments = tidy(given)

  return {
    host: url.hostname,
    port: url.port,
    segments,
    untidy: segments.length !== given.length,
    search: url.search,
    ...(url.hash && { hash: url.hash }),
  }
}

function readUrl(text: string): URL {
  if (text.length > longestAddress)
    throw invalid(`The address is too long. Use at most ${longestAddress} characters.`)

  if (/[\x00-\x1f\x7f]|^[^?#]*\\|^ | $/.test(text) || !text.isWellFormed())
    throw invalid(
      'The address contains a control character, a backslash, half a surrogate pair or a space around it. Remove it.',
    )

  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]

  if (authority === undefined || !URL.canParse(text))
    throw invalid(
      'The address is not a valid URL. Send one that begins with "https://" or "http://".',
    )

  if (authority.includes('@'))
    throw invalid('The address contains a user name or a password. Send it without them.')

  return new URL(text)
}

/** Decodes a segment, which proxies may have encoded twice. */
function decodeSegment(raw: string): string {
  const once = decode(raw)
  const segment = encoded.test(once) ? decode(once) : once
  if (encoded.test(segment))
    throw invalid('The path of the address is encoded more than twice. Encode it once.')

  if (/[\x00-\x1f\x7f/\\]/.test(segment))
    throw invalid(
      'The path of the address contains an encoded slash, backslash or control character.',
    )

  return segment
}

const encoded = /%[0-9a-f]{2}/i

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(
      'The path of the address contains a "%" that does not begin an encoded UTF-8 character.',
    )
  }
}

/** Returns segments without empty and dot segments, as browsers resolve them. */
function tidy(given: readonly string[]): string[] {
  const segments: string[] = []
  for (const segment of given) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}
