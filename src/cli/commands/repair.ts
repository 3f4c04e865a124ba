import type { Command } from 'commander'
import { findOrganization } from '../../store/people/organizations.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import { readSettings, refuseDatabase } from '../folder/settings.ts'
import { withFolder } from '../folder/with-folder.ts'
import { Failure } from '../output/failure.ts'
import { counted, oneLine, print, printJson } from '../output/print.ts'
import { reportProblems } from '../output/print-problems.ts'
import { newQuery } from './new-command.ts'

/** Defines `stemma repair`: repairs one repository from a backup or a clone. */
export const repairCommand = (): Command =>
  newQuery(
    'repair',
    'Repair the repository of one space, or of the OpenAPI specs of an organization: damaged files are moved aside, and missing objects are taken from a backup or a clone. The database is not changed, and nothing is deleted',
    'stemma repair --space 3vJ0qX… --from /backups/stemma-2026-11-21.tar',
  )
    .summary('Repair the repository of a space or of OpenAPI specs from a backup or a clone')
    .option('--space <id>', 'the space')
    .option('--specs <organization>', 'the organization whose OpenAPI specs are repaired')
    .option('--from <path>', 'a backup, a bundle, or the folder of a clone or of any repository')
    .action(repair)

type Options = { space?: string; specs?: string; from?: string; json?: true }

async function repair(options: Options): Promise<void> {
  const { repairSpace, repairSpecs } = await import('../../actions/upkeep/repair.ts')
  const { space: id, specs, from } = options
  if ((id === undefined) === (specs === undefined))
    throw new Failure('Name what to repair: either --space or --specs.')
  refuseDatabase(
    readSettings(),
    'repair',
    'The repositories of a node are copies: stop the node, delete the damaged folder below "spaces" or "specs", and start the node, which fetches it again.',
  )

  const done = await withFolder(ctx => {
    if (specs !== undefined) {
      if (!findOrganization(ctx.store, specs))
        throw new Failure(`There is no organization "${specs}".`)
      return repairSpecs(ctx, specs, from)
    }
    const space = findSpace(ctx.store, id ?? '')
    if (!space) throw new Failure(`There is no space "${id}".`)
    return repairSpace(ctx, space, from)
  })
  const { damaged, aside, salvaged, refs, problems } = done

  if (options.json) printJson(done)
  else {
    if (damaged.length > 0) print(`Damaged: ${oneLine(listed(damaged))}.`)
    if (aside !== undefined) print(`Damaged files were moved to ${aside}.`)
    if (salvaged > 0) print(`Recovered from damaged packs: ${counted(salvaged, 'object')}.`)
    if (refs.length > 0) print(`Restored: ${oneLine(listed(refs))}.`)
  }

  const allWell = `The ${id === undefined ? 'repository' : 'space'} is intact.`

  reportProblems(problems, { json: options.json === true, allWell })
}

/** How many names are listed. */
const most = 5

const listed = (names: readonly string[]): string =>
  names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
