import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { parseInput } from '../../http/input/parse-input.ts'
import { exitFailed, exitUsage, Failure } from '../output/failure.ts'
import { type FlagNames, inFlags } from '../output/in-flags.ts'
import { withFolder } from './with-folder.ts'

type Body<Schema extends z.ZodType> = {
  /** The schema of these fields in the API. */
  schema: Schema
  values: z.input<Schema>
  flags: FlagNames
}

/**
 * Writes rows of the data folder in one transaction, from fields that the API checks in the body of
 * a request. Throws Failure with the API's message, which names the flags of the fields.
 */
export async function writeFields<Schema extends z.ZodType, Result>(
  { schema, values, flags }: Body<Schema>,
  write: (ctx: Context, fields: z.output<Schema>) => Result,
): Promise<Result> {
  const body = named(flags, exitUsage, () => parseInput('body', schema, values))
  return withFolder(ctx =>
    named(flags, exitFailed, () => ctx.store.transact(() => write(ctx, body))),
  )
}

/** Returns the result of `work`; throws its Fault as a Failure that names flags. */
function named<Result>(flags: FlagNames, exitCode: number, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof Fault ? new Failure(inFlags(error.message, flags), exitCode) : error
  }
}
