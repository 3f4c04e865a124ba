import type { Command } from 'commander'
import { callApi, listApi } from '../api/call-api.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

type Space = { id: string; title: string; updatedAt: string; changeRequestsOpen?: number }

/** Defines `stemma space`: spaces, over HTTP. */
export const spaceCommand = (): Command =>
  newGroup('space', 'Spaces', [
    newQuery('create', 'Create a space and print its id', 'stemma space create --title Handbook')
      .requiredOption('--title <title>', 'its title')
      .option('--org <id>', 'the organization it belongs to', 'default')
      .option('--empty', 'without a first page, e.g. for an import')
      .action(create),
    newQuery('list', 'List the spaces you can read', 'stemma space list --json | jq -r ".[].id"')
      .option('--org <id>', 'the organization', 'default')
      .action(list),
    newQuery(
      'revert',
      'Revert a space to a revision, as a change request, and print its number',
      'stemma space revert 3vJ0qX… 5d41402abc4b2a76b9719d911017c592e3f8a1b2',
    )
      .argument('<space>', 'the id of the space')
      .argument('<revision>', 'the id of the revision')
      .action(revert),
  ])

const spacesOf = (organization: string) => `/v1/orgs/${encodeURIComponent(organization)}/spaces`

async function create(options: {
  title: string
  org: string
  empty?: true
  json?: true
}): Promise<void> {
  const { title, empty } = options
  const { body } = await callApi(
    'POST',
    spacesOf(options.org),
    { title, ...(empty && { empty }) },
    { title: '--title' },
  )
  if (options.json) printJson(body)
  else print((body as Space).id)
}

async function list({ org, json }: { org: string; json?: true }): Promise<void> {
  const spaces = await listApi<Space>(spacesOf(org))
  if (json) return printJson(spaces)
  printTable(
    ['ID', 'TITLE', 'OPEN', 'UPDATED'],
    spaces.map(space => [
      space.id,
      space.title,
      String(space.changeRequestsOpen ?? 0),
      space.updatedAt.slice(0, 10),
    ]),
  )
}

async function revert(space: string, revision: string, { json }: { json?: true }): Promise<void> {
  const path = `/v1/spaces/${encodeURIComponent(space)}/content/revert`
  const { body } = await callApi('POST', path, { revision }, { revision: '<revision>' })
  if (json) return printJson(body)
  print(String((body as { changeRequest: { number: number } }).changeRequest.number))
}
