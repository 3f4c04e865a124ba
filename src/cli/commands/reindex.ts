import type { Command } from 'commander'
import { findSpace, listAllSpaces } from '../../store/spaces/spaces.ts'
import { withFolder } from '../folder/with-folder.ts'
import { Failure, failureOf } from '../output/failure.ts'
import { counted, print, printJson } from '../output/print.ts'
import { watch } from '../output/progress.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma reindex`: rebuilds what Stemma derives from Git. */
export const reindexCommand = (): Command =>
  newQuery(
    'reindex',
    'Rebuild what Stemma derives from Git: history, refs, page data and the search index. Changes no content. Deleting derived.db from the data folder while the server is stopped has the same effect for all spaces',
    'stemma reindex --space 3vJ0qX…',
  )
    .summary('Rebuild what Stemma derives from Git: history, refs, page data and the search index')
    .option('--space <id>', 'only this space')
    .action(reindex)

async function reindex({ space: id, json }: { space?: string; json?: true }): Promise<void> {
  const { forgetDerived, reindexSpace } = await import('../../actions/upkeep/reindex.ts')
  const progress = watch(true)
  const failures: string[] = []
  const done = await withFolder(async ctx => {
    const one = id === undefined ? undefined : findSpace(ctx.store, id)
    if (id !== undefined && !one) throw new Failure(`There is no space "${id}".`)
    const spaces = one ? [one] : listAllSpaces(ctx.store)
    if (!one) forgetDerived(ctx)

    const counts: { space: string; revisions: number }[] = []

    for (const [at, space] of spaces.entries()) {
      progress.show(space.title, at, spaces.length)
      try {
        counts.push({ space: space.id, revisions: await reindexSpace(ctx, space) })
      } catch (error) {
        // A damaged space must not keep the others from being rebuilt.
        failures.push(`The space ${space.id} was left unchanged: ${failureOf(error).sentence}`)
      }
    }

    return counts
  }).finally(() => progress.end())
  const revisions = done.reduce((total, each) => total + each.revisions, 0)
  if (json) printJson(done)
  else print(`Rebuilt: ${counted(done.length, 'space')} with ${counted(revisions, 'revision')}.`)
  if (failures.length > 0) throw new Failure(failures.join('\n'))
}
