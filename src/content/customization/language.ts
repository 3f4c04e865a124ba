import { locales, type Settings } from './schema.ts'

type Locale = Settings['internationalization']['locale']

/** Languages of spaces whose readers are served by a locale with another name. */
const nearest: Readonly<Record<string, Locale>> = { pt: 'pt-br', yue: 'zh', nb: 'no', nn: 'no' }

/** The primary tags of languages that are written from right to left. */
const rightToLeft = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'sd', 'ug', 'ur', 'yi'])

/**
 * Returns the locale of the words around the texts of a space: its language, if there are words in
 * it, otherwise the locale of the settings. `spaceLanguage` is a language tag, such as "de" or
 * "pt-br", or null for no particular language.
 */
export function surfaceLocale(settings: Settings, spaceLanguage: string | null): Locale {
  const tag = spaceLanguage?.toLowerCase() ?? ''
  const primary = primaryTag(tag)
  const found = [tag, primary].find(name => (locales as readonly string[]).includes(name))
  return (found as Locale | undefined) ?? nearest[primary] ?? settings.internationalization.locale
}

/**
 * Returns the attributes `lang` and `dir` of a page: those of the language of its space, otherwise
 * of the settings' locale.
 */
export function pageLanguage(
  settings: Settings,
  spaceLanguage: string | null,
): { lang: string; dir: 'ltr' | 'rtl' } {
  const tag = spaceLanguage ?? settings.internationalization.locale
  const [primary = '', ...rest] = tag.split('-')
  const lang = [
    primary.toLowerCase(),
    ...rest.map(part => (part.length === 2 ? part.toUpperCase() : part)),
  ]
  return { lang: lang.join('-'), dir: rightToLeft.has(primaryTag(tag)) ? 'rtl' : 'ltr' }
}

const primaryTag = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? ''
