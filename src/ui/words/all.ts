import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import nl from './nl.json' with { type: 'json' }
import no from './no.json' with { type: 'json' }
import ptBr from './pt-br.json' with { type: 'json' }
import ru from './ru.json' with { type: 'json' }
import zh from './zh.json' with { type: 'json' }

/** The words of the surface in a language: those of English. `{name}` is filled in. */
export type SurfaceWords = Readonly<Record<keyof typeof en, string>>

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
