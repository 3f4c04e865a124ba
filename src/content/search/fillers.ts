/** Words that most sentences of a language have: a search for other words is better without them. */
const lists = [
  // English
  'a about after all am an and any are as at be been being but by can could did do does for from get had has have how i if in into is it its me my of on or our over own should so some than that the their them then there these they this those to us was we were what when where which while who why will with would you your',
  // German
  'als am an auf aus bei bin das dass dem den der des die ein eine einem einen einer es für hat ich ihr im in ist kann man mein mit nach oder sich sie sind und von vom was wenn wer wie wir wird wo zu zum zur',
  // French
  'à au aux avec ce ces comment dans de des du elle en est et il je la le les leur ma mes mon ne nous on ou où par pas pour que qui sa se ses son sont sur un une vous',
  // Spanish
  'al como cómo con cual cuando de del desde donde dónde el en es esta este hay la las lo los mi mis para por que qué se sin son su sus un una y yo',
  // Italian
  'ai al alla che chi come con da dal dei del della di dove e gli i il in la le lo mi nel non per quando si sono su un una uno',
  // Portuguese
  'ao aos as como da das de do dos e em é eu na nas no nos o os onde para pela pelo por quando que se são um uma',
  // Dutch
  'aan bij dat de die een en er het hoe ik in is kan met mijn naar of om op te van voor waar wanneer wat wie zijn',
]

const fillers: ReadonlySet<string> = new Set(lists.flatMap(list => list.split(' ')))

/** Reports whether a word, in lower case, has no meaning of its own in some language. */
export const isFiller = (word: string): boolean => fillers.has(word)
