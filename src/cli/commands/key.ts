import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { holdFolder, readSettings } from '../folder/settings.ts'
import { withFolder } from '../folder/with-folder.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { counted, print, printJson } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

/** Defines `stemma key`: the key of the data folder. */
export const keyCommand = (): Command =>
  newGroup('key', 'The key of the data folder', [
    newQuery(
      'rotate',
      'Replace the key of the data folder. Secrets are encrypted again with the new key; existing URLs of files and PDFs and page cursors stop working. Stop the server first. If the command is interrupted, run it again',
      'stemma key rotate',
    ).action(rotate),
  ])

async function rotate({ json }: { json?: true }): Promise<void> {
  const config = readSettings()
  if (config.database) return rotateShared(config, json)
  const { dataDir } = config
  // Fails first if there is no data folder.
  await withFolder(() => {})
  const unlock = holdFolder(dataDir, 'rotating the key')

  try {
    const { beginRotation, finishRotation } = await import('../../secret.ts')
    const sealed = await withFolder(ctx => {
      beginRotation(dataDir)
      return finishRotation(dataDir, ctx.store) ?? 0
    })

    if (json) printJson({ sealed })
    else
      print(
        `The key is replaced, and ${counted(sealed, 'secret')} encrypted with it. Earlier backups contain the key that was in use then.`,
      )
  } finally {
    unlock()
  }
}

/** The keys of the nodes of a database are settings: only what is sealed in rows changes. */
async function rotateShared({ keys = [] }: Config, json: true | undefined): Promise<void> {
  if (keys.length < 2)
    throw new Failure(
      'With STEMMA_DATABASE, the keys are in STEMMA_KEYS. Put a new one in front of the others, restart every node with it, and run this command again.',
      exitUsage,
    )
  const { sealWithFirst } = await import('../../secret.ts')
  const sealed = await withFolder(ctx => sealWithFirst(ctx.keys, ctx.store))
  if (json) printJson({ sealed })
  else
    print(
      `${counted(sealed, 'secret')} ${sealed === 1 ? 'is' : 'are'} encrypted with the first key of STEMMA_KEYS. The other keys are still needed for URLs and cursors that were made with them.`,
    )
}
