import { invalid } from '../../errors.ts'
import { foldSlug, slugOfTitle, uniqueSlug } from '../text/slug.ts'

/** The maximum length of a segment in characters. */
const longest = 100
const form = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/

/** First segments that published sites or the server use themselves. */
const reserved: ReadonlySet<string> = new Set([
  ...['v1', 'sso', 'files', 'index', 'favicon.ico', 'robots.txt', 'rss.xml'],
  ...['sitemap.xml', 'sitemap-pages.xml', 'llms.txt', 'llms-full.txt'],
])

/**
 * Returns a path of a section or site space, or a basename, in lower case. `field` is its name for
 * messages. Throws 'invalid' if it is not one segment of the allowed form, or reserved.
 */
export function readSegment(text: string, field = 'path'): string {
  const segment = text.toLowerCase()
  const shown = JSON.stringify(text.slice(0, longest))
  if (!/^[\x21-\x7e]+$/.test(text) || !form.test(segment))
    throw invalid(
      `${shown} cannot be a ${field}. Use 1 to ${longest} letters (a-z), digits, ".", "_" and "-", with a letter or a digit at both ends.`,
    )
  if (reserved.has(segment)) throw invalid(`The ${field} ${shown} is reserved. Choose another one.`)
  return segment
}

/**
 * Returns the path for a title: unique among `taken`, which contains segments as `foldSegment`
 * returns them, and not reserved. `fallback` is used for a title without usable characters.
 */
export function derivePath(
  title: string,
  taken: ReadonlySet<string>,
  fallback: 'section' | 'space' | 'site',
): string {
  return uniqueSlug(segmentOf(title) || fallback, new Set([...taken, ...reserved]))
}

/** Returns the segment for a title; '' if the title has no usable characters. */
function segmentOf(title: string): string {
  if (title.trim() === '') return ''
  const slug = slugOfTitle(title).toLowerCase()
  // The slug of a title that cannot be transliterated.
  if (slug === 'undefined' && !/undefined/i.test(title)) return ''
  return slug
    .replace(/[^a-z0-9._]+/g, '-')
    .slice(0, longest)
    .replace(/^[._-]+|[._-]+$/g, '')
}

/**
 * Returns the form in which segments are compared: addresses ignore case and Unicode composition.
 */
export const foldSegment = foldSlug
