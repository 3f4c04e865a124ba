import type { Command } from 'commander'
import { passphraseOption, readPassphrase } from '../../folder/settings.ts'
import { withFolder } from '../../folder/with-folder.ts'
import { about } from '../../output/about.ts'
import { counted, print, printJson } from '../../output/print.ts'
import { watch } from '../../output/progress.ts'
import { newQuery } from '../new-command.ts'

/** Defines `stemma backup`: a copy of everything in one file. */
export const backupCommand = (): Command =>
  newQuery(
    'backup',
    'Write a consistent copy of everything to one new file; the server may be running.\nThe file contains secrets (the key of the folder, hashes of tokens). With a passphrase it is encrypted (in the format of age: "age -d" decrypts it) and tampering is detected; without one, keep it where only you can read and write it',
    'stemma backup --passphrase-file /etc/stemma/backup-passphrase /backups/stemma-$(date +%F).tar.age',
  )
    .summary('Write a consistent copy of everything to one new file, which contains secrets')
    .argument('<file>', 'the tar archive to write; it must not exist')
    .option('--passphrase-file <file>', passphraseOption)
    .action(backupFolder)

async function backupFolder(
  file: string,
  options: { passphraseFile?: string; json?: true },
): Promise<void> {
  const { json, passphraseFile } = options
  const { backup } = await import('../../../actions/upkeep/backup.ts')
  const progress = watch(true)
  const manifest = await withFolder(ctx =>
    backup(ctx, file, {
      program: about.version,
      passphrase: readPassphrase(ctx.config, passphraseFile),
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    }),
  ).finally(() => progress.end())
  const bytes = manifest.files.reduce((total, each) => total + each.bytes, 0)
  if (json)
    return printJson({ file, bytes, spaces: manifest.spaces.length, counts: manifest.counts })
  print(
    `${file} contains ${counted(manifest.spaces.length, 'space')}, ${(bytes / 1e6).toFixed(1)} MB.`,
  )
}
