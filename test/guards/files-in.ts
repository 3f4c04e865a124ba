import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { ended, start, upload } from '../api/imports/importing.ts'
import { zipOf } from '../api/imports/zip.ts'
import type { Reply } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { type GitClient, remoteOf as remoteUrl } from '../support/git/client.ts'
import type { SyncBench } from '../support/git/remote.ts'
import { gitOutside } from '../support/git/repo.ts'
import type { RuledFile } from './file-rules.ts'
import { must } from './ways-in.ts'

/** A new space with the pages README.md and a.md. */
type Ground = {
  bench: SyncBench
  client: GitClient
  /** The operator's folder of templates. */
  templates: string
  id: string
  api: string
  dir: string
  /** What the attempts of a way share. */
  at: { remote?: { dir: string; address: object }; copy?: string }
}

/**
 * How an attempt ended: 'ok', a status, 'refused' for a push, or 'fails' for an import or export.
 */
export type Ended = { how: string; text: string }

/**
 * Prepares a way for a file. Returns the attempt, or undefined where the file cannot come that way.
 */
type FileWay = (ground: Ground, file: RuledFile) => Promise<(() => Promise<Ended>) | undefined>

let counter = 0

type Benches = Pick<Ground, 'bench' | 'client' | 'templates'>

export async function groundFor(benches: Benches): Promise<Ground> {
  const { bench } = benches
  const { api, space, repo } = await makeSpace(bench.app, {
    'README.md': '# Home\n',
    'a.md': '# A\n',
    '.gitbook/assets/a.txt': 'A',
    '.gitbook/assets/a.md': 'A',
  })

  // Records the head.
  await bench.app.admin.get(`${api}/content`)

  return { ...benches, id: space.id, api, dir: repo.dir, at: {} }
}

const answered = ({ status, body }: Reply): Ended => ({
  how: status < 300 ? 'ok' : String(status),
  text: body?.error?.message ?? '',
})

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * Commits a file (null: removes it) in a repository, on a branch, with plumbing that checks no
 * names.
 */
function commitFile(
  dir: string,
  start: string,
  { path, content, mode = '100644' }: RuledFile,
): string {
  const oid = gitOutside(dir, ['hash-object', '-w', '--no-filters', '--stdin'], content)
  const others = gitOutside(dir, ['ls-tree', '-z', start])
    .split('\0')
    .filter(line => line !== '' && line.split('\t')[1] !== path)
  const entries = [...others, `${mode} blob ${oid}\t${path}`]
  const tree = gitOutside(dir, ['mktree', '-z'], `${entries.join('\0')}\0`)
  return gitOutside(dir, ['commit-tree', '-m', 'A file', '-p', start, tree])
}

/** Moves a branch of the space from a shell on the server, and has the service record it. */
async function moveOnServer({ bench, api, dir }: Ground, ref: string, oid: string): Promise<void> {
  gitOutside(dir, ['update-ref', ref, oid])
  await bench.app.admin.get(`${api}/content`)
}

const headOf = ({ dir }: Ground, ref = 'refs/heads/main'): string =>
  gitOutside(dir, ['rev-parse', ref])

const page: FileWay = async ({ bench, api }, { path }) => {
  if (!path.endsWith('.md')) return undefined
  const change = { operation: 'insert_page', title: 'Page', slug: path.slice(0, -3), document: {} }
  return async () => answered(await bench.app.admin.post(`${api}/content`, { changes: [change] }))
}

const renamedPage: FileWay = async ({ bench, api }, { path }) => {
  if (!path.endsWith('.md')) return undefined
  const insert = { operation: 'insert_page', title: `New ${++counter}`, document: {} }
  const made = await must(bench.app.admin, `${api}/content`, { changes: [insert] })
  const change = {
    operation: 'update_page',
    page: made.changes[0].page.id,
    slug: path.slice(0, -3),
  }

  return async () => answered(await bench.app.admin.post(`${api}/content`, { changes: [change] }))
}

const insertion = ({ path, content }: RuledFile) => ({
  operation: 'insert_files',
  files: [
    {
      name: baseName(path),
      contentType: 'text/plain',
      base64: Buffer.from(content).toString('base64'),
    },
  ],
})

const editTo =
  (at: (ground: Ground) => Promise<string>): FileWay =>
  async (ground, file) => {
    if (file.mode) return undefined
    const path = `${await at(ground)}/content`
    return async () =>
      answered(await ground.bench.app.admin.post(path, { changes: [insertion(file)] }))
  }

/** Sends the bytes of a file to an address, and then an edit that names them. */
const uploaded: FileWay = async ({ bench, api }, { path, content, mode }) => {
  if (mode) return undefined
  const bytes = Buffer.from(content)
  const name = baseName(path)
  const { url, key } = await must(bench.app.admin, '/v1/orgs/acme/storage/upload', {
    file: { name: 'file.txt', type: 'text/plain', size: bytes.length },
    kind: 'import_file',
  })
  await fetch(url, { method: 'PUT', body: bytes })
  const changes = [{ operation: 'insert_files', files: [{ name, upload: key }] }]
  return async () => answered(await bench.app.admin.post(`${api}/content`, { changes }))
}

const request = async ({ bench, api }: Ground): Promise<string> =>
  `${api}/change-requests/${(await must(bench.app.admin, `${api}/change-requests`, { subject: 'X' })).id}`

const renamedFile: FileWay = async ({ bench, api }, { path, content, mode }) => {
  if (mode) return undefined
  const first = { ...insertion({ path: `new-${++counter}.txt`, content }) }
  const made = await must(bench.app.admin, `${api}/content?compat=false`, { changes: [first] })
  const change = { operation: 'rename_file', file: made.insertedFiles[0].id, name: baseName(path) }
  return async () => answered(await bench.app.admin.post(`${api}/content`, { changes: [change] }))
}

/**
 * Writes the file from a shell on the server, and takes it back. Returns the revision that has it, and
 * the page that the file was.
 */
async function formerly(
  ground: Ground,
  file: RuledFile,
): Promise<{ before: string; found: { id: string } | undefined }> {
  const { bench, api, dir } = ground
  const start = headOf(ground)

  // The look-alike name was free then.
  const free = gitOutside(dir, ['ls-tree', '-z', start])
    .split('\0')
    .filter(line => line !== '' && line.split('\t')[1] !== 'a.md')
  const tree = gitOutside(dir, ['mktree', '-z'], `${free.join('\0')}\0`)
  const before = commitFile(
    dir,
    gitOutside(dir, ['commit-tree', '-m', 'Free', '-p', start, tree]),
    file,
  )

  await moveOnServer(ground, 'refs/heads/main', before)
  const { body } = await bench.app.admin.get(`${api}/content`)
  const found = body.pages.find((each: { pathInGit?: string; title: string }) =>
    file.content.includes(each.title),
  )
  const back = gitOutside(dir, ['commit-tree', '-m', 'Back', '-p', before, `${start}^{tree}`])

  await moveOnServer(ground, 'refs/heads/main', back)
  return { before, found }
}

const revert: FileWay = async (ground, file) => {
  if (!file.path.endsWith('.md')) return undefined
  const { bench, api } = ground
  const { before, found } = await formerly(ground, file)
  if (!found) return undefined

  const change = { operation: 'revert_page', page: found.id, revision: before }

  return async () => answered(await bench.app.admin.post(`${api}/content`, { changes: [change] }))
}

const revertContent: FileWay = async (ground, file) => {
  if (!file.path.endsWith('.md')) return undefined
  const { bench, api } = ground
  const { before: revision } = await formerly(ground, file)
  return async () => answered(await bench.app.admin.post(`${api}/content/revert`, { revision }))
}

/**
 * Puts the file into a template of the operator. Returns its id, or undefined for a file that no
 * template can hold.
 */
async function templateWith(
  { templates }: Ground,
  { path, content, mode }: RuledFile,
  others: Record<string, string>,
) {
  if (mode || path.startsWith('.') || Buffer.byteLength(path) > 255) return undefined
  const id = `files-${++counter}`
  const files = { 'template.yaml': 'title: T\n', ...others, [path]: content }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(templates, id, name)), { recursive: true })
    await writeFile(join(templates, id, name), text)
  }
  return id
}

const template =
  (
    send: (ground: Ground, template: { id: string }) => Promise<Reply>,
    others: Record<string, string> = {},
  ): FileWay =>
  async (ground, file) => {
    const id = await templateWith(ground, file, others)
    if (!id) return undefined
    return async () => {
      const ended = answered(await send(ground, { id }))
      await rm(join(ground.templates, id), { recursive: true })
      return ended
    }
  }

const folder =
  (into: (ground: Ground) => Promise<string>): FileWay =>
  async (ground, { path, content, mode }) => {
    if (mode) return undefined
    const at = await into(ground)
    const oid = createHash('sha1')
      .update(`blob ${Buffer.byteLength(content)}\0${content}`)
      .digest('hex')
    const contents = [Buffer.from(content).toString('base64')]
    const body = { files: { [path]: `100644 ${oid}` }, contents, force: true, keep: true }
    return async () => answered(await ground.bench.app.admin.post(`${at}/git/folder`, body))
  }

/** Imports the file with a page. Hidden files and links are no part of an import. */
const importFiles =
  (into: (ground: Ground) => Promise<object>): FileWay =>
  async (ground, { path, content, mode }) => {
    if (mode || path.startsWith('.')) return undefined
    const by = ground.bench.app.admin
    const zip = zipOf([
      { path: 'with.md', bytes: `# With ${++counter}\n` },
      { path, bytes: content },
    ])
    const keys = [await upload(by, 'files.zip', zip)]
    const target = await into(ground)
    return async () => {
      const run = await ended(by, (await start(by, ground.id, keys, target)).body.id)
      return { how: run.status === 'completed' ? 'ok' : 'fails', text: run.reason ?? '' }
    }
  }

const addressOf = (bench: SyncBench, name: string) => ({
  url: `${bench.host.origin}/${name}.git`,
  ref: 'refs/heads/main',
})

/** Returns the address and folder of the remote of the space, to which the space was exported. */
async function remoteOf({ bench, id, at }: Ground, repoProjectDirectory: string) {
  if (at.remote) return at.remote
  const name = `files-${++counter}`
  const dir = bench.remote(name, {})
  const address = { ...addressOf(bench, name), repoProjectDirectory }
  const { state, error } = await bench.sync('export', id, { ...address, commitMessage: 'Out' })
  if (state !== 'success') throw new Error(error)
  at.remote = { dir, address }
  return at.remote
}

const setMain = (dir: string, oid: string): string =>
  gitOutside(dir, ['update-ref', 'refs/heads/main', oid])

/** Adds the file to the remote for one import or export. A refused one is taken back. */
async function synced(
  ground: Ground,
  file: RuledFile,
  way: 'import' | 'export',
  more: object,
  directory = '',
): Promise<Ended> {
  const { dir, address } = await remoteOf(ground, directory)
  const before = gitOutside(dir, ['rev-parse', 'main'])
  if (directory === '') setMain(dir, commitFile(dir, 'main', file))
  else {
    const inner = gitOutside(dir, ['commit-tree', '-m', 'X', `main:${directory}`])
    const tree = gitOutside(dir, ['rev-parse', `${commitFile(dir, inner, file)}^{tree}`])
    const whole = gitOutside(dir, ['mktree'], `040000 tree ${tree}\t${directory}\n`)
    setMain(dir, gitOutside(dir, ['commit-tree', '-m', 'A file', '-p', 'main', whole]))
  }

  const { state, error = '' } = await ground.bench.sync(way, ground.id, { ...address, ...more })
  if (state !== 'success') setMain(dir, before)

  return { how: state === 'success' ? 'ok' : 'fails', text: error }
}

const imported =
  (more: object, directory?: string): FileWay =>
  async (ground, file) =>
  () =>
    synced(ground, file, 'import', more, directory)

/** The space has a page that the remote lacks. */
const exportBringing: FileWay = async (ground, file) => {
  await remoteOf(ground, '')
  await must(ground.bench.app.admin, `${ground.api}/content`, {
    changes: [{ operation: 'insert_page', title: `Own ${++counter}`, document: {} }],
  })
  return () => synced(ground, file, 'export', { commitMessage: 'Out' })
}

/** Copies the repository of a space into the folder of the client. Returns the name of the copy. */
async function copyOf({ client, bench }: Ground, id: string): Promise<string> {
  const copy = `copy-${++counter}`
  await client.ok(['clone', '-q', '--bare', spaceRepository(bench.app.ctx, id).dir, copy])
  return copy
}

async function push(
  { client, bench }: Ground,
  id: string,
  copy: string,
  refspec: string,
): Promise<Ended> {
  const url = remoteUrl(bench.app.url, id, bench.app.admin.token)
  const { code, stderr } = await client.git(['push', url, refspec], { in: copy })
  return { how: code === 0 ? 'ok' : 'refused', text: stderr }
}

const pushed =
  (refOf: (ground: Ground) => Promise<string>): FileWay =>
  async (ground, file) => {
    const ref = await refOf(ground)
    ground.at.copy ??= await copyOf(ground, ground.id)
    const { copy } = ground.at
    const dir = join(ground.client.folder, copy)
    const commit = commitFile(dir, 'main', file)

    return async () => {
      const ended = await push(ground, ground.id, copy, `${commit}:${ref}`)
      if (ended.how === 'ok' && ref === 'refs/heads/main') setMain(dir, commit)
      return ended
    }
  }

/** The first push to a space. */
const pushedFirst: FileWay = async (ground, file) => {
  const id = await ground.bench.space()
  const copy = await copyOf(ground, id)
  const dir = join(ground.client.folder, copy)
  const commit = commitFile(dir, commitFile(dir, 'main', { path: 'a.md', content: '# A\n' }), file)
  return () => push(ground, id, copy, `${commit}:refs/heads/main`)
}

const branchOf = async ({ bench, api }: Ground): Promise<string> =>
  `refs/heads/change-requests/${(await must(bench.app.admin, `${api}/change-requests`, { subject: 'X' })).number}`

/**
 * Writes versions of the file to a new change request and to the primary content. Returns the
 * change request.
 */
async function apart(
  ground: Ground,
  path: string,
  base: string | null,
  theirs: string,
  ours: string | null,
) {
  const { bench, api } = ground
  if (base !== null)
    await moveOnServer(
      ground,
      'refs/heads/main',
      commitFile(ground.dir, 'main', { path, content: base }),
    )

  const made = await must(bench.app.admin, `${api}/change-requests`, { subject: 'X' })
  const at = `${api}/change-requests/${made.id}`
  const branch = `refs/heads/change-requests/${made.number}`

  await moveOnServer(ground, branch, commitFile(ground.dir, branch, { path, content: theirs }))
  await bench.app.admin.get(`${at}/content`)

  if (ours !== null)
    await moveOnServer(
      ground,
      'refs/heads/main',
      commitFile(ground.dir, 'main', { path, content: ours }),
    )

  return at
}

/** Both sides have what may be content; their merge is the refused file. */
const joined =
  (verb: 'merge' | 'update'): FileWay =>
  async (ground, file) => {
    const { path, merged } = file
    const isTwin = path === '\u0430.md'
    if (!merged && !isTwin) return undefined

    const admin = ground.bench.app.admin
    let at: string

    if (merged) at = await apart(ground, path, merged.base, merged.theirs, merged.ours)
    else {
      // The change request adds the look-alike of a file that the primary content gets meanwhile.
      const twin = { ...file, path: path.replace('\u0430', '\u0430x') }
      at = await apart(ground, twin.path, null, twin.content, null)
      const other = commitFile(ground.dir, 'main', { path: 'ax.md', content: '# Latin\n' })
      await moveOnServer(ground, 'refs/heads/main', other)
    }

    return async () => answered(await admin.post(`${at}/${verb}`, {}))
  }

/**
 * Both sides have what may be content, and the resolution of their conflict is the refused file.
 */
const resolved: FileWay = async (ground, { path, content, allowed }) => {
  if (!allowed) return undefined
  const at = await apart(ground, path, null, allowed[0], allowed[1])
  const resolutions = [{ path, content }]
  return async () => answered(await ground.bench.app.admin.post(`${at}/update`, { resolutions }))
}

const newSpace = ({ bench }: Ground, template: { id: string }): Promise<Reply> =>
  bench.app.admin.post('/v1/orgs/acme/spaces', { title: 'From a template', template })

/** The ways of files.txt. Those with "@" are variants of a way of ways.txt. */
export const fileWays: Record<string, FileWay> = {
  'edit@page': page,
  'edit@renamed-page': renamedPage,
  edit: editTo(async ({ api }) => api),
  'edit@upload': uploaded,
  'edit@renamed-file': renamedFile,
  'edit-request': editTo(request),
  template: template(({ bench, api }, { id }) =>
    bench.app.admin.post(`${api}/content/template`, { id }),
  ),
  'template@space': template(newSpace, { 'a.md': '# A\n' }),
  'first-edit': template(({ bench, api }, template) =>
    bench.app.admin.post(`${api}/change-requests`, { subject: 'First', template }),
  ),
  revert,
  'revert-request': revertContent,
  merge: joined('merge'),
  update: joined('update'),
  'update@resolved': resolved,
  import: imported({}),
  'import@folder': imported({ force: true }, 'docs'),
  'import-force': imported({ force: true }),
  standalone: imported({ standalone: true }),
  'import-files': importFiles(async () => ({})),
  'import-files-request': importFiles(async ground => ({
    changeRequest: (await request(ground)).split('/').at(-1),
  })),
  folder: folder(async ({ api }) => api),
  'folder-request': folder(request),
  'export-bringing': exportBringing,
  'git-push-main': pushed(async () => 'refs/heads/main'),
  'git-push-main@first': pushedFirst,
  'git-push-for': pushed(async () => 'refs/for/main'),
  'git-push-request': pushed(branchOf),
  'git-push-branch': pushed(async () => `refs/heads/new-${++counter}`),
}

/** Returns the objects of the space. */
export const objectsOf = ({ bench, id }: Ground): string[] =>
  gitOutside(spaceRepository(bench.app.ctx, id).dir, [
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objectname)',
  ])
    .split('\n')
    .sort()
