import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverSettings } from '../postgres/app-database.ts'
import { type GitServer, serveGit } from '../support/git/git-server.ts'
import { type SharedRows, sharedRows } from './check/shared-rows.ts'
import type { Call } from './clients/call.ts'
import { commitFiles, git } from './clients/git.ts'
import { openReceiver, type Receiver } from './clients/receiver.ts'
import { type Ledger, newSpace, type Space } from './ledger.ts'
import { makeProgram, type Program } from './program.ts'

/** A second user besides the initial admin. */
export type Peer = { id: string; token: string }

/**
 * What lasts from the first round to the last: the folders, the Git host, and the receiver of
 * webhooks.
 */
export type World = {
  folder: string
  dataDir: string
  /** The database that holds the rows, with TEST_DATABASE=postgres. */
  shared: SharedRows | undefined
  program: Program
  token: string
  /** The password of the Git host, which must not be stored in plain text anywhere. */
  secret: string
  /** Undefined until the invitation. */
  peer: Peer | undefined
  receiver: Receiver
  /** The secret that signs webhooks, which must not be stored in plain text either. */
  webhookSecret: string
  fresh: (kind: string) => string
  makeRemote: (branch: string) => Promise<Space['remote']>
  /** The environment of a server. */
  env: Record<string, string>
  close: (options: { keep: boolean }) => Promise<void>
}

/** The settings of a server that does not limit its clients. */
export const withoutLimits = {
  STEMMA_ALLOW_PRIVATE_REMOTES: 'true',
  STEMMA_MAX_COMMENTS_PER_HOUR: '1000000',
  STEMMA_MAX_REQUESTS_PER_MINUTE: '10000000',
  STEMMA_MAX_SPACES_PER_DAY: '0',
  STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: '0',
  STEMMA_MAX_CONNECTIONS_PER_ADDRESS: '0',
  STEMMA_LOG: 'warn',
  NODE_ENV: 'production',
}

export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const program = await makeProgram()
  const folder = mkdtempSync(join(tmpdir(), 'stemma-killed-'))
  const dataDir = join(folder, 'data')
  const database = await serverSettings()
  const shared = database.STEMMA_DATABASE ? sharedRows(database.STEMMA_DATABASE) : undefined
  const remotes = join(folder, 'remotes')

  mkdirSync(dataDir)
  mkdirSync(remotes)
  const secret = `planted${Math.random().toString(36).slice(2)}`
  const host: GitServer = await serveGit({ folder: remotes, login: `robot:${secret}` })
  const webhookSecret = `webhook-${secret}`
  const receiver = await openReceiver(webhookSecret)
  const token = `stm_${'k'.repeat(40)}`
  let last = 0
  const fresh = (kind: string) => `${kind}${++last}z`

  return {
    folder,
    dataDir,
    shared,
    program,
    token,
    secret,
    peer: undefined,
    receiver,
    webhookSecret,
    fresh,
    makeRemote: async branch => {
      const name = fresh('remote')
      const dir = join(remotes, `${name}.git`)
      await git(remotes, ['init', '--quiet', '--bare', '-b', branch, dir])
      await commitFiles(dir, branch, {
        'README.md': '# Begin\n',
        'SUMMARY.md': '# Table of contents\n\n* [Begin](README.md)\n',
      })
      return { dir, branch, url: `http://robot:${secret}@127.0.0.1:${host.port}/${name}.git` }
    },
    env: {
      STEMMA_DATA: dataDir,
      PORT: '0',
      STEMMA_PUBLIC_URL: 'http://stemma.test',
      STEMMA_ADMIN_TOKEN: token,
      ...withoutLimits,
      ...database,
      ...env,
    },
    close: async ({ keep }) => {
      await Promise.all([host.close(), receiver.close()])
      if (!keep) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a space from an import of a remote of its own, and waits for it. */
export async function seedSpace(
  world: World,
  call: Call,
  ledger: Ledger,
  round: number,
): Promise<Space> {
  const remote = await world.makeRemote('main')
  const made = await call({
    method: 'POST',
    path: '/v1/orgs/default/spaces',
    body: { title: world.fresh('Work') },
  })
  if (made?.status !== 201) throw new Error(`no space: ${made?.text}`)

  const path = `/v1/spaces/${made.body.id}/git`
  const body = { url: remote.url, ref: 'refs/heads/main' }
  const begun = await call({ method: 'POST', path: `${path}/import`, body })
  if (begun?.status !== 204) throw new Error(`no import: ${begun?.text}`)

  for (;;) {
    const reply = await call({ method: 'GET', path: new URL(begun.location).pathname })
    if (reply?.body.state === 'success') break
    if (reply?.body.state !== 'queued' && reply?.body.state !== 'running')
      throw new Error(`the import failed: ${reply?.text}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }

  const space = newSpace(made.body.id, remote, round, false)

  ledger.spaces.push(space)

  return space
}
