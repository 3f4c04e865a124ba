import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { type Actor, type App, type Reply, startApp } from '../app.ts'
import { until } from '../until.ts'
import { type GitServer, serveGit } from './git-server.ts'
import { gitOutside } from './repo.ts'

/** A server and a Git host, for tests of imports and exports. */
export type SyncBench = {
  app: App
  host: GitServer
  /** The folder of the host's repositories. */
  folder: string
  /** Creates a repository on the host whose branch holds these files. Returns its folder. */
  remote: (name: string, files: Record<string, string>, branch?: string) => string
  /** Commits files (null: removed) to a branch of a repository on the host. Returns the commit. */
  commit: (
    dir: string,
    files: Record<string, string | null>,
    message?: string,
    branch?: string,
  ) => string
  /** Creates an empty space of "acme". Returns its id. */
  space: (title?: string) => Promise<string>
  /** Runs git in a space's repository, as an administrator would. */
  git: (spaceId: string, ...args: string[]) => string
  /** Starts an import or export and waits for its end. Returns the Git sync operation. */
  sync: (
    direction: 'import' | 'export',
    spaceId: string,
    body: object,
    by?: Actor,
  ) => Promise<Reply['body']>
  stop: () => Promise<void>
}

let empty: string | undefined

function makeEmpty(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-empty-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  gitOutside(folder, ['init', '--quiet', '--bare', '--template=', '.'])
  return folder
}

/** Copies an empty bare repository, which takes less than to create one. */
function copyEmpty(dir: string, branch: string): void {
  empty ??= makeEmpty()
  cpSync(empty, dir, { recursive: true })
  writeFileSync(join(dir, 'HEAD'), `ref: refs/heads/${branch}\n`)
}

export async function openSyncBench(
  login?: string,
  env: Record<string, string> = {},
): Promise<SyncBench> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-host-'))
  const host = await serveGit({ folder, ...(login && { login }) })
  const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true', ...env })
  const commit: SyncBench['commit'] = (dir, files, message = 'Change', branch = 'main') => {
    const tip = readRef({ dir }, `refs/heads/${branch}`)
    const stream = [
      `commit refs/heads/${branch}\nmark :1\ncommitter Grace <grace@example.org> 1700000000 +0000\n`,
      `data ${Buffer.byteLength(message)}\n${message}\n`,
      tip ? `from ${tip}\n` : '',
      ...Object.entries(files).map(([path, text]) =>
        text === null
          ? `D ${path}\n`
          : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      ),
      '\nget-mark :1\n',
    ].join('')

    return gitOutside(dir, ['fast-import', '--quiet', '--force'], stream)
  }

  return {
    app,
    host,
    folder,
    commit,
    remote: (name, files, branch = 'main') => {
      const dir = join(folder, `${name}.git`)
      copyEmpty(dir, branch)
      if (Object.keys(files).length > 0) commit(dir, files, 'Begin', branch)
      return dir
    },
    space: async (title = 'Handbook') => {
      const by = findUser(app.ctx.store, app.admin.id)
      if (!by) throw new Error('no admin')
      return (await createSpace(app.ctx, { organization_id: 'acme', title }, by)).id
    },
    git: (spaceId, ...args) => gitOutside(spaceFolder(app.dataDir, spaceId), args),
    sync: async (direction, spaceId, body, by = app.admin) => {
      const started = await by.post(`/v1/spaces/${spaceId}/git/${direction}`, body)
      if (started.status !== 204) throw new Error(`${direction}: ${started.status} ${started.text}`)
      const path = new URL(started.headers.get('location') ?? '').pathname

      return until(`the ${direction} ends`, async () => {
        const { body: operation } = await by.get(path)
        return operation.state === 'success' || operation.state === 'failure'
          ? operation
          : undefined
      })
    },
    stop: async () => {
      await app.stop()
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
