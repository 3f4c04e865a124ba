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
      'Replace the key of the data folder: everything that was sealed with it is sealed anew, and addresses of files and PDFs and page cursors that were given out stop working. The server must not run. It can be run again after it was interrupted',
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
