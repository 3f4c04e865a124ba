import type { Command } from 'commander'
import { findSpace } from '../store/spaces/spaces.ts'
import { exitUsage, Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { holdFolder, readSettings } from './settings.ts'
import { withFolder } from './with-folder.ts'

/** `stemma purge-content`: a file out of all revisions of a space. */
export const purgeContentCommand = (): Command =>
  newQuery(
    'purge-content',
    'Remove a file from every revision of a space for good: history is rewritten with a placeholder, and the ids of the revisions that held it, and of all that follow, change. The server must not run. Without --yes it only says what would change. Backups and clones keep what they have',
    'stemma purge-content 3vJ0qX… --path secrets/key.pem --yes',
  )
    .summary('Remove a file from every revision of a space for good')
    .argument('<space>', 'the id of the space')
    .option('--blob <oid>', 'the blob that goes, wherever it stands')
    .option('--path <path>', 'a file or folder: everything that ever stood there goes')
    .option('--text <text>', 'what stands in its place (default: "This file was removed.")')
    .option('--yes', 'do it')
    .action(purge)

type Options = { blob?: string; path?: string; text?: string; yes?: true; json?: true }

async function purge(id: string, options: Options): Promise<void> {
  const { blob, path, text, yes, json } = options
  if ((blob === undefined) === (path === undefined))
    throw new Failure('Say what to remove: --blob with an oid, or --path with a path.', exitUsage)
  if (blob !== undefined && !/^[0-9a-f]{40}$/.test(blob))
    throw new Failure(`--blob is "${blob}"; it takes 40 hexadecimal digits.`, exitUsage)
  const { dataDir } = readSettings()
  // First whether there is a data folder at all.
  await withFolder(() => {})
  const unlock = holdFolder(dataDir, 'purging content')
  try {
    const plan = await withFolder(async ctx => {
      const { recover } = await import('../actions/upkeep/recover.ts')
      const { purgeContent } = await import('../actions/upkeep/purge-content.ts')
      await recover(ctx)
      const space = findSpace(ctx.store, id)
      if (!space) throw new Failure(`There is no space "${id}".`)
      const target = blob === undefined ? { path: path as string } : { blob }
      return purgeContent(ctx, space, target, { dry: !yes, text: text && `${text}\n` })
    })
    if (json) return printJson({ ...plan, done: yes ?? false })
    for (const { oid, paths } of plan.blobs) print(`${oid} ${paths.join(', ')}`)
    const numbers = `${counted(plan.commits, 'revision')} and ${counted(plan.refs.length, 'ref')}`
    print(
      yes
        ? `Gone. Rewritten: ${numbers}.`
        : `Would be rewritten: ${numbers}. Nothing is changed; --yes does it.`,
    )
    if (plan.elsewhere.length > 0)
      print(
        `Also in ${counted(plan.elsewhere.length, 'other space')}, which must be purged too: ${plan.elsewhere.join(', ')}.`,
      )
    print('Backups, clones and remotes that were exported to keep what they have.')
  } finally {
    unlock()
  }
}
