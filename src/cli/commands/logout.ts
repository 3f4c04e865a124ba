import type { Command } from 'commander'
import { Rejected, readServer, sendRequest } from '../api/call-api.ts'
import { forgetToken, readSavedToken } from '../api/token-file.ts'
import { print } from '../output/print.ts'
import { newCommand } from './new-command.ts'

/** Defines `stemma logout`: ends what `stemma login` began, over HTTP. */
export const logoutCommand = (): Command =>
  newCommand(
    'logout',
    'Revoke the token of "stemma login" and delete it from this machine',
    'stemma logout',
  ).action(logout)

async function logout(): Promise<void> {
  const server = readServer()
  const saved = readSavedToken(server)
  if (!saved) return print(`You are not signed in to ${server}.`)

  try {
    await sendRequest({ base: server, token: saved.token }, 'DELETE', `/v1/user/tokens/${saved.id}`)
  } catch (error) {
    // It has expired, or was revoked elsewhere.
    if (!(error instanceof Rejected)) throw error
  }

  forgetToken(server)
  print(`You are signed out of ${server}.`)
}
