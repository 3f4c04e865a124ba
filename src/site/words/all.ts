import { de } from './de.ts'
import { en, type SurfaceWords } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { nl } from './nl.ts'
import { no } from './no.ts'
import { ptBr } from './pt-br.ts'
import { ru } from './ru.ts'
import { zh } from './zh.ts'

/** The languages of the surface by the locale of a site's settings. */
export const surfaceLanguages: Readonly<Record<string, SurfaceWords>> = {
  en,
  de,
  es,
  fr,
  ja,
  nl,
  no,
  'pt-br': ptBr,
  ru,
  zh,
}

/**
 * The locale whose words a language uses, where the two differ: `pt`, and the written forms of
 * Norwegian.
 */
const written: Readonly<Record<string, string>> = { pt: 'pt-br', nb: 'no', nn: 'no' }

/** Returns the words in the first of these locales that has a translation; English if none has. */
export function wordsOfFirst(locales: readonly string[]): ReturnType<typeof wordsOf> {
  const known = locales.map(wordsOf)
  return known.find(({ words }, at) => words !== en || /^en\b/i.test(locales[at]!)) ?? wordsOf('en')
}

/**
 * Returns the words of the surface in a language, and the language tag of these words. A language
 * without words of its own has those of English: `fr-CA` has French ones.
 */
export function wordsOf(locale: string): { words: SurfaceWords; lang: string } {
  const tag = locale.toLowerCase()
  const [language = 'en'] = tag.split('-')
  const names = [tag, written[language] ?? language]
  const known = names.find(name => Object.hasOwn(surfaceLanguages, name)) ?? 'en'

  return {
    words: surfaceLanguages[known]!,
    lang: known === 'pt-br' ? 'pt-BR' : known,
  }
}

/** Returns words with their `{name}` placeholders filled in; unknown ones stay. */
export function fill(words: string, values: Readonly<Record<string, string | number>>): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
