import {
  type Export,
  type Import,
  newSpace,
  type Page,
  type Promised,
  type Space,
  tokensOf,
  type Word,
} from '../ledger.ts'
import { type Act, ask, type Desk } from './ask.ts'
import { describe } from './describe.ts'
import { importFolder } from './folder.ts'
import { useForms } from './forms.ts'
import { commitFiles } from './git.ts'
import { workOnSite } from './publish.ts'
import { discuss } from './talk.ts'

const organization = '/v1/orgs/default'

/**
 * Sends requests of every kind, or about specs alone, one at a time, until the server is gone or
 * `stop` returns true.
 */
export async function work(
  desk: Desk,
  client: number,
  { specs, stop }: { specs: boolean; stop: () => boolean },
): Promise<void> {
  while (!stop()) {
    const { random, ledger } = desk
    const space = random.pick(ledger.spaces.filter(each => !each.passing && each.deleted === 'no'))
    const most = random.below(260)
    const act = specs ? describe : acts.find(([below]) => most < below)![1]
    if ((await act(desk, client, space)) === 'gone') return
  }
}

function note(page: Page, token: string): void {
  if (!page.tokens.includes(token)) page.tokens.push(token)
}

const line = (page: Page, words: Map<string, Word>, token: string) =>
  `# ${page.title}\n\n${[...tokensOf(page, words), token].map(each => `* ${each}\n`).join('')}`

/**
 * Puts a token on the client's own page, in the primary content or a change request; creates the
 * page first.
 */
function write(
  { fresh }: Desk,
  page: Page | undefined,
  words: Map<string, Word>,
): { token: string; page: Page; changes: unknown[] } {
  const token = fresh('tok')
  if (page) {
    const document = { markdown: line(page, words, token) }
    return { token, page, changes: [{ operation: 'update_page', page: page.id, document }] }
  }
  const made: Page = { id: '', title: fresh('Page'), tokens: [] }
  const document = { markdown: line(made, words, token) }
  return { token, page: made, changes: [{ operation: 'insert_page', title: made.title, document }] }
}

const editPrimary: Act = async (desk, client, space) => {
  const page = desk.random.chance(0.85) ? space.pages[client] : undefined
  const { token, page: written, changes } = write(desk, page, space.tokens)
  const path = `/v1/spaces/${space.id}/content`
  space.tokens.set(token, 'no')

  return ask(
    desk,
    space,
    { method: 'POST', path, body: { changes } },
    ({ body }) => {
      space.tokens.set(token, 'yes')
      space.commits.push(body.revision)
      written.id = body.changes[0].page.id
      note(written, token)
      space.pages[client] = written
    },
    () => {
      space.tokens.set(token, 'maybe')
      if (page) note(page, token)
    },
  )
}

const mine = (space: Space, client: number) =>
  space.requests.filter(each => each.client === client && each.merged === 'no')

const createRequest: Act = async (desk, client, space) => {
  if (mine(space, client).length >= 3) return mergeRequest(desk, client, space)
  const path = `/v1/spaces/${space.id}/change-requests`
  return ask(
    desk,
    space,
    { method: 'POST', path, body: { subject: desk.fresh('Request') } },
    ({ body }) => {
      space.requests.push({
        id: body.id,
        number: body.number,
        client,
        tokens: new Map(),
        commits: [],
        pages: [],
        pushed: [],
        merged: 'no',
        mergeRevision: undefined,
      })
    },
  )
}

const onRequest =
  (act: (desk: Desk, space: Space, request: Promised, path: string) => ReturnType<Act>): Act =>
  (desk, client, space) => {
    const requests = mine(space, client)
    if (requests.length === 0) return createRequest(desk, client, space)
    const request = desk.random.pick(requests)
    return act(desk, space, request, `/v1/spaces/${space.id}/change-requests/${request.id}`)
  }

const editRequest = onRequest(async (desk, space, request, path) => {
  const page =
    request.pages.length > 0 && desk.random.chance(0.6)
      ? desk.random.pick(request.pages)
      : undefined
  const { token, page: written, changes } = write(desk, page, request.tokens)
  request.tokens.set(token, 'no')

  return ask(
    desk,
    space,
    { method: 'POST', path: `${path}/content?compat=false`, body: { changes } },
    ({ body }) => {
      request.tokens.set(token, 'yes')
      request.commits.push(body.changeRequest.revision)
      written.id = body.changes[0].page.id
      note(written, token)
      if (!page) request.pages.push(written)
    },
    () => {
      request.tokens.set(token, 'maybe')
      if (page) note(page, token)
    },
  )
})

const updateRequest = onRequest((desk, space, request, path) =>
  ask(desk, space, { method: 'POST', path: `${path}/update` }, ({ body }) => {
    if (body.result === 'update') request.commits.push(body.revision)
  }),
)

const mergeRequest = onRequest((desk, space, request, path) =>
  ask(
    desk,
    space,
    { method: 'POST', path: `${path}/merge` },
    ({ body }) => {
      // A conflict is a valid response, but nothing was merged: leave the request as it is and do
      // not retry forever.
      if (body.result !== 'merge') request.client = -1
      else Object.assign(request, { merged: 'yes', mergeRevision: body.revision })
    },
    () => {
      request.merged = 'maybe'
    },
  ),
)

const importRemote: Act = async (desk, _client, space) => {
  const token = desk.fresh('tok')
  const { dir, url, branch } = space.remote
  const commit = await commitFiles(dir, branch, { [`${token}.md`]: `# ${token}\n` })
  const begun: Import = { id: undefined, commit, token }

  space.imports.push(begun)
  const body = { url, ref: `refs/heads/${branch}`, force: true }

  return ask(
    desk,
    space,
    { method: 'POST', path: `/v1/spaces/${space.id}/git/import`, body },
    reply => {
      begun.id = reply.location.split('/').at(-1)
    },
  )
}

/** Exports the space to its remote, which may have new commits. */
const exportRemote: Act = async (desk, _client, space) => {
  const { url, branch } = space.remote
  const begun: Export = { id: undefined, ended: undefined }
  const body = {
    url,
    ref: `refs/heads/${branch}`,
    force: true,
    commitMessage: desk.fresh('Export'),
  }

  space.exports.push(begun)

  return ask(
    desk,
    space,
    { method: 'POST', path: `/v1/spaces/${space.id}/git/export`, body },
    reply => {
      begun.id = reply.location.split('/').at(-1)
    },
  )
}

/** Creates a space, and imports into half of them, which renames the branch. */
const createSpace: Act = async desk => {
  const { random, ledger, fresh } = desk
  const title = fresh('Space')
  let made: Space | undefined
  ledger.onceOnly.push(title)
  const outcome = await ask(
    desk,
    undefined,
    { method: 'POST', path: `${organization}/spaces`, body: { title } },
    ({ body }) => {
      made = newSpace(body.id, { dir: '', url: '', branch: '' }, desk.round, true)
      ledger.spaces.push(made)
    },
  )
  if (!made || random.chance(0.5)) return outcome
  made.remote = await desk.makeRemote('trunk')

  return importRemote(desk, 0, made)
}

const deleteSpace: Act = async desk => {
  const { ledger, random } = desk
  const passing = ledger.spaces.filter(
    each => each.passing && each.deleted === 'no' && each.since < desk.round,
  )
  if (passing.length === 0) return 'done'

  const space = random.pick(passing)

  space.deleted = 'maybe'

  return ask(desk, space, { method: 'DELETE', path: `/v1/spaces/${space.id}` }, () => {
    space.deleted = 'yes'
  })
}

/** The frequencies of the actions, as running sums in parts of 260. */
const acts: [below: number, act: Act][] = [
  [34, editPrimary],
  [47, createRequest],
  [66, editRequest],
  [78, mergeRequest],
  [84, updateRequest],
  [88, importRemote],
  [92, exportRemote],
  [96, createSpace],
  [100, deleteSpace],
  [146, discuss],
  [150, describe],
  [190, workOnSite],
  [198, importFolder],
  [260, useForms],
]
