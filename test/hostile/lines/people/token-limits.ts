import { createHash } from 'node:crypto'
import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const make = (stage: Stage, body: object, as = 'admin'): Promise<Seen> =>
  stage.call('POST', '/v1/user/tokens', { as, body: { name: 'limits', ...body } })

const withSecret = (stage: Stage, secret: string, method: string, path: string, body?: unknown) =>
  stage.call(method, path, { as: 'nobody', headers: { authorization: `Bearer ${secret}` }, body })

/** Creates a token; returns its id and secret. */
async function made(
  stage: Stage,
  body: object,
  as?: string,
): Promise<{ id: string; token: string }> {
  const seen = await make(stage, body, as)
  must(seen.status === 201, `no token was made: ${seen.status} ${seen.text}`)
  return JSON.parse(seen.text) as { id: string; token: string }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const waitUntil = (time: string) =>
  new Promise(resolve => setTimeout(resolve, Math.max(0, Date.parse(time) - Date.now())))

/** Uses a token right after its expiry. */
async function afterTheEnd(stage: Stage): Promise<Seen> {
  const expiresAt = inSeconds(2)
  const { token } = await made(stage, { expiresAt })
  await waitUntil(expiresAt)
  return withSecret(stage, token, 'GET', '/v1/user')
}

/**
 * Lets an expiring token create one with a longer lifetime, and uses a valid descendant after its
 * own expiry.
 */
async function outlive(stage: Stage): Promise<Seen> {
  const expiresAt = inSeconds(5)
  const { token } = await made(stage, { expiresAt })
  const longer = await withSecret(stage, token, 'POST', '/v1/user/tokens', {
    name: 'longer',
    expiresAt: inSeconds(3600),
  })
  const heir = await withSecret(stage, token, 'POST', '/v1/user/tokens', { name: 'heir' })
  const { token: secret } = JSON.parse(heir.text) as { token: string }

  await waitUntil(expiresAt)
  const used = await withSecret(stage, secret, 'GET', '/v1/user')

  must(used.status === 401, `the heir outlives its parent: ${used.status}`)

  return longer
}

/** Creates a token; returns the header that controls caching of the answer. */
async function secretAnswer(stage: Stage): Promise<Seen> {
  const seen = await make(stage, { expiresAt: inSeconds(60) })
  must(
    seen.headers?.['cache-control'] === 'no-store',
    `Cache-Control: ${seen.headers?.['cache-control']}`,
  )
  // The body contains a secret and must not be in the report.
  return { status: seen.status, text: createHash('sha256').update(seen.text).digest('hex') }
}

/** Calls an operation with a token that lacks the right. */
const beyond =
  (wish: object, method: string, path: string, body?: unknown) =>
  async (stage: Stage): Promise<Seen> => {
    const { token } = await made(stage, { ...wish, expiresAt: inSeconds(60) })
    return withSecret(stage, token, method, path, body)
  }

/** Downloads a file by a known URL after its user has lost the role. */
async function afterRevocation(stage: Stage): Promise<Seen> {
  const list = await stage.call('GET', '/v1/spaces/{space}/content/files', { as: 'reader' })
  const { items } = JSON.parse(list.text) as { items: { downloadURL: string }[] }
  const address = items[0]?.downloadURL ?? ''
  must(address !== '', 'there is no file')
  const before = await fetch(address)

  must(before.status === 200, `the file cannot be read: ${before.status}`)
  must(before.headers.get('cache-control') === 'private, no-cache', 'caches need not ask again')
  const give = (role: 'read' | null) =>
    stage.call('PATCH', '/v1/orgs/acme/members/reader', { body: { role } })

  must((await give(null)).status === 200, 'the reader did not become a guest')

  try {
    const { status } = await fetch(address)
    return { status, text: await (await fetch(address)).text() }
  } finally {
    await give('read')
  }
}

export const tokenLimitLines: Line[] = [
  line('S75', 'a token at the moment it expires', 401, /token cannot be used/, afterTheEnd),
  line('S76', 'an expiring token creates one that lives longer', 400, /can expire later/, outlive),
  line(
    'S78',
    'caching of the answer with the secret of a token',
    201,
    'it may not be stored',
    secretAnswer,
  ),
  line(
    'S76',
    'a read token creates a token for everything',
    403,
    /scope \\"tokens:admin/,
    beyond({ scopes: ['read'] }, 'POST', '/v1/user/tokens', { name: 'more' }),
  ),
  line(
    'S76',
    'a token for tokens and reading creates one that writes',
    403,
    /does not have the scope \\"write/,
    beyond({ scopes: ['read', 'tokens:admin'] }, 'POST', '/v1/user/tokens', {
      name: 'more',
      scopes: ['write'],
    }),
  ),
  line('S76', 'a token for one space lists the organization', 404, 'it sees nothing', async stage =>
    beyond({ space: stage.ids.space }, 'GET', '/v1/orgs/acme/spaces')(stage),
  ),
  line(
    'S81',
    'a file address after the right was revoked',
    404,
    /no longer read it/,
    afterRevocation,
  ),
]
