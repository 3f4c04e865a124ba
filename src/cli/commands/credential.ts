import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { findToken, readServer } from '../api/call-api.ts'
import { forgetToken, readSavedToken } from '../api/token-file.ts'
import { print } from '../output/print.ts'
import { newCommand } from './new-command.ts'

/** Defines `stemma credential`: a credential helper, which Git starts and talks to. */
export const credentialCommand = (): Command =>
  newCommand(
    'credential',
    'Give Git the token of a server, as its credential helper',
    "git config --global credential.https://docs.example.org.helper '!stemma credential'",
  )
    .argument('<operation>', '"get", "store" or "erase"')
    .option('--server <address>', 'the address of the server, where it is not the root of its host')
    .action(credential)

/**
 * Git asks with lines such as "host=docs.example.org". Operations that are not known must be
 * ignored.
 */
async function credential(
  operation: string,
  { server: named }: { server?: string },
): Promise<void> {
  const asked = new Map(
    (await text(process.stdin)).split('\n').map(line => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)] as const
    }),
  )
  const server = serverAsked(asked, named)
  if (server === undefined) return
  if (operation === 'get') give(server)

  // The server refused it: it was revoked, or has expired.
  if (operation === 'erase' && readSavedToken(server)?.token === asked.get('password'))
    forgetToken(server)
}

/**
 * Returns the server that Git asks about; undefined unless it is the one that the helper was set up
 * for.
 */
function serverAsked(
  asked: ReadonlyMap<string, string>,
  named: string | undefined,
): string | undefined {
  const origin = `${asked.get('protocol')}://${asked.get('host')}`
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return undefined
  const server = (named ?? serverAt(origin)).replace(/\/+$/, '')
  return URL.canParse(server) && new URL(server).origin === new URL(origin).origin
    ? server
    : undefined
}

/** Returns STEMMA_URL if it is on this host, which may hold the server below a path. */
function serverAt(origin: string): string {
  const server = readServer()
  return new URL(server).origin === new URL(origin).origin ? server : origin
}

function give(server: string): void {
  const token = findToken(server)
  if (token === undefined) {
    console.error(
      `There is no token for ${server}: sign in with "stemma login", or set STEMMA_TOKEN.`,
    )
    return
  }
  print(`username=stemma\npassword=${token}`)
}
