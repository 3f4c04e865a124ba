import type { Command } from 'commander'
import { about } from './about.ts'
import { newQuery } from './new-command.ts'
import { counted, print, printJson } from './print.ts'
import { watch } from './progress.ts'
import { passphraseOption, readPassphrase } from './settings.ts'
import { withFolder } from './with-folder.ts'

/** `stemma backup`: everything in one file. */
export const backupCommand = (): Command =>
  newQuery(
    'backup',
    'Write a consistent copy of everything into one new file, also while the server runs.\nThe file holds secrets (the key of the folder, hashes of tokens). With a passphrase it is encrypted (the format of age: "age -d" opens it) and cannot be changed unnoticed; without one, keep it where only you can read and write it',
    'stemma backup --passphrase-file /etc/stemma/backup-passphrase /backups/stemma-$(date +%F).tar.age',
  )
    .summary('Write a consistent copy of everything into one new file, which holds secrets')
    .argument('<file>', 'the tar archive to write; it must not exist')
    .option('--passphrase-file <file>', passphraseOption)
    .action(backupFolder)

async function backupFolder(file: string, options: { passphraseFile?: string; json?: true }): Promise<void> {
  const { json, passphraseFile } = options
  const { backup } = await import('../actions/upkeep/backup.ts')
  const progress = watch(true)
  const manifest = await withFolder(ctx =>
    backup(ctx, file, {
      program: about.version,
      passphrase: readPassphrase(ctx.config, passphraseFile),
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    }),
  ).finally(() => progress.end())
  const bytes = manifest.files.reduce((total, each) => total + each.bytes, 0)
  if (json) return printJson({ file, bytes, spaces: manifest.spaces.length, counts: manifest.counts })
  print(`${file} holds ${counted(manifest.spaces.length, 'space')}, ${(bytes / 1e6).toFixed(1)} MB.`)
}
