import type { Command } from 'commander'
import { parseOid } from '../../lib/oid.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { holdFolder, readSettings } from '../folder/settings.ts'
import { withFolder } from '../folder/with-folder.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { counted, print, printJson } from '../output/print.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma purge-content`: removes a file from all revisions of a space. */
export const purgeContentCommand = (): Command =>
  newQuery(
    'purge-content',
    'Permanently remove a file from every revision of a space: history is rewritten with a placeholder, and the ids of the affected revisions and all later ones change. The server must be stopped; with STEMMA_DATABASE, the node that uses this folder. Without --yes it only shows what would change. Backups and clones are not changed',
    'stemma purge-content 3vJ0qX… --path secrets/key.pem --yes',
  )
    .summary('Permanently remove a file from every revision of a space')
    .argument('<space>', 'the id of the space')
    .option('--blob <oid>', 'the blob to remove, at every path')
    .option(
      '--path <path>',
      'a file or folder: everything that was ever at or below this path is removed',
    )
    .option('--text <text>', 'the placeholder text (default: "This file was removed.")')
    .option('--yes', 'make the change')
    .action(purge)

type Options = { blob?: string; path?: string; text?: string; yes?: true; json?: true }

async function purge(id: string, options: Options): Promise<void> {
  const { blob, path, text, yes, json } = options
  if ((blob === undefined) === (path === undefined))
    throw new Failure('Name what to remove: either --blob or --path.', exitUsage)
  const oid = blob === undefined ? undefined : parseOid(blob)
  if (blob !== undefined && !oid)
    throw new Failure(`--blob is "${blob}"; it must be 40 hexadecimal digits.`, exitUsage)

  const { dataDir } = readSettings()

  // Fails first if there is no data folder.
  await withFolder(() => {})
  const unlock = holdFolder(dataDir, 'purging content')

  try {
    const plan = await withFolder(async ctx => {
      const { recover } = await import('../../actions/upkeep/recover.ts')
      const { purgeContent } = await import('../../actions/upkeep/purge-content.ts')
      await recover(ctx)
      const space = findSpace(ctx.store, id)
      if (!space) throw new Failure(`There is no space "${id}".`)
      const target = oid ? { blob: oid } : { path: path as string }
      return purgeContent(ctx, space, target, { dry: !yes, text: text && `${text}\n` })
    })
    if (json) return printJson({ ...plan, done: yes ?? false })
    for (const { oid, paths } of plan.blobs) print(`${oid} ${paths.join(', ')}`)
    const numbers = `${counted(plan.commits, 'revision')} and ${counted(plan.refs.length, 'ref')}`

    print(
      yes
        ? `Removed. Rewritten: ${numbers}.`
        : `Would be rewritten: ${numbers}. Nothing was changed; use --yes to proceed.`,
    )

    if (plan.elsewhere.length > 0)
      print(
        `Also in ${counted(plan.elsewhere.length, 'other space')}, which must be purged separately: ${plan.elsewhere.join(', ')}.`,
      )

    print('Backups, clones and export targets still contain it.')
  } finally {
    unlock()
  }
}
