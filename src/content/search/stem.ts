/** Shorter stems have too many words that are no forms of each other. */
export const shortestStem = 4

export const vowel = /[aeiouy]/
const doubled = /([bdgklmnprt])\1$/

/** Returns an English word without the ending of its plural or of a verb, and without a last e. */
export function stemInEnglish(word: string): string {
  if (/ie[sd]$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  const ending = /(?:(?<=ss|sh|ch|x|z)es|ing|ed|(?<=[^su])s)$/.exec(word)?.[0] ?? ''
  const rest = word.slice(0, word.length - ending.length)
  if (ending === '' || rest.length < 3 || !vowel.test(rest)) return withoutE(word)
  return withoutE(ending === 's' || ending === 'es' ? rest : rest.replace(doubled, '$1'))
}

const withoutE = (word: string): string =>
  word.length > shortestStem && word.endsWith('e') ? word.slice(0, -1) : word
