import { createHash } from 'node:crypto'
import { ended, start, upload } from '../api/imports/importing.ts'
import type { Actor, Reply } from '../support/app.ts'
import type { SyncBench } from '../support/git/remote.ts'
import { gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'

/** A space before it is protected, on which each way builds. */
export type Ground = {
  bench: SyncBench
  api: string
  id: string
  /** The page "a", and a revision in which it had another text. */
  page: string
  before: string
  /** The folder of its repository. */
  dir: string
  /** The text of an incoming page. */
  text: string
}

/** One attempt by a user; `author` is a member who may do everything. */
export type Try = (by: Actor, author: Actor) => Promise<string>

let counter = 0

const cellOf = ({ status }: Reply): string => (status < 300 ? 'ok' : String(status))

const insertion = (text: string, title = `Page ${++counter}`) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: text } }],
})

/** Sends a request that has to succeed. */
export async function must(by: Actor, path: string, body: unknown): Promise<Reply['body']> {
  const reply = await by.post(path, body)
  if (reply.status >= 300) throw new Error(`${path} answered ${reply.status} ${reply.text}`)
  return reply.body
}

const request = async ({ api }: Ground, author: Actor): Promise<string> =>
  `${api}/change-requests/${(await must(author, `${api}/change-requests`, { subject: 'X' })).id}`

const reference = {
  id: 'api-reference',
  params: { contentRefs: { spec: { kind: 'openapi', spec: 'secret' } } },
}

/**
 * The templates to apply, one after the other; only the one with the description when the text has
 * it.
 */
const templatesOf = ({ text }: Ground) =>
  text.includes('spec=') ? [reference] : [{ id: 'changelog' }, { id: 'product-docs' }, reference]

const edit =
  ({ api, text }: Ground): Try =>
  async by =>
    cellOf(await by.post(`${api}/content`, insertion(text)))

/** Sends a folder to where `into` leads. */
const folder =
  (into: (ground: Ground, author: Actor) => Promise<string>) =>
  (ground: Ground): Try =>
  async (by, author) => {
    const { text } = ground
    const oid = createHash('sha1')
      .update(`blob ${Buffer.byteLength(text)}\0${text}`)
      .digest('hex')
    const files = { [`folder-${++counter}.md`]: `100644 ${oid}` }
    const contents = [Buffer.from(text).toString('base64')]
    const at = await into(ground, author)
    return cellOf(await by.post(`${at}/git/folder`, { files, contents, force: true }))
  }

const applyTemplate = (ground: Ground): Try => {
  // Each can be applied once.
  const left = templatesOf(ground)
  return async by => {
    const reply = await by.post(`${ground.api}/content/template`, left[0])
    if (reply.status < 300) left.shift()
    return cellOf(reply)
  }
}

const revert =
  ({ api, page, before }: Ground): Try =>
  async by =>
    cellOf(
      await by.post(`${api}/content`, {
        changes: [{ operation: 'revert_page', page, revision: before }],
      }),
    )

/** A new change request with the content of an earlier revision. */
const revertContent =
  ({ api, before }: Ground): Try =>
  async by =>
    cellOf(await by.post(`${api}/content/revert`, { revision: before }))

/** A member writes, and the caller merges. */
const merge =
  (ground: Ground): Try =>
  async (by, author) => {
    const path = await request(ground, author)
    await must(author, `${path}/content`, insertion(ground.text))
    return cellOf(await by.post(`${path}/merge`, {}))
  }

/** The caller writes part of it, approves it and merges it. */
export const mergeOwn =
  (ground: Ground): Try =>
  async (by, author) => {
    const path = await request(ground, author)
    await must(by, `${path}/content`, insertion(ground.text))
    await must(by, `${path}/reviews`, { status: 'approved' })
    return cellOf(await by.post(`${path}/merge`, {}))
  }

const editRequest =
  (ground: Ground): Try =>
  async (by, author) =>
    cellOf(await by.post(`${await request(ground, author)}/content`, insertion(ground.text)))

const firstEdit =
  (ground: Ground): Try =>
  async by =>
    cellOf(
      await by.post(`${ground.api}/change-requests`, {
        subject: 'First',
        template: templatesOf(ground)[0],
      }),
    )

/** Resolves a conflict on the page with the text. */
async function prepareUpdate(ground: Ground): Promise<Try> {
  const { bench, api, page, text } = ground
  const author = bench.app.admin
  const write = (at: string, words: string) =>
    must(author, `${at}/content`, {
      changes: [{ operation: 'update_page', page, document: { markdown: `# A\n\n${words}\n` } }],
    })
  const paths: string[] = []

  for (let n = 0; n < 4; n++) {
    const path = await request(ground, author)
    await write(path, `branch ${n}`)
    paths.push(path)
  }

  await write(api, 'primary')

  return async by => {
    const resolutions = [{ path: 'a.md', content: `# A\n\n${text}` }]
    return cellOf(await by.post(`${paths.pop()}/update`, { resolutions }))
  }
}

async function sync(
  ground: Ground,
  by: Actor,
  way: 'import' | 'export',
  body: object,
): Promise<string> {
  const started = await by.post(`${ground.api}/git/${way}`, body)
  if (started.status !== 204) return String(started.status)
  const path = new URL(started.headers.get('location') ?? '').pathname
  return until(`the ${way} ends`, async () => {
    const { state } = (await by.get(path)).body
    return state === 'success' ? 'ok' : state === 'failure' ? 'fails' : undefined
  })
}

const addressOf = ({ bench }: Ground, name: string) => ({
  url: `${bench.host.origin}/${name}.git`,
  ref: 'refs/heads/main',
})

/** Exports the space to a new repository; returns its name and folder. */
async function exportFirst(ground: Ground): Promise<{ name: string; remote: string }> {
  const name = `ways-${++counter}`
  const remote = ground.bench.remote(name, {})
  const order = { ...addressOf(ground, name), commitMessage: 'Out' }
  const out = await ground.bench.sync('export', ground.id, order)
  if (out.state !== 'success') throw new Error(out.error)
  return { name, remote }
}

/** Imports the commits made to an export of the space. */
const take =
  (more: object) =>
  async (ground: Ground): Promise<Try> => {
    const { name, remote } = await exportFirst(ground)
    ground.bench.commit(remote, { 'arrived.md': `# Arrived\n\n${ground.text}` })
    return by => {
      ground.bench.commit(remote, { [`arrived-${++counter}.md`]: `# Arrived\n\n${counter}\n` })
      return sync(ground, by, 'import', { ...addressOf(ground, name), ...more })
    }
  }

const give = (ground: Ground): Try => {
  const name = `ways-${++counter}`
  ground.bench.remote(name, {})
  return by => sync(ground, by, 'export', { ...addressOf(ground, name), commitMessage: 'Out' })
}

/** The remote and the space each have a page that the other lacks. */
async function prepareBringing(ground: Ground): Promise<Try> {
  const { bench, api, text } = ground
  const { name, remote } = await exportFirst(ground)
  const body = { ...addressOf(ground, name), commitMessage: 'Out' }
  bench.commit(remote, { 'arrived.md': `# Arrived\n\n${text}` })
  await must(bench.app.admin, `${api}/content`, insertion('Words\n'))
  return by => sync(ground, by, 'export', body)
}

/** Uploads a page as a file, and imports it. */
const importFiles =
  (intoRequest: boolean) =>
  (ground: Ground): Try =>
  async (by, author) => {
    const changeRequest = intoRequest
      ? (await request(ground, author)).split('/').at(-1)
      : undefined
    const key = await upload(by, `page-${++counter}.md`, ground.text)
    const target = changeRequest === undefined ? {} : { changeRequest }
    const started = await start(by, ground.id, [key], target)
    if (started.status >= 300) return String(started.status)
    const { status } = await ended(by, started.body.id)
    return status === 'completed' ? 'ok' : 'fails'
  }

const push =
  ({ bench, api, id, dir, text }: Ground): Try =>
  async by => {
    const ref = bench.git(id, 'symbolic-ref', 'HEAD').trim()
    const file = `pushed-${++counter}.md`
    gitOutside(
      dir,
      ['fast-import', '--quiet', '--force'],
      `commit ${ref}\ncommitter G <g@example.org> 1700000000 +0000\ndata 1\nx\nfrom ${ref}^0\nM 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    )
    const head = bench.git(id, 'rev-parse', 'HEAD').trim()
    const { body } = await by.get(`${api}/content`)

    return body.id === head ? 'ok' : 'lost'
  }

const kept = async (bench: SyncBench, id: string): Promise<string> => {
  const { editMode, mergeRules } = (await bench.app.admin.get(`/v1/spaces/${id}`)).body
  return editMode === 'locked' || mergeRules?.type === 'rules' ? 'kept' : 'ok'
}

const duplicate =
  ({ bench, api }: Ground): Try =>
  async by => {
    const made = await by.post(`${api}/duplicate`, {})
    return made.status < 300 ? kept(bench, made.body.id) : String(made.status)
  }

const restore =
  ({ bench, api, id }: Ground): Try =>
  async by => {
    await bench.app.admin.delete(api)
    const back = await by.post(`${api}/restore`, {})
    if (back.status >= 300) {
      await must(bench.app.admin, `${api}/restore`, {})
      return String(back.status)
    }
    return kept(bench, id)
  }

/**
 * The ways of ways.txt: their preparation before the space is protected, and the attempt
 * afterwards.
 */
export const ways: Record<string, (ground: Ground) => Try | Promise<Try>> = {
  edit,
  template: applyTemplate,
  revert,
  merge,
  'edit-request': editRequest,
  'first-edit': firstEdit,
  'revert-request': revertContent,
  update: prepareUpdate,
  import: take({}),
  'import-force': take({ force: true }),
  'import-files': importFiles(false),
  'import-files-request': importFiles(true),
  folder: folder(async ({ api }) => api),
  'folder-request': folder(request),
  standalone: take({ standalone: true }),
  export: give,
  'export-bringing': prepareBringing,
  push,
  duplicate,
  restore,
}
