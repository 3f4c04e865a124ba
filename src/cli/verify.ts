import type { Command } from 'commander'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { print, printJson } from './print.ts'
import { printProblems } from './print-problems.ts'
import { watch } from './progress.ts'
import { withFolder } from './with-folder.ts'

/** `stemma verify`: is everything in the data folder as it must be? */
export const verifyCommand = (): Command =>
  newQuery(
    'verify',
    'Check the database and every repository; what is wrong is printed with what to do, and the exit code is 1',
    'stemma verify',
  ).action(verifyFolder)

async function verifyFolder({ json }: { json?: true }): Promise<void> {
  const { verify } = await import('../actions/verify.ts')
  const progress = watch(true)
  const problems = await withFolder(ctx =>
    verify(ctx, (space, at, of) => progress.show(space.title, at, of)).finally(() => progress.end()),
  )
  if (json) printJson({ ok: problems.length === 0, problems })
  else if (problems.length === 0) print('Everything is as it must be.')
  if (problems.length > 0) throw new Failure(json ? '' : printProblems(problems))
}
