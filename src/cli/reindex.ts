import type { Command } from 'commander'
import { findSpace, listAllSpaces } from '../store/spaces.ts'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { print, printJson } from './print.ts'
import { watch } from './progress.ts'
import { withFolder } from './with-folder.ts'

/** `stemma reindex`: what the database holds of Git, built anew. */
export const reindexCommand = (): Command =>
  newQuery(
    'reindex',
    'Build anew what the database holds of Git: history, refs, facts of pages. Changes no content',
    'stemma reindex --space 3vJ0qX…',
  )
    .option('--space <id>', 'only this space')
    .action(reindex)

async function reindex({ space: id, json }: { space?: string; json?: true }): Promise<void> {
  const { forgetDerived, reindexSpace } = await import('../actions/reindex.ts')
  const progress = watch(true)
  const done = await withFolder(async ctx => {
    const one = id === undefined ? undefined : findSpace(ctx.store, id)
    if (id !== undefined && !one) throw new Failure(`There is no space "${id}".`)
    const spaces = one ? [one] : listAllSpaces(ctx.store)
    if (!one) forgetDerived(ctx)
    const counts: { space: string; revisions: number }[] = []
    for (const [at, space] of spaces.entries()) {
      progress.show(space.title, at, spaces.length)
      counts.push({ space: space.id, revisions: await reindexSpace(ctx, space) })
    }
    return counts
  }).finally(() => progress.end())
  if (json) return printJson(done)
  const revisions = done.reduce((total, each) => total + each.revisions, 0)
  print(`Built anew: ${done.length} spaces with ${revisions} revisions.`)
}
