import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Repaired } from '../../actions/repairing/repair.ts'
import type { SharedOptions, SharedRepaired } from '../../actions/repairing/repair-shared.ts'
import type { Context } from '../../context.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { holdIfFree, readSettings } from '../folder/settings.ts'
import { withFolder } from '../folder/with-folder.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
import { reportProblems } from '../output/print-problems.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma repair`: repairs one repository from a backup or a clone. */
export const repairCommand = (): Command =>
  newQuery(
    'repair',
    'Repair the repository of one space, or of the OpenAPI specs of an organization: damaged files are moved aside, and missing objects are taken from a backup or a clone. Rows are not changed, and nothing is deleted. With STEMMA_DATABASE, the repository in the database is repaired, also with what the folder of this node has, and then that folder; the database is changed only if nothing is missing afterwards',
    'stemma repair --space 3vJ0qX… --from /backups/stemma-2026-11-21.tar',
  )
    .summary('Repair the repository of a space or of OpenAPI specs from a backup or a clone')
    .option('--space <id>', 'the space')
    .option('--specs <organization>', 'the organization whose OpenAPI specs are repaired')
    .option('--from <path>', 'a backup, a bundle, or the folder of a clone or of any repository')
    .option(
      '--set-back',
      'with STEMMA_DATABASE: set branches of lost commits to the older commits that the folder of this node or --from has',
    )
    .option(
      '--loose',
      'with STEMMA_DATABASE: move repositories that belong to no space or organization from the database into the folder "lost"',
    )
    .action(repair)

type Options = {
  space?: string
  specs?: string
  from?: string
  setBack?: true
  loose?: true
  json?: true
}

async function repair(options: Options): Promise<void> {
  const { space, specs, loose, setBack } = options
  const { database } = readSettings()
  if ((loose || setBack) && !database)
    throw new Failure(
      `${loose ? '--loose' : '--set-back'} is for a database: STEMMA_DATABASE is not set. A server moves such repositories, and sets refs to what the database has.`,
      exitUsage,
    )
  if ([space, specs, loose].filter(each => each !== undefined).length !== 1)
    throw new Failure(
      `Name what to repair: either --space or --specs${database ? ', or --loose' : ''}.`,
    )
  if (loose) return setLooseAside(options)
  const done = await (database ? repairShared : repairFolder)(options)
  if (options.json) printJson(done)
  else tell(done)
  const allWell = `The ${space === undefined ? 'repository' : 'space'} is intact.`
  reportProblems(done.problems, { json: options.json === true, allWell })
}

function tell({ damaged, aside, salvaged, refs, folder }: Done): void {
  if (damaged.length > 0) print(`Damaged: ${oneLine(listed(damaged))}.`)
  if (aside !== undefined) print(`Damaged files were moved to ${aside}.`)
  if (salvaged > 0) print(`Recovered from damaged packs: ${counted(salvaged, 'object')}.`)
  if (refs.length > 0) print(`Restored: ${oneLine(listed(refs))}.`)
  if (folder) print(folderSentences[folder])
}

type Done = Repaired & Partial<Pick<SharedRepaired, 'folder'>>

const folderSentences: Readonly<Record<SharedRepaired['folder'], string>> = {
  whole: 'The folder of this node is whole.',
  'made again': 'The folder of this node was damaged, and was made again.',
  'to be made again':
    'The folder of this node is damaged. The server that uses it makes it again at the next use.',
}

async function repairFolder({ space, specs, from }: Options): Promise<Repaired> {
  const { repairSpace, repairSpecs } = await import('../../actions/repairing/repair.ts')
  return withFolder(ctx =>
    specs !== undefined
      ? repairSpecs(ctx, organizationOf(ctx, specs), from)
      : repairSpace(ctx, spaceOf(ctx, space), from),
  )
}

async function repairShared(options: Options): Promise<SharedRepaired> {
  const { space, specs, from, setBack = false } = options
  const { repairSharedSpace, repairSharedSpecs } = await import(
    '../../actions/repairing/repair-shared.ts'
  )
  const { dataDir } = readSettings()
  // withFolder says what is wrong without a folder.
  const unlock = existsSync(dataDir) ? holdIfFree(dataDir, 'repairing a repository') : undefined
  try {
    const order: SharedOptions = { from, setBack, alone: unlock !== undefined }
    return await withFolder(ctx =>
      specs !== undefined
        ? repairSharedSpecs(ctx, organizationOf(ctx, specs), order)
        : repairSharedSpace(ctx, spaceOf(ctx, space), order),
    )
  } finally {
    unlock?.()
  }
}

async function setLooseAside({ json }: Options): Promise<void> {
  const { setLooseAside } = await import('../../actions/repairing/set-loose-aside.ts')
  const done = await withFolder(setLooseAside)
  if (json) return printJson(done)
  for (const { key, folder } of done) print(`${oneLine(key)} was moved to ${folder}.`)
  if (done.length === 0) print('Every repository belongs to a space or an organization.')
}

function spaceOf({ store }: Context, id = ''): SpaceRow {
  const space = findSpace(store, id)
  if (!space) throw new Failure(`There is no space "${id}".`)
  return space
}

function organizationOf({ store }: Context, id: string): string {
  if (!findOrganization(store, id)) throw new Failure(`There is no organization "${id}".`)
  return id
}

/** How many names are listed. */
const most = 5

const listed = (names: readonly string[]): string =>
  names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
