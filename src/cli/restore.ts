import { existsSync, readdirSync } from 'node:fs'
import type { Command } from 'commander'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { prepareFolder } from './prepare-folder.ts'
import { counted, print, printJson } from './print.ts'
import { reportProblems } from './print-problems.ts'
import { watch } from './progress.ts'
import { holdFolder, passphraseOption, readPassphrase, readSettings } from './settings.ts'
import { withFolder } from './with-folder.ts'

/** `stemma restore`: a data folder from a backup. */
export const restoreCommand = (): Command =>
  newQuery(
    'restore',
    'Fill an empty data folder (STEMMA_DATA) from a backup; the server must not run on it',
    'STEMMA_DATA=/srv/stemma stemma restore /backups/stemma-2026-11-21.tar --verify',
  )
    .argument('<file>', 'what "stemma backup" wrote')
    .option('--passphrase-file <file>', passphraseOption)
    .option('--verify', 'check everything afterwards, as "stemma verify" does')
    .action(restoreFolder)

/** What may lie in a folder that counts as empty: our own lock, and what a fresh file system has. */
const nothing = new Set(['lock.db', 'lock.txt', 'stemma.db-lock', 'seen.txt', 'lost+found'])

type Options = { passphraseFile?: string; verify?: true; json?: true }

async function restoreFolder(file: string, options: Options): Promise<void> {
  const { restore, restoringFolder } = await import('../actions/upkeep/restore.ts')
  const config = readSettings()
  const { dataDir } = config
  const passphrase = readPassphrase(config, options.passphraseFile)
  if (!existsSync(file)) throw new Failure(`There is no file ${file}.`)
  prepareFolder(dataDir)
  const [held] = readdirSync(dataDir).filter(name => !nothing.has(name) && name !== restoringFolder)
  if (held !== undefined)
    throw new Failure(
      `${dataDir} is not empty (it holds "${held}"): a backup never overwrites anything. Set STEMMA_DATA to another folder.`,
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
      printJson({ dataDir, createdAt: manifest.createdAt, spaces: manifest.spaces.length, problems })
    else print(`${dataDir} holds ${counted(manifest.spaces.length, 'space')} as of ${manifest.createdAt}.`)
    const allWell = options.verify ? 'Everything is as it must be.' : undefined
    reportProblems(problems, { json: options.json === true, allWell })
  } finally {
    progress.end()
    unlock()
  }
}

/** Finishes what was under way when the backup was made, as a start of the server would, and looks at the whole if asked. */
const settle = (thorough: boolean) =>
  withFolder(async ctx => {
    const { recover } = await import('../actions/upkeep/recover.ts')
    await recover(ctx)
    if (!thorough) return []
    const { verify } = await import('../actions/upkeep/verify.ts')
    return verify(ctx)
  })
