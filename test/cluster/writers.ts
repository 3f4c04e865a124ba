import { setTimeout } from 'node:timers/promises'
import { textWith } from '../crash/clients/describe.ts'
import { pushPage } from './pushes.ts'
import { fresh, insist, patienceMs, record, specs, type Writing } from './writing.ts'

export const insertPage = (title: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown: `# ${title}\n` } }],
})

async function writePage(writing: Writing, space: string): Promise<void> {
  const note = { space, token: fresh('page'), kind: 'page', begun: performance.now() } as const
  record(
    writing,
    note,
    await insist(writing, `/v1/spaces/${space}/content`, insertPage(note.token)),
  )
}

async function writeComment(writing: Writing, space: string): Promise<void> {
  const note = {
    space,
    token: fresh('comment'),
    kind: 'comment',
    begun: performance.now(),
  } as const
  const body = { body: { markdown: note.token } }
  record(writing, note, await insist(writing, `/v1/spaces/${space}/comments`, body))
}

async function writeSpec(writing: Writing): Promise<void> {
  const note = {
    space: specs,
    token: fresh('spec'),
    kind: 'spec',
    begun: performance.now(),
  } as const
  const body = { slug: note.token, source: { text: textWith(note.token) } }
  record(writing, note, await insist(writing, '/v1/orgs/default/openapi', body))
}

/** Opens a change request, writes to it, and merges it, each perhaps at another node. */
async function mergePage(writing: Writing, space: string): Promise<void> {
  const path = `/v1/spaces/${space}/change-requests`
  const opened = {
    space,
    token: fresh('request'),
    kind: 'change request',
    begun: performance.now(),
  } as const
  const made = record(writing, opened, await insist(writing, path, { subject: opened.token }))
  if (!made?.id) return
  const note = {
    space,
    token: fresh('merged'),
    kind: 'merged page',
    begun: performance.now(),
  } as const
  const request = `${path}/${made.id}`
  const edited = await insist(writing, `${request}/content?compat=false`, insertPage(note.token))
  if (!edited || edited.reply.status >= 300) {
    record(writing, note, edited)
    return
  }
  const merged = await insist(writing, `${request}/merge`, {})
  // Another request may have changed the table of contents: a conflict is an answer.
  if (merged && merged.reply.status < 300 && merged.reply.body.result !== 'merge') return
  record(writing, note, merged)
}

/** Creates a space, imports a remote repository into it, and waits until that is done. */
async function importPage(writing: Writing): Promise<void> {
  const token = fresh('imported')
  const { url, ref } = await writing.makeRemote(token)
  const begun = performance.now()
  const made = await insist(writing, '/v1/orgs/default/spaces', { title: token })
  const space = made?.reply.body?.id as string | undefined
  if (!space) return
  const note = { space, token, kind: 'imported page', begun } as const
  const ordered = await insist(writing, `/v1/spaces/${space}/git/import`, { url, ref })
  if (!ordered || ordered.reply.status >= 300) {
    record(writing, note, ordered)
    return
  }
  const operation = new URL(ordered.reply.location).pathname
  const until = performance.now() + patienceMs
  while (performance.now() < until) {
    const state = await insist(writing, operation, undefined, { method: 'GET' })
    if (state?.reply.body?.state === 'success') {
      record(writing, note, state)
      return
    }
    await setTimeout(100)
  }
  record(writing, note, undefined)
}

/** How often each kind of write is made, of 100. */
const kinds: readonly (readonly [number, (writing: Writing, space: string) => Promise<void>])[] = [
  [42, writePage],
  [36, writeComment],
  [10, mergePage],
  [5, pushPage],
  [5, writeSpec],
  [2, importPage],
]

const hundred = kinds.flatMap(([share, make]) => Array.from({ length: share }, () => make))

/** Writes to one of the spaces after the other until `isOver`. */
export async function write(
  writing: Writing,
  spaces: () => readonly string[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const make = writing.random.pick(hundred)
    await make(writing, writing.random.pick(spaces()))
  }
}
