import type { Command } from 'commander'
import { newGroup, newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { holdFolder, readSettings } from './settings.ts'
import { withFolder } from './with-folder.ts'

/** `stemma key`: the key of the data folder. */
export const keyCommand = (): Command =>
  newGroup('key', 'The key of the data folder', [
    newQuery(
      'rotate',
      'Replace the key of the data folder. Secrets are sealed again with the new key; addresses of files and PDFs, and page cursors, that were given out stop working. Stop the server first. If the command is interrupted, run it again',
      'stemma key rotate',
    ).action(rotate),
  ])

async function rotate({ json }: { json?: true }): Promise<void> {
  const { dataDir } = readSettings()
  // First whether there is a data folder at all.
  await withFolder(() => {})
  const unlock = holdFolder(dataDir, 'rotating the key')
  try {
    const { beginRotation, finishRotation } = await import('../secret.ts')
    const sealed = await withFolder(ctx => {
      beginRotation(dataDir)
      return finishRotation(dataDir, ctx.store) ?? 0
    })
    if (json) printJson({ sealed })
    else
      print(
        `The key is replaced, and ${counted(sealed, 'secret')} sealed with it. Backups hold the key of their time.`,
      )
  } finally {
    unlock()
  }
}
