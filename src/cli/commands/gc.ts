import type { Command } from 'commander'
import { withFolder } from '../folder/with-folder.ts'
import { Failure } from '../output/failure.ts'
import { counted, print, printJson } from '../output/print.ts'
import { watch } from '../output/progress.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma gc`: maintenance of every repository. */
export const gcCommand = (): Command =>
  newQuery(
    'gc',
    'Pack every repository to make it faster and smaller. Nothing is deleted, and the server may be running',
    'stemma gc --full',
  )
    .option('--full', 'combine all packs of a repository into one, e.g. once a month')
    .action(gc)

async function gc({ full, json }: { full?: true; json?: true }): Promise<void> {
  const { collectGarbage } = await import('../../actions/upkeep/collect-garbage.ts')
  const progress = watch(true)
  const done = await withFolder(ctx =>
    collectGarbage(ctx, {
      full: full ?? false,
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    }),
  ).finally(() => progress.end())
  const sum = (of: 'before' | 'after') => done.reduce((total, each) => total + each[of], 0)
  const [before, after] = [inMegabytes(sum('before')), inMegabytes(sum('after'))]

  // The index of a pack can be larger than what packing again saves.
  const gain =
    Number(after) < Number(before)
      ? `${before} MB are now ${after} MB`
      : `${after} MB, nothing saved`
  if (json) printJson(done)
  else print(`Packed ${counted(done.length, 'repository', 'repositories')}: ${gain}.`)

  const failed = done.filter(({ failure }) => failure !== undefined)

  if (failed.length > 0)
    throw new Failure(
      failed
        .map(({ space, organization, failure }) => {
          const what = space ? `The space ${space} was` : `The specs of ${organization} were`
          return `${what} left unchanged: ${failure}`
        })
        .join('\n'),
    )
}

const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
