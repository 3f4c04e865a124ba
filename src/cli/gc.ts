import type { Command } from 'commander'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { watch } from './progress.ts'
import { withFolder } from './with-folder.ts'

/** `stemma gc`: upkeep of every repository. */
export const gcCommand = (): Command =>
  newQuery(
    'gc',
    'Pack every repository: faster and smaller. Nothing is ever thrown away, and the server may run meanwhile',
    'stemma gc --full',
  )
    .option('--full', 'put all packs of a repository into one: once a month, say')
    .action(gc)

async function gc({ full, json }: { full?: true; json?: true }): Promise<void> {
  const { collectGarbage } = await import('../actions/upkeep/collect-garbage.ts')
  const progress = watch(true)
  const done = await withFolder(ctx =>
    collectGarbage(ctx, {
      full: full ?? false,
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    }),
  ).finally(() => progress.end())
  const sum = (of: 'before' | 'after') => done.reduce((total, each) => total + each[of], 0)
  const [before, after] = [inMegabytes(sum('before')), inMegabytes(sum('after'))]
  // What tells where things are in a pack may be larger than what packing it again saves.
  const gain =
    Number(after) < Number(before) ? `${before} MB are now ${after} MB` : `${after} MB, nothing to gain`
  if (json) printJson(done)
  else print(`Packed ${counted(done.length, 'repository', 'repositories')}: ${gain}.`)
  const failed = done.filter(({ failure }) => failure !== undefined)
  if (failed.length > 0)
    throw new Failure(
      failed
        .map(({ space, organization, failure }) => {
          const what = space ? `The space ${space} was` : `The descriptions of ${organization} were`
          return `${what} left as ${space ? 'it is' : 'they are'}: ${failure}`
        })
        .join('\n'),
    )
}

const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
