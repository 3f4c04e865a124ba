import limax from 'limax'
import { normalize } from '../../lib/normalize.ts'
import { baseName, directoryOf } from '../files.ts'

const longest = 100

// An object, not an array: limax would also replace the digits 0, 1 and 2, which are keys of an
// array.
const kept = { '.': '.', _: '_', '+': '+' }

/** Titles that need no transliteration: ASCII, without the signs that become words, such as `&`. */
const plain = /^[A-Za-z0-9 _.+:(),?!/`"[\]{};*@#=~\\^-]*$/

/** Returns what limax returns for a plain title, in a twentieth of the time. */
const plainSlug = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9._+]+/g, '-')
    .replace(/^-/, '')
    .toLowerCase()

/**
 * Returns the slug of a title, for a page, group or heading that is not named by a file: at most
 * 100 characters. A title in a script that cannot be transliterated results in 'undefined', an
 * empty one in 'untitled'.
 */
export function slugOfTitle(title: string): string {
  // Transliterating a long Chinese title takes milliseconds, so it is cut first.
  const text = title.trim().slice(0, 2 * longest)
  if (text === '') return 'untitled'
  const whole = plain.test(text) ? plainSlug(text) : limax(text, { tone: false, custom: kept })
  const slug = whole.slice(0, longest).replace(/-+$/, '')
  return slug === '' || slug === '.' || slug === '..' ? 'undefined' : slug
}

/**
 * Returns the slug of a page's file, whose path is relative to the root of the content: its base
 * name without `.md`. For a `README.md`, in any case, it is the name of its folder, or 'readme' at
 * the root.
 */
export function slugOfFile(path: string): string {
  const name = baseName(path)
  if (/^readme\.md$/i.test(name))
    return safeSlug(baseName(directoryOf(path).slice(0, -1))) || 'readme'
  const slug = name.replace(/\.(?:mdx?|markdown)$/i, '')
  return safeSlug(/^\.{0,2}$/.test(slug) ? name : slug)
}

/** What a site sends at these names, in any folder, is no page. */
const sent = /^(?:robots\.txt|llms(?:-full)?\.txt|rss\.xml|sitemap(?:-pages)?\.xml)$/i

/**
 * Returns a name as a slug that leads to its page: no percent sequence, which is decoded even if it
 * was encoded, neither the name of another file of the site nor that of the Markdown of another
 * page, and no dots alone, which browsers remove.
 */
export const safeSlug = (name: string): string =>
  (sent.test(name) ? name.replace('.', '-') : name)
    .replace(/%(?=[0-9a-f]{2})/gi, '-')
    .replace(/\.(?=(?:mdx?|markdown)$)/i, '-')
    .replace(/^\.{1,2}$/, dots => '-'.repeat(dots.length))

/**
 * Returns the form in which slugs are compared: published URLs ignore case and Unicode composition.
 */
export const foldSlug = (slug: string): string => normalize('NFC', slug).toLowerCase()

/**
 * Returns the slug, or the first of slug-1, slug-2 … whose folded form is not in `taken` (see
 * `foldSlug`). The caller may keep `next` beside that set, so that n equal slugs cost n look-ups
 * instead of n². It counts per cut slug, since long slugs that differ at the end become equal when
 * they are cut.
 */
export function uniqueSlug(
  slug: string,
  taken: ReadonlySet<string>,
  next?: Map<string, number>,
): string {
  if (!taken.has(foldSlug(slug))) return slug
  const room = Math.max(slug.length, longest)
  for (let digits = 1; ; digits++) {
    const cut = slug.slice(0, room - digits - 1)
    const key = `${digits}-${foldSlug(cut)}`
    const end = 10 ** digits
    let n = next?.get(key) ?? end / 10
    while (n < end && taken.has(foldSlug(`${cut}-${n}`))) n++
    next?.set(key, Math.min(n + 1, end))
    if (n < end) return `${cut}-${n}`
  }
}
