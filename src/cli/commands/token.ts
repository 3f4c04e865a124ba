import type { Command } from 'commander'
import type { Scope } from '../../access/scopes.ts'
import { noActor } from '../../actions/events/audit-event.ts'
import { issueToken } from '../../actions/people/issue-token.ts'
import { revokeRecorded } from '../../actions/people/revoke-token.ts'
import { TokenBody } from '../../actions/people/token-body.ts'
import type { Context } from '../../context.ts'
import { oneAddress } from '../../lib/normalize.ts'
import { listAllTokens } from '../../store/people/tokens.ts'
import { findUser, listUsersByEmail } from '../../store/people/users.ts'
import type { TokenRow, UserRow } from '../../store/tables/rows.ts'
import { withFolder } from '../folder/with-folder.ts'
import { writeFields } from '../folder/write-fields.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

/** The command line is not an identified caller. */
/** Defines `stemma token`: API tokens. */
export const tokenCommand = (): Command =>
  newGroup('token', 'API tokens', [
    newQuery(
      'create',
      'Create a token and print its secret, which is shown only once',
      'stemma token create --user ada@example.org --name "CI of the handbook" --scope content:write --expires 2027-01-01',
    )
      .requiredOption('--user <id|email>', 'the user it acts for')
      .requiredOption('--name <name>', 'what it is for')
      .option('--expires <date>', 'when it expires, e.g. 2027-01-01 (default: never)')
      .option(
        '--scope <scope...>',
        'what it allows: read, write, admin, or one of these for a family, e.g. content:write (default: admin)',
      )
      .option(
        '--organization <id>',
        'the only organization it can access (default: all of the user)',
      )
      .option('--space <id>', 'the only space it can access (default: all of the user)')
      .action(create),
    newQuery('list', 'List tokens', 'stemma token list --user ada@example.org')
      .option('--user <id|email>', 'only those of this user')
      .action(list),
    newQuery(
      'revoke',
      'Revoke a token and all tokens created with it, immediately and permanently',
      'stemma token revoke 3vJ0qX…',
    )
      .argument('[id]', 'the id of the token, as "stemma token list" shows it')
      .option('--all', 'all tokens of the user given with --user')
      .option('--user <id|email>', 'whose tokens --all revokes')
      .action(revoke),
  ])

type NewToken = {
  user: string
  name: string
  expires?: string
  scope?: string[]
  organization?: string
  space?: string
  json?: true
}

async function create({ user, json, ...options }: NewToken): Promise<void> {
  const { name, expires, scope, organization, space } = options
  const body = {
    schema: TokenBody,
    values: {
      name,
      ...(expires !== undefined && { expiresAt: timeOf(expires) }),
      ...(scope !== undefined && { scopes: scope as Scope[] }),
      ...(organization !== undefined && { organization }),
      ...(space !== undefined && { space }),
    },
    flags: { name: '--name', expiresAt: '--expires', scopes: '--scope' },
  }
  const { row, secret } = await writeFields(body, (ctx, fields) =>
    issueToken(ctx, requireUser(ctx, user).id, fields, noActor),
  )
  if (json) return printJson({ ...present(row), secret })
  print(secret)
}

/** Returns a date as the time of its start in UTC; other texts as they are. */
const timeOf = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text

async function list(options: { user?: string; json?: true }): Promise<void> {
  await withFolder(ctx => {
    const user = options.user === undefined ? undefined : requireUser(ctx, options.user)
    const tokens = listAllTokens(ctx.store).filter(row => !user || row.user_id === user.id)
    if (options.json) return printJson(tokens.map(present))

    const now = ctx.now().toISOString()
    const state = (row: TokenRow) =>
      row.revoked_at ? 'revoked' : row.expires_at && row.expires_at <= now ? 'expired' : 'usable'

    printTable(
      [
        'ID',
        'USER',
        'NAME',
        'STATE',
        'SCOPES',
        'LIMITED TO',
        'PARENT',
        'CREATED',
        'LAST USED',
        'EXPIRES',
      ],
      tokens.map(row => [
        row.id,
        row.display_name,
        row.name,
        state(row),
        row.scopes.join(' '),
        row.space_id ?? row.organization_id ?? '',
        row.parent_id ?? '',
        row.created_at.slice(0, 10),
        row.last_used_at?.slice(0, 10) ?? 'never',
        row.expires_at?.slice(0, 10) ?? 'never',
      ]),
    )
  })
}

type Revoke = { all?: true; user?: string; json?: true }

async function revoke(id: string | undefined, { all, user, json }: Revoke): Promise<void> {
  if (id === undefined ? !all || user === undefined : all || user !== undefined)
    throw new Failure('Give either the id of a token, or --all with --user.', exitUsage)
  await withFolder(ctx => {
    const revoked = ctx.store.transact(() => {
      const owner = user === undefined ? undefined : requireUser(ctx, user).id
      const wanted = listAllTokens(ctx.store).filter(row =>
        owner === undefined ? row.id === id : row.user_id === owner,
      )
      return wanted.flatMap(row => revokeRecorded(ctx, row.user_id, row.id, noActor))
    })
    if (id !== undefined && revoked.length === 0)
      throw new Failure(`There is no active token "${id}". "stemma token list" lists tokens.`)

    if (json) printJson(id === undefined ? { revoked } : { id, revoked: true })
    else
      print(
        revoked.length === 1
          ? `The token ${revoked[0]} is revoked.`
          : `${revoked.length} tokens are revoked.`,
      )
  })
}

/**
 * Returns the user with this id or e-mail address. Throws Failure when there is none, or more than
 * one.
 */
export function requireUser(ctx: Context, idOrEmail: string): UserRow {
  const user = findUser(ctx.store, idOrEmail)
  if (user) return user
  const [found, ...others] = listUsersByEmail(ctx.store, oneAddress(idOrEmail))

  if (others.length > 0)
    throw new Failure(
      `Several users have the address "${idOrEmail}", because organizations assert it: ${[found, ...others].map(named).join(', ')}. Name the user by id.`,
    )

  if (!found) throw new Failure(`There is no user "${idOrEmail}". "stemma user list" lists users.`)

  return found
}

const named = (user: UserRow | undefined): string =>
  user?.asserted_by
    ? `${user.id} (in the organization "${user.asserted_by}")`
    : `${user?.id} (on the server)`

const present = (row: TokenRow) => ({
  id: row.id,
  user: row.user_id,
  name: row.name,
  scopes: row.scopes,
  ...(row.organization_id && { organization: row.organization_id }),
  ...(row.space_id && { space: row.space_id }),
  ...(row.parent_id && { parent: row.parent_id }),
  createdAt: row.created_at,
  ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  ...(row.expires_at && { expiresAt: row.expires_at }),
  ...(row.revoked_at && { revokedAt: row.revoked_at }),
})
