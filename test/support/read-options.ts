import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values']

/** The options whose value is a whole number. */
const numbers = ['rounds', 'runs', 'seed', 'jobs', 'seconds']

/**
 * The options that a command was called with. `--help` prints the usage and ends it; what it does not know, or a number
 * that is none, is told with the usage, and ends it with 2.
 */
export function readOptions<const O extends Options>(usage: string, options: O): Values<O> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } })
    const given = values as Record<string, string | boolean | undefined>
    if (given.help) {
      console.log(usage)
      process.exit(0)
    }
    for (const name of numbers)
      if (given[name] !== undefined && !/^\d{1,15}$/.test(String(given[name])))
        throw new Error(`--${name} takes a whole number, not ${JSON.stringify(given[name])}`)
    return values as Values<O>
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}
