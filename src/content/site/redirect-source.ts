import { invalid } from '../../errors.ts'
import { normalize } from '../../lib/normalize.ts'
import { parseAddress } from './address.ts'
import { foldSegment } from './path.ts'

/**
 * Returns the form in which the source path of a redirect is compared: decoded, ignoring case and
 * Unicode composition; a wildcard at its end stays. Throws 'invalid' for a path that no address has.
 */
export function foldSource(source: string): string {
  const [, path = '', wildcard = ''] = /^(.*?)(\/?\*)?$/s.exec(source) ?? []
  return foldSegments(segmentsOfSource(path)) + wildcard
}

/**
 * Returns the decoded segments of the path of an address. Throws 'invalid' for a path that no
 * address has.
 */
export function segmentsOfSource(source: string): string[] {
  const { segments, untidy } = parseAddress(`https://site${source}`)
  if (untidy) throw invalid('The source contains the segment "." or "..". Use the path without it.')
  return segments
}

/** The maximum length of the source of a redirect in characters. */
export const longestSource = 512

const segment = '(?:[A-Za-z0-9\\-._~+]|%[0-9A-Fa-f]{2})+'

/** The form of the source of a redirect: a path, perhaps with a wildcard at its end. */
export const sourcePattern: RegExp = new RegExp(`^(?:/${segment})+(?:/\\*|\\*)?$`)

/** Returns whether a text is an http or https URL without a user name and a password. */
export function isWebAddress(text: string): boolean {
  if (text.length > 2048 || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** Returns whether a text can be the address outside of a site to which a redirect leads. */
export const isExternalAddress = (text: string): boolean =>
  /^https:/i.test(text) && isWebAddress(text)

/**
 * Returns the folded sources that match a folded path: the path, then wildcards, from the longest
 * on. "/a/*" matches "/a" too.
 */
export function sourcesMatching(folded: string): string[] {
  const sources = [folded, `${folded}/*`]
  for (let end = Math.min(folded.length, longestSource); end > 1; end--)
    sources.push(`${folded.slice(0, end)}*`)
  return sources
}

/**
 * Returns what the wildcard of a folded source matches in a path of decoded segments, as it is
 * written there where folding keeps its length: with a slash in front if the wildcard has one.
 */
export function matchedBy(source: string, segments: readonly string[]): string {
  const folded = foldSegments(segments)
  const written = normalize('NFC', `/${segments.join('/')}`)
  const kept = written.length === folded.length ? written : folded
  return kept.slice(source.length - (source.endsWith('/*') ? 2 : 1))
}

/** Returns the decoded segments of a path in the form of `foldSource`. */
export const foldSegments = (segments: readonly string[]): string =>
  `/${segments.map(foldSegment).join('/')}`
