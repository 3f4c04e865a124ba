import type { Command } from 'commander'
import { about } from './about.ts'
import { newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { watch } from './progress.ts'
import { withFolder } from './with-folder.ts'

/** `stemma backup`: everything in one file. */
export const backupCommand = (): Command =>
  newQuery(
    'backup',
    'Write a consistent copy of everything into one new file, also while the server runs.\nThe file holds secrets (the key of the folder, hashes of tokens): keep it where only you can read it',
    'stemma backup /backups/stemma-$(date +%F).tar',
  )
    .summary('Write a consistent copy of everything into one new file, which holds secrets')
    .argument('<file>', 'the tar archive to write; it must not exist')
    .action(backupFolder)

async function backupFolder(file: string, { json }: { json?: true }): Promise<void> {
  const { backup } = await import('../actions/backup.ts')
  const progress = watch(true)
  const manifest = await withFolder(ctx =>
    backup(ctx, file, {
      program: about.version,
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    }),
  ).finally(() => progress.end())
  const bytes = manifest.files.reduce((total, each) => total + each.bytes, 0)
  if (json) return printJson({ file, bytes, spaces: manifest.spaces.length, counts: manifest.counts })
  print(`${file} holds ${counted(manifest.spaces.length, 'space')}, ${(bytes / 1e6).toFixed(1)} MB.`)
}
