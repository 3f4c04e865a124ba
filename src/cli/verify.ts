import type { Command } from 'commander'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { oneLine, print, printJson } from './print.ts'
import { watch } from './progress.ts'
import { withFolder } from './with-folder.ts'

/** `stemma verify`: is everything in the data folder as it must be? */
export const verifyCommand = (): Command =>
  newQuery(
    'verify',
    'Check the database and every repository; each problem is a line, and the exit code 1',
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
  for (const { space, what, remedy } of json ? [] : problems)
    print(oneLine(`${space === undefined ? 'data folder' : `space ${space}`}: ${what} ${remedy}`))
  if (problems.length > 0) throw new Failure(json ? '' : `${problems.length} problems were found.`)
}
