import limax from 'limax'
import { baseName, directoryOf } from '../files.ts'

const longest = 100

// An object, not a list: given a list, the transliterator takes the digits 0, 1 and 2 for its indexes.
const kept = { '.': '.', _: '_', '+': '+' }

/**
 * The slug of a page, group or heading that has no file to name it: at most 100 characters.
 * A title that leaves nothing (a script without transliteration) gives 'undefined', an empty one 'untitled'.
 */
export function slugOfTitle(title: string): string {
  // Twice what can stay: transliterating a long Chinese title takes milliseconds.
  const text = title.trim().slice(0, 2 * longest)
  if (text === '') return 'untitled'
  const slug = limax(text, { tone: false, custom: kept }).slice(0, longest).replace(/-+$/, '')
  return slug === '' || slug === '.' || slug === '..' ? 'undefined' : slug
}

/**
 * The slug of a page's file, its path seen from the root of the content: the base name without `.md`, for a
 * `README.md` the name of its folder ('readme' at the root), and otherwise unchanged.
 */
export function slugOfFile(path: string): string {
  const name = baseName(path)
  if (name !== 'README.md') return name.replace(/\.(?:md|markdown)$/i, '') || name
  return baseName(directoryOf(path).slice(0, -1)) || 'readme'
}

/** What two slugs must differ in: published addresses ignore case and the composition of letters. */
export const foldSlug = (slug: string): string => slug.normalize('NFC').toLowerCase()

/**
 * The slug, or the first of slug-1, slug-2 … whose folded form is not among `taken` (folded forms, see `foldSlug`).
 * With `next`, which the caller keeps beside the set, n equal slugs cost n look-ups and not n².
 */
export function uniqueSlug(slug: string, taken: ReadonlySet<string>, next?: Map<string, number>): string {
  if (!taken.has(foldSlug(slug))) return slug
  const room = Math.max(slug.length, longest)
  for (let n = next?.get(foldSlug(slug)) ?? 1; ; n++) {
    const suffix = `-${n}`
    const candidate = slug.slice(0, room - suffix.length) + suffix
    if (taken.has(foldSlug(candidate))) continue
    next?.set(foldSlug(slug), n + 1)
    return candidate
  }
}
