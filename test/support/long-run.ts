/**
 * Whether the suite takes its time: `TEST_LONG=1 npm test` tries more inputs of every property,
 * every cell of the tables of guards, and the large corpora that lie beside the checkout. A plain
 * `npm test` asserts the same of fewer inputs.
 */
export const isLongRun = process.env.TEST_LONG === '1'

/**
 * How many inputs a property is tried with: `most` of them in a long run, a quarter of them
 * otherwise.
 */
export const runs = (most: number): number => (isLongRun ? most : Math.ceil(most / 4))
