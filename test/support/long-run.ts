/**
 * Whether the suite takes its time: `TEST_LONG=1 npm test` runs every test file, and tries more
 * inputs of every property, and the large corpora that lie beside the checkout. A plain `npm test`
 * asserts the same of fewer inputs.
 */
export const isLongRun = process.env.TEST_LONG === '1'

/**
 * How many inputs a property is tried with: `most` of them in a long run, an eighth of them
 * otherwise. Each commit tries others.
 */
export const runs = (most: number): number => (isLongRun ? most : Math.ceil(most / 8))

/** How many commits share what runs for some commits only. */
export const shares = 4

const share = process.env.TEST_SHARE

/**
 * Whether this commit runs the line at this index of a long list, whose lines do not need each
 * other. A run of all files, or of files that were asked for, has every line.
 */
export const isInShare = (at: number): boolean =>
  share === undefined || at % shares === Number(share)

/**
 * Returns what this commit takes of a list whose members are alike: every fourth one, and at least
 * one. A run of all files, or of files that were asked for, takes all of them.
 */
export function sampleOf<Member>(list: readonly Member[]): Member[] {
  const taken = list.filter((_, at) => isInShare(at))
  return taken.length > 0 ? taken : list.slice(0, 1)
}
