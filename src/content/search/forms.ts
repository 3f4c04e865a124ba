import { languageOf } from './fillers.ts'
import { shortestStem, stemInEnglish, vowel } from './stem.ts'
import { isVersion, synonymsOf } from './synonyms.ts'
import { hasUnspaced, type SearchTerm, wordsIn } from './words.ts'

const split = (list: string): readonly string[] => list.split(' ')

/** Endings that forms of a word have in some languages, longest first. */
const endings: Record<string, readonly string[]> = {
  de: split('ungen ung ern est end en er es em et st te e n s t'),
  es: split('aciones ación iendo ando ados adas ado ada ción ar er ir as os es an en a o e s'),
  fr: split('ements ement ations ation ées ée és er ez ent ant es é e s x'),
  it: split('azioni azione ando endo ato ata ati are ere ire a e i o'),
  nl: split('ingen ing den ten end en er de te e s d t'),
  pt: split('ações ação ando endo ados adas ado ada ções ção ar er ir as os es a o e s'),
  ru: split(
    'ениями ениях ений ение ения ами ями ого его ому ему ать ять ить ов ев ам ям ах ях ом ем ой ей ый ий ые ие ая ую ть а я ы и о е у ю ь',
  ),
}

/** Returns the forms of a word in a language with a list of endings. */
function formsByEndings(word: string, list: readonly string[]): string[] {
  const ending = list.find(each => word.endsWith(each) && word.length - each.length >= shortestStem)
  const stem = ending === undefined ? word : word.slice(0, -ending.length)
  return stem.length < shortestStem ? [] : ['', ...list].map(each => stem + each)
}

/** Endings of English nouns of verbs: "scheduler" and "schedule", "installation" and "install". */
const ofVerbs = /(?:ation|ment|er|or|ion|able)$/

/** Returns the forms of an English word. */
function formsInEnglish(word: string): string[] {
  const inflected = stemInEnglish(word)
  const stem = inflected.replace(ofVerbs, '')
  const stems = stem.length >= shortestStem && vowel.test(stem) ? [inflected, stem] : [inflected]
  return stems.flatMap(each => {
    const base = each.endsWith('y') ? [`${each.slice(0, -1)}ies`, `${each.slice(0, -1)}ied`] : []
    const twice = /[^aeiou][aeiou][bdgkmnprt]$/.test(each) ? each + each.at(-1) : each
    return [
      ...base,
      each,
      ...['e', 's', 'es', 'ation', 'ations', 'ment', 'ion', 'ions'].map(end => each + end),
      ...['ed', 'ing', 'er', 'ers'].flatMap(end => [each + end, twice + end]),
    ]
  })
}

const fewestLetters = 3

/** Returns other forms of a word, in lower case: most are no words. */
function formsOf(word: string, language: string): string[] {
  const lower = word.toLowerCase()
  if (lower.length < fewestLetters || !/^\p{L}+$/u.test(lower) || hasUnspaced(lower)) return []
  const list = endings[language]
  const forms = list
    ? formsByEndings(lower, list)
    : /^[a-z]+$/.test(lower)
      ? formsInEnglish(lower)
      : []
  return [...new Set(forms)].filter(each => each !== lower)
}

/** Returns the words that count as a term of one word or of several, in an English query. */
function alsoInEnglish(words: readonly string[]): string[][] {
  const [first = '', second = '', ...others] = words
  if (isVersion(first, second)) return [[`v${second}`, ...others]]
  return synonymsOf(words).flatMap(each => {
    const [word = ''] = each
    return each.length > 1 ? [each] : [word, ...formsOf(word, 'en')].map(form => [form])
  })
}

/**
 * Returns the terms of a query with the words that count as forms of them: by the endings of a
 * language, as a compound with the word before or after, and in English as synonyms.
 */
export function withForms(
  terms: readonly SearchTerm[],
  query: string,
  known: string | null = null,
): SearchTerm[] {
  const inQuery = wordsIn(query).map(({ word }) => word.toLowerCase())
  const language = languageOf(inQuery, known)

  const compoundsOf = (word: string): string[] => {
    const at = inQuery.indexOf(word)
    if (at === -1) return []
    const [last, next] = [inQuery[at - 1], inQuery[at + 1]]
    return [
      ...(last && !hasUnspaced(last) ? [last + word] : []),
      ...(next && !hasUnspaced(next) ? [word + next] : []),
    ]
  }

  return terms.map(term => {
    const words = term.words.map(word => word.toLowerCase())
    const [word = ''] = words
    if (hasUnspaced(word)) return term
    const own = words.length > 1 ? [] : [...formsOf(word, language), ...compoundsOf(word)]
    const forms = [...own.map(form => [form]), ...(language === 'en' ? alsoInEnglish(words) : [])]
    return forms.length === 0 ? term : { ...term, forms }
  })
}
