import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import { type Actor, type App, startApp } from '../app.ts'
import { eventsOf } from '../events.ts'
import { type Ended, type GitClient, openClient, remoteOf } from './client.ts'
import { gitOutside } from './repo.ts'

type Request = {
  id: string
  status: string
  subject: string
  revision: string
  revisionInitial: string
  branch?: string
  createdBy: { id: string }
}

/** A server, a folder of clones, and shortcuts for stories of pushes. */
export type PushBench = {
  app: App
  client: GitClient
  /** Creates a space with a page "One". Returns its id. */
  space: (settings?: object) => Promise<string>
  /** Creates a space that nobody has written to. Returns its id. */
  untouched: () => Promise<string>
  /** Clones a space as a user. Returns the name of the clone. */
  clone: (spaceId: string, by?: Actor) => Promise<string>
  /** Commits files on the branch of a clone. Returns the commit. */
  commit: (clone: string, files: Record<string, string>, message?: string) => Promise<string>
  /** Pushes from a clone; the arguments follow "git push". */
  push: (clone: string, ...args: string[]) => Promise<Ended>
  /** Edits a space over HTTP. Returns the new revision. */
  edit: (spaceId: string, title: string) => Promise<string>
  repo: (spaceId: string) => Repository
  /** Runs git in the repository of a space. */
  inside: (spaceId: string, ...args: string[]) => string
  /** The branches of a space with their commits. */
  refs: (spaceId: string) => Record<string, string>
  requests: (spaceId: string) => Promise<Request[]>
  events: (id: string) => ReturnType<typeof eventsOf>
  user: (name: string, role?: Role | null) => Actor
  stop: () => Promise<void>
}

export async function openPushBench(env: Record<string, string> = {}): Promise<PushBench> {
  const app = await startApp(env)
  const client = await openClient()
  let made = 0
  const untouched = async () => {
    const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
    return body.id as string
  }
  const repo = (spaceId: string) => spaceRepository(app.ctx, spaceId)
  const inside = (spaceId: string, ...args: string[]) => gitOutside(repo(spaceId).dir, args)
  const edit = async (spaceId: string, title: string): Promise<string> => {
    const change = { operation: 'insert_page', title, document: { markdown: `${title}.` } }
    const { body } = await app.admin.post(`/v1/spaces/${spaceId}/content`, { changes: [change] })
    return body.revision
  }

  return {
    app,
    client,
    untouched,
    repo,
    inside,
    edit,
    user: app.user,
    space: async (settings = {}) => {
      const id = await untouched()
      await edit(id, 'One')
      if (Object.keys(settings).length > 0) await app.admin.patch(`/v1/spaces/${id}`, settings)
      return id
    },
    clone: async (spaceId, by = app.admin) => {
      const name = `clone-${++made}`
      await client.ok(['clone', '-q', remoteOf(app.url, spaceId, by.token), name])
      return name
    },
    commit: async (clone, files, message = 'A change') => {
      for (const [path, text] of Object.entries(files))
        await writeFile(join(client.folder, clone, path), text)
      await client.ok(['add', '-A'], { in: clone })
      await client.ok(['commit', '-q', '--allow-empty', '-m', message], { in: clone })
      return client.ok(['rev-parse', 'HEAD'], { in: clone })
    },
    push: (clone, ...args) => client.git(['push', '--progress', ...args], { in: clone }),
    refs: spaceId =>
      Object.fromEntries(
        inside(spaceId, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/')
          .split('\n')
          .map(line => line.slice('refs/heads/'.length).split(' ')),
      ),
    requests: async spaceId => {
      const { body } = await app.admin.get(`/v1/spaces/${spaceId}/change-requests?status=open`)
      return body.items
    },
    events: id => eventsOf(app, id),
    stop: async () => {
      await client.remove()
      await app.stop()
    },
  }
}

/** The lines that the server sent and the lines about refs, without progress. */
export const told = ({ stderr }: Ended): string[] =>
  stderr
    .replace(/[^\n]*\r/g, '')
    .split('\n')
    .map(line => line.trimEnd())
    .filter(line => /^remote: |^ [!*+ =-]|^error: remote/.test(line))
