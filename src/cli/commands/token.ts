import type { Command } from 'commander'
import { recordUserEvent } from '../../actions/events/record-event.ts'
import { createToken } from '../../actions/people/create-token.ts'
import type { Context } from '../../context.ts'
import { oneAddress } from '../../lib/normalize.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listAllTokens, revokeToken } from '../../store/people/tokens.ts'
import { findUser, listUsersByEmail } from '../../store/people/users.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { TokenRow, UserRow } from '../../store/tables/rows.ts'
import { withFolder } from '../folder/with-folder.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { print, printJson, printTable } from '../output/print.ts'
import { newGroup, newQuery } from './new-command.ts'

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

type Limits = { scope?: string[]; organization?: string | null; space?: string | null }

type NewToken = Limits & { user: string; name: string; expires?: string; json?: true }

async function create(options: NewToken): Promise<void> {
  const expiresAt = options.expires === undefined ? null : readExpiry(options.expires)
  if (options.name.trim() === '' || options.name.length > 100)
    throw new Failure('--name must have 1 to 100 characters.', exitUsage)
  await withFolder(ctx => {
    const user = requireUser(ctx, options.user)
    const name = options.name.trim()
    const { row, secret } = ctx.store.transact(() => {
      const limits = readLimits(ctx, options)
      const made = createToken(
        ctx.store,
        { userId: user.id, name, expiresAt, ...limits },
        ctx.now(),
      )
      record(ctx, 'token.created', made.row, made.row.created_at)
      return made
    })
    if (options.json) return printJson({ ...present(row), secret })
    print(secret)
  })
}

/**
 * Returns the scopes and limits of a new token. Throws Failure for an unknown organization or
 * space.
 */
function readLimits(ctx: Context, { scope: scopes, organization = null, space = null }: Limits) {
  if (organization !== null && !findOrganization(ctx.store, organization))
    throw new Failure(
      `There is no organization "${organization}". "stemma org list" lists organizations.`,
    )

  const row = space === null ? undefined : findSpace(ctx.store, space)
  if (space !== null && !row) throw new Failure(`There is no space "${space}".`)
  if (row && organization !== null && row.organization_id !== organization)
    throw new Failure(`The space "${space}" is not in the organization "${organization}".`)

  return { scopes, organizationId: organization, spaceId: space }
}

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
        row.user_id,
        row.name,
        state(row),
        scopesOf(row).join(' '),
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
      const tokens = listAllTokens(ctx.store)
      const at = ctx.now().toISOString()
      const wanted =
        user === undefined
          ? [id ?? '']
          : tokensOf(tokens, requireUser(ctx, user)).map(token => token.id)
      const ended = new Set(wanted.flatMap(token => revokeToken(ctx.store, token, at)))

      for (const row of tokens) if (ended.has(row.id)) record(ctx, 'token.revoked', row, at)

      return [...ended]
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

const tokensOf = (tokens: readonly TokenRow[], { id }: UserRow) =>
  tokens.filter(row => row.user_id === id)

const scopesOf = (row: TokenRow) => JSON.parse(row.scopes) as string[]

/**
 * Records the event in the organizations of the token's user; the command line is not an identified
 * actor.
 */
const record = (
  ctx: Context,
  action: 'token.created' | 'token.revoked',
  row: TokenRow,
  at: string,
) =>
  recordUserEvent(ctx.store, row.user_id, {
    action,
    userId: null,
    origin: null,
    target: { kind: 'token', id: row.id },
    details: {
      user: row.user_id,
      ...(action === 'token.created' && { scopes: scopesOf(row) }),
      ...(row.organization_id && { organization: row.organization_id }),
      ...(row.space_id && { space: row.space_id }),
      ...(row.expires_at && { expiresAt: row.expires_at }),
    },
    at,
  })

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

function readExpiry(text: string): string {
  const at = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new Failure(`--expires is "${text}"; it must be a date such as 2027-01-01.`, exitUsage)
  if (at <= Date.now())
    throw new Failure(`--expires is "${text}", which is in the past.`, exitUsage)
  return new Date(at).toISOString()
}

const present = (row: TokenRow) => ({
  id: row.id,
  user: row.user_id,
  name: row.name,
  scopes: scopesOf(row),
  ...(row.organization_id && { organization: row.organization_id }),
  ...(row.space_id && { space: row.space_id }),
  ...(row.parent_id && { parent: row.parent_id }),
  createdAt: row.created_at,
  ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  ...(row.expires_at && { expiresAt: row.expires_at }),
  ...(row.revoked_at && { revokedAt: row.revoked_at }),
})
