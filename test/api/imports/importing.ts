import * as assert from 'uvu/assert'
import type { Actor } from '../../support/app.ts'
import { until } from '../../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the API answers
type Json = any

/** The organization of tests that start no program of their own. */
const usual = 'acme'

export const imports = `/v1/org/${usual}/imports`

/** Uploads bytes under a name; returns the key. */
export async function upload(
  by: Actor,
  name: string,
  bytes: Uint8Array | string,
  organization = usual,
): Promise<string> {
  const body = Buffer.from(bytes)
  const made = await by.post(`/v1/orgs/${organization}/storage/upload`, {
    file: { name, type: 'application/octet-stream', size: body.length },
    kind: 'import_file',
  })
  assert.is(made.status, 201, made.text)
  const sent = await fetch(made.body.url, { method: 'PUT', body, headers: { connection: 'close' } })
  assert.is(sent.status, 204)
  return made.body.key
}

export const start = (
  by: Actor,
  space: string,
  files: string[],
  target: object = {},
  organization = usual,
) =>
  by.post(`/v1/org/${organization}/imports`, {
    source: { type: 'file', files },
    target: { space, ...target },
  })

/** Waits until a run has ended, and returns it. */
export const ended = (by: Actor, id: string, organization = usual): Promise<Json> =>
  until(`the import ${id} ends`, async () => {
    const { body } = await by.get(`/v1/org/${organization}/imports/${id}`)
    return body.completedAt === undefined ? undefined : body
  })

/** Imports files by name into a space, and returns the run when it has ended. */
export async function importAll(
  by: Actor,
  space: string,
  files: Record<string, Uint8Array | string>,
  target: object = {},
): Promise<Json> {
  const keys = []
  for (const [name, bytes] of Object.entries(files)) keys.push(await upload(by, name, bytes))
  const started = await start(by, space, keys, target)
  assert.is(started.status, 201, started.text)
  assert.is(started.body.status, 'pending')
  return ended(by, started.body.id)
}
