import type { Command } from 'commander'
import { newQuery } from './new-command.ts'
import { printJson } from './print.ts'
import { reportProblems } from './print-problems.ts'
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
  const { verify } = await import('../actions/upkeep/verify.ts')
  const progress = watch(true)
  const problems = await withFolder(ctx =>
    verify(ctx, (space, at, of) => progress.show(space.title, at, of)).finally(() => progress.end()),
  )
  if (json) printJson({ ok: problems.every(({ harmless }) => harmless === true), problems })
  reportProblems(problems, { json: json === true, allWell: 'Everything is as it must be.' })
}
