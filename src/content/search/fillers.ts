/** By language, words that most sentences have: a search for other words is better without them. */
const fillers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    en: 'a about after all also am an and any are as at be been being but by can could did do does for from get had has have how i if in instead into is it its just let may me might must my need of on only or our over own please should so some than that the their them then there these they this those to us via want was we were what when where which while who why will with would you your',
    de: 'als am an auf aus bei bin das dass dem den der des die ein eine einem einen einer es für hat ich ihr im in ist kann man mein mit nach oder sich sie sind und von vom was wenn wer wie wir wird wo zu zum zur',
    fr: 'à au aux avec ce ces comment dans de des du elle en est et il je la le les leur ma mes mon ne nous on ou où par pas pour que qui sa se ses son sont sur un une vous',
    es: 'al como cómo con cual cuando de del desde donde dónde el en es esta este hay la las lo los mi mis para por que qué se sin son su sus un una y yo',
    it: 'ai al alla che chi come con da dal dei del della di dove e gli i il in la le lo mi nel non per quando si sono su un una uno',
    pt: 'ao aos as como da das de do dos e em é eu na nas no nos o os onde para pela pelo por quando que se são um uma',
    nl: 'aan bij dat de die een en er het hoe ik in is kan met mijn naar of om op te van voor waar wanneer wat wie zijn',
  }).map(([language, list]) => [language, new Set(list.split(' '))]),
)

/** Reports whether a word, in lower case, has no meaning of its own in a language. */
export const isFiller = (word: string, language: string): boolean =>
  fillers.get(language)?.has(word) ?? false

/** This many fillers tell the language of a query: a single one may be a word of another language. */
const fewestToTell = 2

/**
 * Returns the two letters of a language: of a known one, or of the one that most words of a query,
 * in lower case, are fillers of; of English if there are few of them.
 */
export function languageOf(words: readonly string[], known: string | null | undefined): string {
  if (known) return known.slice(0, 2).toLowerCase()
  const count = (language: string) => words.filter(word => isFiller(word, language)).length
  let [best, most] = ['en', Math.max(count('en'), fewestToTell - 1)]
  for (const language of fillers.keys())
    if (count(language) > most) [best, most] = [language, count(language)]
  return best
}
