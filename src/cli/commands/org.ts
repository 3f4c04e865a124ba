import type { Command } from 'commander'
import { noActor } from '../../actions/events/audit-event.ts'
import { createOrganization } from '../../actions/people/create-organization.ts'
import { checkOrganizationName } from '../../actions/people/organization-name.ts'
import { OrganizationBody } from '../../api/base/organizations/schema.ts'
import { randomId } from '../../lib/digest.ts'
import { findOrganization, listAllOrganizations } from '../../store/people/organizations.ts'
import type { OrganizationRow } from '../../store/tables/rows.ts'
import { withFolder } from '../folder/with-folder.ts'
import { writeFields } from '../folder/write-fields.ts'
import { Failure } from '../output/failure.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'
import { requireUser } from './token.ts'

/** Defines `stemma org`: organizations, which own spaces and have members. */
export const orgCommand = (): Command =>
  newGroup('org', 'Organizations', [
    newQuery(
      'create',
      'Create an organization and print its id',
      'stemma org create --id acme --title "Documentation" --admin ada@example.org',
    )
      .requiredOption('--title <title>', 'its name')
      .option('--id <id>', 'its id in URLs (default: a random one)')
      .requiredOption('--admin <id|email>', 'the user who becomes its admin')
      .action(create),
    newQuery('list', 'List organizations', 'stemma org list').action(list),
    newQuery(
      'rotate-key',
      'Replace the signing key of an organization. The old key stays published until the tokens signed with it have expired',
      'stemma org rotate-key docs',
    )
      .argument('<id>', 'the organization')
      .action(rotateKey),
  ])

async function create(options: {
  title: string
  admin: string
  id?: string
  json?: true
}): Promise<void> {
  const body = {
    schema: OrganizationBody,
    values: { id: options.id ?? randomId(), title: options.title },
    flags: { id: '--id', title: '--title' },
  }

  const row = await writeFields(body, (ctx, { id, title }) => {
    checkOrganizationName(ctx, 'id', id)
    const admin = requireUser(ctx, options.admin).id
    return createOrganization(ctx, { id, title, admin }, ctx.now().toISOString())
  })

  if (options.json) printJson(present(row))
  else print(row.id)
}

async function list({ json }: { json?: true }): Promise<void> {
  await withFolder(ctx => {
    const organizations = listAllOrganizations(ctx.store)
    if (json) return printJson(organizations.map(present))
    printTable(
      ['ID', 'TITLE', 'CREATED'],
      organizations.map(row => [row.id, row.title, row.created_at.slice(0, 10)]),
    )
  })
}

async function rotateKey(id: string, { json }: { json?: true }): Promise<void> {
  await withFolder(async ctx => {
    if (!findOrganization(ctx.store, id)) throw new Failure(`There is no organization "${id}".`)
    const { rotateOrganizationKey } = await import('../../actions/people/organization-key.ts')
    const made = await rotateOrganizationKey(ctx, id, noActor)
    if (json) printJson(made)
    else print(`The organization ${id} now signs with the key ${made.kid}.`)
  })
}

const present = (row: OrganizationRow) => ({
  id: row.id,
  title: row.title,
  createdAt: row.created_at,
})
