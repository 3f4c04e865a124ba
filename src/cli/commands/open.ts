import type { Command } from 'commander'
import { createWelcomeCode, welcomeUrl } from '../../actions/sso/welcome.ts'
import { hostUrl } from '../../config.ts'
import type { Context } from '../../context.ts'
import { holderOf } from '../../lock.ts'
import { findFirstAdmin } from '../../store/people/members.ts'
import { withFolder } from '../folder/with-folder.ts'
import { Failure } from '../output/failure.ts'
import { print, printJson } from '../output/print.ts'
import { newQuery } from './new-command.ts'
import { requireUser } from './token.ts'

/** Defines `stemma open`: the address that signs a user in with a browser. */
export const openCommand = (): Command =>
  newQuery(
    'open',
    'Print an address that signs a user in with a browser, once, within an hour',
    'stemma open --user ada@example.org',
  )
    .option('--user <id|email>', 'whom it signs in (default: the first admin of the server)')
    .option('--anywhere', 'it also works in a browser on another machine than that of the server')
    .action(open)

type Options = { user?: string; anywhere?: true; json?: true }

async function open({ user: named, anywhere, json }: Options): Promise<void> {
  await withFolder(ctx => {
    const userId = named === undefined ? firstAdmin(ctx) : requireUser(ctx, named).id
    const code = ctx.store.transact(() =>
      createWelcomeCode(ctx, {
        userId,
        introduces: named === undefined,
        anywhere: anywhere === true,
      }),
    )
    const url = welcomeUrl(addressOf(ctx), code)
    if (json) printJson({ url, user: userId })
    else print(url)
  })
}

function firstAdmin(ctx: Context): string {
  const admin = findFirstAdmin(ctx.store)
  if (admin) return admin.user_id
  throw new Failure(
    'There is no admin on this server. Name a user with --user; "stemma user list" lists users.',
  )
}

/** Returns the address of the server that runs on the folder, or of one with these settings. */
function addressOf({ config }: Context): string {
  if (config.publicUrl !== undefined) return config.publicUrl
  const { host, port } = holderOf(config.dataDir) ?? config
  return hostUrl(host, port)
}
