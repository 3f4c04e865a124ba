import type { Steps } from '../../lib/slices.ts'

/** Scripts that people write today, as Unicode names them, beside those that every installation can print. */
const scripts = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam'],
  ...['Sinhala', 'Ethiopic', 'Mongolian', 'Syriac', 'Thaana', 'Tifinagh', 'Cherokee', 'Nko', 'Vai', 'Yi'],
  ...['Javanese', 'Balinese', 'Sundanese', 'Canadian_Aboriginal', 'Adlam', 'Ol_Chiki', 'Meetei_Mayek'],
].map(name => ({ name: name.replaceAll('_', ' '), has: new RegExp(`^\\p{Script=${name}}`, 'u') }))

/** The fonts that the compiler brings have Latin, Greek, Cyrillic, Hebrew, Arabic, Armenian, Georgian and Devanagari. */
const special =
  /(?:\p{Emoji_Presentation}|[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}\p{C}])/gu

/** More different characters than this are not asked about. */
const most = 20_000

/** The characters of these texts that need a font of their own, each once. */
export function* specialCharacters(texts: Iterable<string>): Steps<Set<string>> {
  const found = new Set<string>()
  for (const text of texts)
    for (let at = 0; at < text.length && found.size < most; at += piece) {
      // A pair that is cut in two is no character of any script.
      for (const [character] of text.slice(at, at + piece).matchAll(special)) found.add(character)
      yield
    }
  return found
}

const piece = 65_536

/** What the characters are written in, in the words of people: `Thai`, `emoji`, `other scripts`. */
export const scriptsOf = (characters: Iterable<string>): string[] => {
  const names = new Set<string>()
  for (const character of characters)
    names.add(
      /\p{Emoji_Presentation}/u.test(character)
        ? 'emoji'
        : (scripts.find(({ has }) => has.test(character))?.name ?? 'other scripts'),
    )
  return [...names].sort()
}
