import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { findHeld, prepareFolder } from '../../folder/prepare-folder.ts'
import {
  holdFolder,
  passphraseOption,
  readPassphrase,
  readSettings,
  refuseDatabase,
} from '../../folder/settings.ts'
import { withFolder } from '../../folder/with-folder.ts'
import { Failure } from '../../output/failure.ts'
import { counted, print, printJson } from '../../output/print.ts'
import { reportProblems } from '../../output/print-problems.ts'
import { watch } from '../../output/progress.ts'
import { newQuery } from '../new-command.ts'

/** Defines `stemma restore`: creates a data folder from a backup. */
export const restoreCommand = (): Command =>
  newQuery(
    'restore',
    'Fill an empty data folder (STEMMA_DATA) from a backup; the server must be stopped',
    'STEMMA_DATA=/srv/stemma stemma restore /backups/stemma-2026-11-21.tar --verify',
  )
    .argument('<file>', 'a file written by "stemma backup"')
    .option('--passphrase-file <file>', passphraseOption)
    .option('--verify', 'check everything afterwards, like "stemma verify"')
    .action(restoreFolder)

type Options = { passphraseFile?: string; verify?: true; json?: true }

async function restoreFolder(file: string, options: Options): Promise<void> {
  const { restore, restoringFolder } = await import('../../../actions/upkeep/restore.ts')
  const config = readSettings()
  const { dataDir } = config
  refuseDatabase(
    config,
    'restore',
    'Unset STEMMA_DATABASE to restore into a folder. "stemma move" then copies it into a new database.',
  )
  const passphrase = readPassphrase(config, options.passphraseFile)
  if (!existsSync(file)) throw new Failure(`There is no file ${file}.`)
  prepareFolder(dataDir)
  const held = findHeld(dataDir, name => name === restoringFolder)
  if (held !== undefined)
    throw new Failure(
      `${dataDir} is not empty (it contains "${held}"), and a restore never overwrites anything. Set STEMMA_DATA to another folder.`,
    )

  const unlock = holdFolder(dataDir, 'restoring a backup')
  const progress = watch(true)

  try {
    const manifest = await restore(file, dataDir, {
      passphrase,
      onSpace: (space, at, of) => progress.show(space.title, at, of),
    })
    const problems = await settle(options.verify ?? false)
    progress.end()

    if (options.json)
      printJson({
        dataDir,
        createdAt: manifest.createdAt,
        spaces: manifest.spaces.length,
        problems,
      })
    else
      print(
        `${dataDir} contains ${counted(manifest.spaces.length, 'space')} as of ${manifest.createdAt}.`,
      )

    const allWell = options.verify ? 'Everything is intact.' : undefined

    reportProblems(problems, { json: options.json === true, allWell })
  } finally {
    progress.end()
    unlock()
  }
}

/**
 * Finishes operations that were in progress when the backup was made, like a start of the server;
 * opens every space, which brings its rows in line with Git; and verifies everything if requested.
 */
const settle = (thorough: boolean) =>
  withFolder(async ctx => {
    const { recover } = await import('../../../actions/upkeep/recover.ts')
    const { openAll } = await import('../../../actions/upkeep/open-all.ts')
    await recover(ctx)
    await openAll(ctx)
    if (!thorough) return []
    const { verify } = await import('../../../actions/upkeep/verify.ts')
    return verify(ctx)
  })
