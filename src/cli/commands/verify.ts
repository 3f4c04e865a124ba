import type { Command } from 'commander'
import { withFolder } from '../folder/with-folder.ts'
import { printJson } from '../output/print.ts'
import { reportProblems } from '../output/print-problems.ts'
import { watch } from '../output/progress.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma verify`: checks the data folder. */
export const verifyCommand = (): Command =>
  newQuery(
    'verify',
    'Check the database and every repository; problems are printed with their remedies, and the exit code is 1',
    'stemma verify',
  ).action(verifyFolder)

async function verifyFolder({ json }: { json?: true }): Promise<void> {
  const { verify } = await import('../../actions/upkeep/verify.ts')
  const progress = watch(true)
  const problems = await withFolder(ctx =>
    verify(ctx, (space, at, of) => progress.show(space.title, at, of)).finally(() =>
      progress.end(),
    ),
  )
  if (json) printJson({ ok: problems.every(({ harmless }) => harmless === true), problems })
  reportProblems(problems, { json: json === true, allWell: 'Everything is intact.' })
}
