import { CommanderError } from 'commander'
import { failureOf } from './output/failure.ts'
import { program } from './program.ts'

/** Runs a command line (without the program's name) to its end; returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const root = await program(args[0])
    await root.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already printed the usage error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { sentence, exitCode } = failureOf(error)
    if (sentence !== '') console.error(sentence)
    return exitCode
  }
}
