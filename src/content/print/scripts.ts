import type { Steps } from '../../lib/slices.ts'
import { withEmoji } from '../text/emoji.ts'

/** The Unicode names of scripts in use today, without those that every installation can print. */
const scripts = [
  ...[
    'Han',
    'Hiragana',
    'Katakana',
    'Bopomofo',
    'Hangul',
    'Thai',
    'Lao',
    'Khmer',
    'Myanmar',
    'Tibetan',
  ],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
  ...[
    'Sinhala',
    'Ethiopic',
    'Mongolian',
    'Syriac',
    'Thaana',
    'Tifinagh',
    'Cherokee',
    'Nko',
    'Vai',
    'Yi',
  ],
  ...[
    'Javanese',
    'Balinese',
    'Sundanese',
    'Canadian_Aboriginal',
    'Adlam',
    'Ol_Chiki',
    'Meetei_Mayek',
  ],
].map(name => ({ name: name.replaceAll('_', ' '), has: new RegExp(`^\\p{Script=${name}}`, 'u') }))

/**
 * Characters outside Latin, Greek, Cyrillic, Hebrew, Arabic, Armenian, Georgian and Devanagari,
 * which the compiler's own fonts have.
 */
const special =
  /(?:\p{Emoji_Presentation}|[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}\p{C}])/gu

/** The most distinct characters that are collected. */
const most = 20_000

/** Returns the distinct characters of the texts that need an additional font. */
export function* specialCharacters(texts: Iterable<string>): Steps<Set<string>> {
  const found = new Set<string>()
  for (const written of texts) {
    const text = withEmoji(written)
    for (let at = 0; at < text.length && found.size < most; at += piece) {
      // Half of a surrogate pair belongs to no script.
      for (const [character] of text.slice(at, at + piece).matchAll(special)) found.add(character)
      yield
    }
  }

  return found
}

const piece = 65_536

/** Returns the names of the characters' scripts, for people: `Thai`, `emoji`, `other scripts`. */
export function scriptsOf(characters: Iterable<string>): string[] {
  const names = new Set<string>()
  for (const character of characters)
    names.add(
      /\p{Emoji_Presentation}/u.test(character)
        ? 'emoji'
        : (scripts.find(({ has }) => has.test(character))?.name ?? 'other scripts'),
    )
  return [...names].sort()
}
