import { type Command, Option } from 'commander'
import { noActor } from '../../actions/events/audit-event.ts'
import { recordEvent, recordOnMember } from '../../actions/events/record-event.ts'
import { checkNotLastAdmin } from '../../actions/people/check-not-last-admin.ts'
import { UserBody } from '../../api/base/users/schema.ts'
import { randomId } from '../../lib/digest.ts'
import { findMembership, listMembershipsOf, updateMember } from '../../store/people/members.ts'
import { findOrganization, putMember } from '../../store/people/organizations.ts'
import { findUserByEmail, insertUser, listUsers } from '../../store/people/users.ts'
import type { Store } from '../../store/store.ts'
import type { Role } from '../../store/tables/roles.ts'
import type { UserRow } from '../../store/tables/rows.ts'
import { withFolder } from '../folder/with-folder.ts'
import { writeFields } from '../folder/write-fields.ts'
import { Failure } from '../output/failure.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'
import { requireUser } from './token.ts'

const roles = [
  'read',
  'comment',
  'edit',
  'review',
  'create',
  'admin',
] as const satisfies readonly Role[]

type NewUser = {
  name: string
  email: string
  org: string
  role: Role | 'guest'
  agent?: true
  json?: true
}

/** Defines `stemma user`: people and programs. */
export const userCommand = (): Command =>
  newGroup('user', 'Users', [
    newQuery(
      'create',
      'Create a user and print their id',
      'stemma user create --name "Ada Lovelace" --email ada@example.org --role edit',
    )
      .requiredOption('--name <name>', 'the display name')
      .requiredOption('--email <address>', 'the e-mail address, which appears in their commits')
      .option('--org <id>', 'the organization they belong to', 'default')
      .addOption(
        new Option('--role <role>', 'their role in it; a guest sees only what is shared with them')
          .choices([...roles, 'guest'])
          .default('read'),
      )
      .option('--agent', 'a program: its approvals meet the merge rule "require_agent_review"')
      .action(create),
    newQuery('list', 'List users', 'stemma user list').action(list),
    door(
      'disable',
      'Suspend a member of an organization; their content and permissions are kept',
      'stemma user disable ada@example.org',
    ),
    door('enable', 'Reinstate a disabled member', 'stemma user enable ada@example.org'),
  ])

const door = (name: 'disable' | 'enable', about: string, example: string): Command =>
  newQuery(name, about, example)
    .argument('<id|email>', 'the member')
    .option('--org <id>', 'the organization', 'default')
    .action((who: string, options: { org: string; json?: true }) => setDisabled(who, name, options))

async function create({ name, email, org, role, agent, json }: NewUser): Promise<void> {
  const body = {
    schema: UserBody,
    values: { displayName: name, email },
    flags: { displayName: '--name', email: '--email' },
  }

  const user = await writeFields(body, (ctx, { displayName, email }) => {
    if (!findOrganization(ctx.store, org))
      throw new Failure(`There is no organization "${org}". "stemma org list" lists organizations.`)

    const same = findUserByEmail(ctx.store, email, org)
    if (same) throw new Failure(`The user ${same.id} already has the address ${email}.`)

    const at = ctx.now().toISOString()
    const made = insertUser(ctx.store, {
      id: randomId(),
      display_name: displayName,
      email,
      is_agent: agent ? 1 : 0,
      created_at: at,
    })
    const held = role === 'guest' ? null : role

    putMember(ctx.store, org, made.id, held, at)
    recordEvent(ctx.store, {
      action: 'member.joined',
      organizationId: org,
      userId: null,
      origin: null,
      target: { kind: 'member', id: made.id },
      details: { role: held },
      at,
    })

    return made
  })

  if (json) printJson(present(user))
  else print(user.id)
}

async function setDisabled(
  who: string,
  name: 'disable' | 'enable',
  { org, json }: { org: string; json?: true },
): Promise<void> {
  const disabled = name === 'disable'
  await withFolder(ctx => {
    const user = requireUser(ctx, who)
    ctx.store.transact(() => {
      const member = findMembership(ctx.store, org, user.id)
      if (!member)
        throw new Failure(`The user ${user.id} is not a member of the organization "${org}".`)
      if ((member.disabled === 1) === disabled) return

      if (disabled) checkNotLastAdmin(ctx, member)
      updateMember(ctx.store, org, user.id, { disabled: Number(disabled) })
      const change = { disabled: { before: !disabled, after: disabled } }

      recordOnMember(ctx, member, 'member.updated', noActor, change)
    })
    if (json) printJson({ id: user.id, organization: org, disabled })
    else print(user.id)
  })
}

async function list({ json }: { json?: true }): Promise<void> {
  await withFolder(ctx => {
    const users = listUsers(ctx.store)
    if (json)
      return printJson(
        users.map(row => ({ ...present(row), organizations: membershipsOf(ctx.store, row) })),
      )
    printTable(
      ['ID', 'NAME', 'E-MAIL', 'ROLES', 'CREATED'],
      users.map(row => [
        row.id,
        row.display_name,
        row.email ?? '',
        membershipsOf(ctx.store, row).map(toText).join(', '),
        row.created_at.slice(0, 10),
      ]),
    )
  })
}

type Membership = { id: string; role: Role | 'guest'; disabled?: true }

const membershipsOf = (store: Store, { id }: UserRow): Membership[] =>
  listMembershipsOf(store, id).map(({ organization_id, role, disabled }) => ({
    id: organization_id,
    role: role ?? 'guest',
    ...(disabled === 1 && { disabled: true as const }),
  }))

const toText = ({ id, role, disabled }: Membership): string =>
  `${id}: ${role}${disabled ? ' (disabled)' : ''}`

const present = (row: UserRow) => ({
  id: row.id,
  displayName: row.display_name,
  ...(row.email && { email: row.email }),
  createdAt: row.created_at,
})
