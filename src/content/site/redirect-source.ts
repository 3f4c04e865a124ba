import { invalid } from '../../errors.ts'
import { parseAddress } from './address.ts'
import { foldSegment } from './path.ts'

/**
 * Returns the form in which the source path of a redirect is compared: decoded, ignoring case and
 * Unicode composition. Throws 'invalid' for a path that no address has.
 */
export function foldSource(source: string): string {
  const { segments, untidy } = parseAddress(`https://site${source}`)
  if (untidy) throw invalid('The source contains the segment "." or "..". Use the path without it.')
  return foldSegments(segments)
}

/** Returns the decoded segments of a path in the form of `foldSource`. */
export const foldSegments = (segments: readonly string[]): string =>
  `/${segments.map(foldSegment).join('/')}`
