import type { Actor, Reply } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import type { SyncBench } from '../support/git/remote.ts'
import { until } from '../support/until.ts'
import { type Commit, type TextName, texts } from './steps.ts'

/** Words that mark a private OpenAPI spec and a space that the guest may not read. */
export const marked = /Zebrafish|Quokka/i

/** A guest with the role "edit" on one space, and what the guest has seen of it. */
export type Guest = {
  bench: SyncBench
  by: Actor
  api: string
  id: string
  requests: string[]
  revisions: string[]
  /** The number of responses that were checked. */
  answers: number
}

let counter = 0

/** Creates a space with content by members, which a new guest may edit. */
export async function enterSpace(bench: SyncBench): Promise<Guest> {
  const { app } = bench
  const { api, space } = await makeSpace(app, {
    'README.md': '# Home\n',
    'SUMMARY.md': '# Contents\n\n* [Home](README.md)\n* [A](a.md)\n* [Shown](shown.md)\n',
    'a.md': '# A\n',
    'shown.md': texts.shown,
    '.gitbook/includes/x.md': texts.words,
  })
  const by = app.user(`Guest${++counter}`, null)
  await app.admin.post(`${api}/permissions`, { role: 'edit', users: [by.id] })

  return { bench, by, api, id: space.id, requests: [], revisions: [], answers: 0 }
}

/**
 * Checks a response to the guest and records the revision that it names. Throws if it contains a
 * marked word.
 */
export function look(guest: Guest, what: string, { text, body }: Reply): Reply['body'] {
  guest.answers++
  const found = marked.exec(text)
  if (found) throw new Error(`${what} shows "${found[0]}": ${text.slice(0, 2000)}`)
  const revision = body?.revision ?? body?.commitId
  if (typeof revision === 'string' && !guest.revisions.includes(revision))
    guest.revisions.push(revision)
  return body
}

/** Sends a request as the guest. */
export const ask = async (guest: Guest, method: string, path: string, body?: unknown) =>
  look(guest, `${method} ${path}`, await guest.by.request(method, path, body))

const placeOf = ({ api, requests }: Guest, place: number | null): string =>
  place === null || requests.length === 0 ? api : requests[place % requests.length]!

/** Returns the id of one of the pages at a place, or undefined if there is none. */
export async function pageAt(
  guest: Guest,
  place: number | null,
  pick: number,
): Promise<string | undefined> {
  const body = await ask(guest, 'GET', `${placeOf(guest, place)}/content/pages`)
  const ids = pagesIn(body)
  return ids[pick % Math.max(1, ids.length)]
}

/** Sends one content change as the guest. */
export const edit = (guest: Guest, place: number | null, change: object) =>
  ask(guest, 'POST', `${placeOf(guest, place)}/content`, { changes: [change] })

export const insertion = (slug: string, text: TextName) => ({
  operation: 'insert_page',
  title: slug,
  slug,
  document: { markdown: texts[text] },
})

const secretTemplate = {
  id: 'api-reference',
  params: { contentRefs: { spec: { kind: 'openapi', spec: 'secret' } } },
}

/** Opens a change request, optionally from a template that names the private description. */
export async function open(guest: Guest, template: boolean): Promise<string | undefined> {
  const body = await ask(guest, 'POST', `${guest.api}/change-requests`, {
    subject: 'X',
    ...(template && { template: secretTemplate }),
  })
  if (typeof body?.id !== 'string') return undefined
  const path = `${guest.api}/change-requests/${body.id}`
  guest.requests.push(path)
  return path
}

/** Applies a template that names the private description. */
export function applyTemplate(guest: Guest, place: number | null) {
  const path = placeOf(guest, place)
  const changeRequestId = path === guest.api ? undefined : path.split('/').pop()
  return ask(guest, 'POST', `${guest.api}/content/template`, {
    ...secretTemplate,
    ...(changeRequestId && { changeRequestId }),
  })
}

/**
 * Updates a change request from the primary content and resolves every conflict; a settings
 * conflict with `settings`.
 */
export async function update(
  guest: Guest,
  request: number,
  setting: string,
  resolve: { side: string; text: TextName | null },
): Promise<void> {
  const path = placeOf(guest, request)
  if (path === guest.api) return
  const body = await ask(guest, 'POST', `${path}/update`, {})
  if (body?.result !== 'conflicts') return

  const resolutions = body.conflicts.map(({ path }: { path: string }) => {
    if (path === '.gitbook.yaml') return { path, content: setting }
    if (resolve.text === null) return { path, take: resolve.side }
    return { path, content: texts[resolve.text] }
  })

  await ask(guest, 'POST', `${path}/update`, { resolutions })
}

/**
 * Writes different settings to the primary content and to a new change request, then resolves the
 * conflict.
 */
export async function clash(guest: Guest, setting: string, text: TextName): Promise<void> {
  const page = await pageAt(guest, null, 1)
  const path = await open(guest, false)
  if (!path || !page) return

  const at = guest.requests.length - 1
  const move = { operation: 'update_page', page, redirect: true }

  await edit(guest, null, { ...move, slug: `main-${++counter}` })
  await edit(guest, at, { ...move, slug: `branch-${counter}` })
  await edit(guest, at, insertion('evil', text))
  await update(guest, at, setting, { side: 'ours', text: null })
}

/** Starts an import or export and waits for its end, checking every response. */
export async function sync(guest: Guest, way: 'import' | 'export', body: object): Promise<void> {
  const started = await guest.by.post(`${guest.api}/git/${way}`, body)
  look(guest, way, started)
  if (started.status !== 204) return
  const path = new URL(started.headers.get('location') ?? '').pathname
  await until(`the ${way} ends`, async () => {
    const { state } = await ask(guest, 'GET', path)
    return state === 'success' || state === 'failure' || undefined
  })
}

/** Creates a repository of the guest's with these commits. Returns its URL. */
export function publish(guest: Guest, commits: readonly Commit[]) {
  const name = `guest-${++counter}`
  const dir = guest.bench.remote(name, {})
  for (const commit of commits) {
    const files = commit.map(([path, text]) => [
      path,
      text === null ? null : (texts[text as TextName] ?? text),
    ])
    guest.revisions.push(guest.bench.commit(dir, Object.fromEntries(files)))
  }

  return { url: `${guest.bench.host.origin}/${name}.git`, ref: 'refs/heads/main' }
}

/** Reads everything that the guest may read, and much that is not allowed. */
export async function readAll(guest: Guest): Promise<void> {
  const revisions = guest.revisions.slice(-6).map(id => `${guest.api}/revisions/${id}`)
  const contents = [guest.api, ...guest.requests].map(path => `${path}/content`)
  for (const path of [...contents, ...revisions]) {
    for (const id of pagesIn(await ask(guest, 'GET', `${path}/pages`)).slice(-12))
      await ask(guest, 'GET', `${path}/page/${id}?evaluated=true`)
    const { reusableContents = [] } = (await ask(guest, 'GET', path)) ?? {}
    for (const { id } of reusableContents)
      await ask(guest, 'GET', `${path}/reusable-contents/${id}?evaluated=true`)
  }

  const outside = ['/v1/orgs/acme/openapi', '/v1/orgs/acme/openapi/secret/versions/latest/content']

  for (const word of ['zebrafish', 'quokka', 'pets'])
    outside.push(`/v1/orgs/acme/search?query=${word}`, `${guest.api}/search?query=${word}`)
  outside.push('/v1/orgs/acme/spaces', `${guest.api}/links`, `${guest.api}/revisions`)
  for (const request of guest.requests) outside.push(`${request}/changes`, request)
  for (const path of outside) await ask(guest, 'GET', path)
}

type Listed = { id: string; pages?: readonly Listed[] }

function pagesIn(body: Reply['body']): string[] {
  const ids: string[] = []
  const walk = (nodes: readonly Listed[]) => {
    for (const { id, pages } of nodes) {
      ids.push(id)
      walk(pages ?? [])
    }
  }

  walk(body?.pages ?? [])

  return ids
}
