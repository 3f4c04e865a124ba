import type { Command } from 'commander'
import { createToken } from '../actions/create-token.ts'
import { recordUserEvent } from '../actions/record-user-event.ts'
import type { Context } from '../context.ts'
import { oneAddress } from '../lib/one-address.ts'
import type { TokenRow, UserRow } from '../store/rows.ts'
import { listAllTokens, revokeToken } from '../store/tokens.ts'
import { findUser, findUserByEmail } from '../store/users.ts'
import { exitUsage, Failure } from './failure.ts'
import { newGroup, newQuery } from './new-command.ts'
import { print, printJson, printTable } from './print.ts'
import { withFolder } from './with-folder.ts'

/** `stemma token`: who may call the API. */
export const tokenCommand = (): Command =>
  newGroup('token', 'Tokens of the API', [
    newQuery(
      'create',
      'Make a token and print its secret, this once',
      'stemma token create --user ada@example.org --name "CI of the handbook" --expires 2027-01-01',
    )
      .requiredOption('--user <id|email>', 'whom it speaks for')
      .requiredOption('--name <name>', 'what it is for')
      .option('--expires <date>', 'until when it can be used, e.g. 2027-01-01 (default: for ever)')
      .action(create),
    newQuery('list', 'List tokens', 'stemma token list --user ada@example.org')
      .option('--user <id|email>', 'only those of this user')
      .action(list),
    newQuery('revoke', 'Make a token unusable, at once and for good', 'stemma token revoke 3vJ0qX…')
      .argument('<id>', 'the id of the token, as "stemma token list" shows it')
      .action(revoke),
  ])

async function create(options: { user: string; name: string; expires?: string; json?: true }): Promise<void> {
  const expiresAt = options.expires === undefined ? null : readExpiry(options.expires)
  if (options.name.trim() === '' || options.name.length > 100)
    throw new Failure('A name of a token has 1 to 100 characters.', exitUsage)
  await withFolder(ctx => {
    const user = requireUser(ctx, options.user)
    const name = options.name.trim()
    const { row, secret } = ctx.store.transact(() => {
      const made = createToken(ctx.store, { userId: user.id, name, expiresAt }, ctx.now())
      record(ctx, 'token.created', made.row, made.row.created_at)
      return made
    })
    if (options.json) return printJson({ ...present(row), secret })
    print(secret)
  })
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
      ['ID', 'USER', 'NAME', 'STATE', 'CREATED', 'LAST USED', 'EXPIRES'],
      tokens.map(row => [
        row.id,
        row.user_id,
        row.name,
        state(row),
        row.created_at.slice(0, 10),
        row.last_used_at?.slice(0, 10) ?? 'never',
        row.expires_at?.slice(0, 10) ?? 'never',
      ]),
    )
  })
}

async function revoke(id: string, options: { json?: true }): Promise<void> {
  await withFolder(ctx => {
    const revoked = ctx.store.transact(() => {
      const at = ctx.now().toISOString()
      const row = listAllTokens(ctx.store).find(token => token.id === id)
      if (!row || !revokeToken(ctx.store, id, at)) return false
      record(ctx, 'token.revoked', row, at)
      return true
    })
    if (!revoked) throw new Failure(`There is no token "${id}" in use: "stemma token list" shows them.`)
    if (options.json) printJson({ id, revoked: true })
    else print(`The token ${id} is revoked.`)
  })
}

/** Tells the organizations of whoever the token speaks for; the command line does not say who did it. */
const record = (ctx: Context, action: 'token.created' | 'token.revoked', row: TokenRow, at: string) =>
  recordUserEvent(ctx.store, row.user_id, {
    action,
    userId: null,
    origin: null,
    target: { kind: 'token', id: row.id },
    details: { user: row.user_id, ...(row.expires_at && { expiresAt: row.expires_at }) },
    at,
  })

/** The user of this id or e-mail address. Throws Failure when there is none. */
export function requireUser(ctx: Context, idOrEmail: string): UserRow {
  const user = findUser(ctx.store, idOrEmail) ?? findUserByEmail(ctx.store, oneAddress(idOrEmail))
  if (!user) throw new Failure(`There is no user "${idOrEmail}": "stemma user list" shows them.`)
  return user
}

function readExpiry(text: string): string {
  const at = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new Failure(`--expires is "${text}"; it takes a date such as 2027-01-01.`, exitUsage)
  if (at <= Date.now()) throw new Failure(`--expires is "${text}", which is over already.`, exitUsage)
  return new Date(at).toISOString()
}

const present = (row: TokenRow) => ({
  id: row.id,
  user: row.user_id,
  name: row.name,
  createdAt: row.created_at,
  ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  ...(row.expires_at && { expiresAt: row.expires_at }),
  ...(row.revoked_at && { revokedAt: row.revoked_at }),
})
