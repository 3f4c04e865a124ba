import type { Command } from 'commander'
import { findOrganization } from '../store/people/organizations.ts'
import { findSpace } from '../store/spaces/spaces.ts'
import { Failure } from './failure.ts'
import { newQuery } from './new-command.ts'
import { counted, oneLine, print, printJson } from './print.ts'
import { reportProblems } from './print-problems.ts'
import { withFolder } from './with-folder.ts'

/** `stemma repair`: the repository of one space, from a backup or a clone. */
export const repairCommand = (): Command =>
  newQuery(
    'repair',
    'Mend the repository of one space, or of the OpenAPI descriptions of an organization: what is damaged is set aside, and what it lacks is taken from a backup or a clone. Rows stay as they are, and nothing is thrown away',
    'stemma repair --space 3vJ0qX… --from /backups/stemma-2026-11-21.tar',
  )
    .summary('Mend the repository of a space or of OpenAPI descriptions, from a backup or a clone')
    .option('--space <id>', 'the space')
    .option('--descriptions <organization>', 'the organization whose OpenAPI descriptions it is about')
    .option('--from <path>', 'a backup, a bundle, or the folder of a clone or of any repository')
    .action(repair)

type Options = { space?: string; descriptions?: string; from?: string; json?: true }

async function repair(options: Options): Promise<void> {
  const { repairSpace, repairSpecs } = await import('../actions/upkeep/repair.ts')
  const { space: id, descriptions, from } = options
  if ((id === undefined) === (descriptions === undefined))
    throw new Failure('Say what to mend: --space with its id, or --descriptions with an organization.')
  const done = await withFolder(ctx => {
    if (descriptions !== undefined) {
      if (!findOrganization(ctx.store, descriptions))
        throw new Failure(`There is no organization "${descriptions}".`)
      return repairSpecs(ctx, descriptions, from)
    }
    const space = findSpace(ctx.store, id ?? '')
    if (!space) throw new Failure(`There is no space "${id}".`)
    return repairSpace(ctx, space, from)
  })
  const { damaged, aside, salvaged, refs, problems } = done
  if (options.json) printJson(done)
  else {
    if (damaged.length > 0) print(`Damaged: ${oneLine(listed(damaged))}.`)
    if (aside !== undefined) print(`What was damaged lies in ${aside} now.`)
    if (salvaged > 0) print(`Saved from damaged packs: ${counted(salvaged, 'object')}.`)
    if (refs.length > 0) print(`Put back: ${oneLine(listed(refs))}.`)
  }
  const allWell = `The ${id === undefined ? 'repository' : 'space'} is as it must be.`
  reportProblems(problems, { json: options.json === true, allWell })
}

/** How many names are told. */
const most = 5

const listed = (names: readonly string[]): string =>
  names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
