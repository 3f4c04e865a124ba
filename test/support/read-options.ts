import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values']

/** The options whose values are whole numbers. */
const numbers = ['rounds', 'writes', 'runs', 'seed', 'jobs', 'seconds']

/**
 * Parses the options of a command. `--help` prints the usage and exits with 0; an unknown option or
 * an invalid number prints the error and the usage and exits with 2.
 */
export function readOptions<const O extends Options>(
  usage: string,
  options: O,
  args: readonly string[] = process.argv.slice(2),
): Values<O> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean' } },
    })
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
