import { Browser } from '../../support/http/browser.ts'
import { send } from '../../support/http/send.ts'
import { type Promised, type Space, tokensOf } from '../ledger.ts'
import { type Act, type Desk, type Outcome, settleReply } from './ask.ts'
import type { Reply } from './call.ts'

/** A browser that is signed in. */
export type Forms = {
  /** Sends a form of the workbench. Returns undefined when the connection broke. */
  submit: (path: string, fields: Record<string, string>) => Promise<Reply | undefined>
  /** Sends bytes to the address of an upload. Returns the status, or undefined likewise. */
  put: (address: string, bytes: string) => Promise<number | undefined>
}

/** The public address of the server, from which its forms come. */
const publicUrl = 'http://stemma.test'

/** Signs in with a token. Returns undefined when the server ended before that. */
export async function openForms(url: string, token: string): Promise<Forms | undefined> {
  const browser = new Browser(url)
  // The workbench is on the host of the public address only.
  const from = { host: new URL(publicUrl).host, origin: publicUrl }
  const signed = await browser.post('/sso/sign-in', { token }, from).catch(() => undefined)
  const account = signed && (await browser.get('/app/account', from).catch(() => undefined))
  const csrf = /name="csrf" value="([^"]+)"/.exec(account?.text ?? '')?.[1]
  if (csrf === undefined) return undefined

  return {
    submit: async (path, fields) => {
      const headers = { ...from, accept: 'application/json' }
      const sent = await browser
        .post(`/app${path}`, { csrf, ...fields }, headers)
        .catch(() => undefined)
      return (
        sent && {
          status: sent.status,
          text: sent.text,
          body: sent.text.startsWith('{') ? JSON.parse(sent.text) : undefined,
          replayed: false,
          location: '',
        }
      )
    },
    put: async (address, bytes) => {
      const to = address.replace(publicUrl, url)
      const headers = { connection: 'close', 'content-type': 'text/plain' }
      const sent = await send(to, { method: 'PUT', headers, body: bytes }).catch(() => undefined)
      return sent?.status
    },
  }
}

type Submission = { path: string; fields: Record<string, string>; kind: string }

/** Sends a form and records what its answer promises. */
async function submit(
  desk: Desk,
  forms: Forms,
  { path, fields, kind }: Submission,
  settle: (body: Record<string, string>) => void,
  doubt: () => void,
): Promise<Outcome> {
  const reply = await forms.submit(path, fields)
  if (!reply) {
    doubt()
    return 'gone'
  }

  const asked = { method: 'POST', path: `/app${path}`, kind }
  settleReply(desk.ledger, asked, reply, ({ body }) => body?.to && settle(body), undefined)

  return 'done'
}

type OnRequest = { desk: Desk; forms: Forms; space: Space; request: Promised; revision: string }

/** Returns an act on a change request of the client, after a look at its head. */
const onRequest =
  (act: (on: OnRequest) => Promise<Outcome>): Act =>
  async (desk, client, space) => {
    const { forms, random, call } = desk
    const requests = space.requests.filter(each => each.client === client && each.merged === 'no')
    if (!forms || requests.length === 0) return 'done'
    const request = random.pick(requests)
    const path = `/v1/spaces/${space.id}/change-requests/${request.id}`
    const found = await call({ method: 'GET', path })
    if (!found) return 'gone'
    return act({ desk, forms, space, request, revision: found.body.revision })
  }

const pathOf = ({ space, request }: OnRequest): string => `/s/${space.id}/changes/${request.number}`

const comment = onRequest(on => {
  const { desk, forms, space, revision } = on
  const token = desk.fresh('say')
  const fields = { do: 'comment', text: token, revision }
  space.facts.set(token, 'no')

  return submit(
    desk,
    forms,
    { path: `${pathOf(on)}/review`, fields, kind: 'comment by form' },
    ({ to }) => {
      const id = /#comment-(\w+)$/.exec(to ?? '')?.[1]
      if (id === undefined) desk.ledger.violations.push(`a comment by form led to ${to}`)
      space.facts.set(token, 'yes').set(`comment ${id}`, 'yes')
    },
    () => space.facts.set(token, 'maybe'),
  )
})

const merge = onRequest(on => {
  const { desk, forms, request, revision } = on
  return submit(
    desk,
    forms,
    { path: `${pathOf(on)}/merge`, fields: { revision }, kind: 'merge by form' },
    ({ to }) => {
      // With a conflict, the form leads to its page, and nothing was merged.
      if (to?.endsWith('/conflicts')) request.client = -1
      else request.merged = 'yes'
    },
    () => {
      request.merged = 'maybe'
    },
  )
})

/** Puts a token on a page of the change request, in the editor. */
const save = onRequest(async on => {
  const { desk, forms, request, revision } = on
  if (request.pages.length === 0) return 'done'
  const page = desk.random.pick(request.pages)
  const token = desk.fresh('tok')
  const lines = [...tokensOf(page, request.tokens), token].map(each => `* ${each}\n`)
  const fields = { revision, title: page.title, body: lines.join(''), do: 'save' }
  request.tokens.set(token, 'no')

  return submit(
    desk,
    forms,
    { path: `${pathOf(on)}/edit/${page.id}`, fields, kind: 'save by form' },
    body => {
      request.tokens.set(token, 'yes')
      request.commits.push(body.revision as string)
      page.tokens.push(token)
    },
    () => {
      request.tokens.set(token, 'maybe')
      page.tokens.push(token)
    },
  )
})

/** Uploads a file with a token, and adds it to the change request. */
const upload = onRequest(async ({ desk, forms, space, request }) => {
  const { call, ledger, fresh } = desk
  const token = fresh('tok')
  const bytes = `${token}\n`
  const file = { name: `${token}.txt`, type: 'text/plain', size: bytes.length }
  const announced = await call({
    method: 'POST',
    path: '/v1/orgs/default/storage/upload',
    body: { file, kind: 'import_file' },
  })
  if (!announced) return 'gone'
  const { url, key } = announced.body
  const status = await forms.put(url, bytes)
  if (status === undefined) return 'gone'
  if (status !== 204) ledger.violations.push(`an upload was answered ${status}`)

  // Acknowledged bytes are used by an edit, which may come after a restart.
  request.tokens.set(token, 'no')
  const path = `/v1/spaces/${space.id}/change-requests/${request.id}/content?compat=false`
  const changes = [{ operation: 'insert_files', files: [{ name: file.name, upload: key }] }]
  const asked = { method: 'POST', path, body: { changes }, kind: 'upload' }
  const reply = await call(asked)
  if (!reply) {
    request.tokens.set(token, 'maybe')
    return 'gone'
  }

  settleReply(
    ledger,
    asked,
    reply,
    ({ body }) => {
      request.tokens.set(token, 'yes')
      request.commits.push(body.changeRequest.revision)
    },
    space.id,
  )
  return 'done'
})

/** Works on change requests as a person in a browser does. */
export const useForms: Act = (desk, client, space) => {
  const most = desk.random.below(10)
  const act = most < 3 ? comment : most < 7 ? save : most < 9 ? upload : merge
  return act(desk, client, space)
}
