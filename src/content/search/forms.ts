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

/** Shorter stems have too many words that are no forms of each other. */
const shortestStem = 4

/** Returns the forms of a word in a language with a list of endings. */
function formsByEndings(word: string, list: readonly string[]): string[] {
  const ending = list.find(each => word.endsWith(each) && word.length - each.length >= shortestStem)
  const stem = ending === undefined ? word : word.slice(0, -ending.length)
  return stem.length < shortestStem ? [] : ['', ...list].map(each => stem + each)
}

const vowel = /[aeiouy]/
const doubled = /([bdgklmnprt])\1$/

/** Returns an English word without the ending of its plural or of a verb, and without a last e. */
function stemInEnglish(word: string): string {
  if (/ie[sd]$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  const ending = /(?:(?<=ss|sh|ch|x|z)es|ing|ed|(?<=[^su])s)$/.exec(word)?.[0] ?? ''
  const rest = word.slice(0, word.length - ending.length)
  if (ending === '' || rest.length < 3 || !vowel.test(rest)) return withoutE(word)
  return withoutE(ending === 's' || ending === 'es' ? rest : rest.replace(doubled, '$1'))
}

const withoutE = (word: string): string =>
  word.length > shortestStem && word.endsWith('e') ? word.slice(0, -1) : word

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

/**
 * Returns the terms of a query with the words that count as forms of them: by the endings of a
 * language, English if it is not known, and as a compound with the word before or after.
 */
export function withForms(
  terms: readonly SearchTerm[],
  query: string,
  language: string | null = null,
): SearchTerm[] {
  const code = (language ?? 'en').slice(0, 2).toLowerCase()
  const inQuery = wordsIn(query).map(({ word }) => word.toLowerCase())
  return terms.map(term => {
    const [word = '', ...others] = term.words
    if (others.length > 0 || hasUnspaced(word)) return term
    const at = inQuery.indexOf(word.toLowerCase())
    const near = [inQuery[at - 1], inQuery[at + 1]]
    const compounds =
      at === -1
        ? []
        : [
            ...(near[0] && !hasUnspaced(near[0]) ? [near[0] + inQuery[at]] : []),
            ...(near[1] && !hasUnspaced(near[1]) ? [inQuery[at] + near[1]] : []),
          ]
    const forms = [...formsOf(word, code), ...compounds].map(form => [form])
    return forms.length === 0 ? term : { ...term, forms }
  })
}
