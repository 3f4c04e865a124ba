import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { petstore } from '../api/openapi/host.ts'
import { type Running, startStemma } from '../cli/stemma.ts'
import { type Actor, actor } from '../support/app.ts'

const token = `stm_${'o'.repeat(43)}`
const dataDir = await mkdtemp(join(tmpdir(), 'stemma-openapi-'))
let server: Running | undefined

/** Starts the program itself on the data folder; gives its admin. */
async function serve(env: Record<string, string> = {}): Promise<Actor> {
  server = startStemma(['serve'], {
    STEMMA_DATA: dataDir,
    PORT: '0',
    STEMMA_ADMIN_TOKEN: token,
    STEMMA_LOG: 'silent',
    NODE_ENV: 'test',
    ...env,
  })
  const [url] = await server.says(/http:\/\/127\.0\.0\.1:\d+/)
  return actor(url, 'admin', token)
}

const end = (signal: NodeJS.Signals) => {
  server?.kill(signal)
  return server?.ended
}

test.after(async () => {
  await end('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

const path = '/v1/orgs/default/openapi/pets'

test('a server that is killed while it reads a description reads it when it comes back, once', async () => {
  // The branch has moved, and the rows have not; the rows are written, and the job is not done.
  for (const [at, point] of (['W4', 'W6'] as const).entries()) {
    let admin = await serve({ STEMMA_CRASH_AT: point })
    await admin.put(path, { source: { text: petstore(`Pets ${at}`) } }).catch(() => undefined)
    await server?.ended
    admin = await serve()
    for (let tries = 0; tries < 1000; tries++) {
      if ((await admin.get(path)).body.processingState === 'complete') break
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    const { body: spec } = await admin.get(path)
    assert.is(spec.lastProcessErrorCode, undefined, point)
    const { items } = (await admin.get(`${path}/versions`)).body
    assert.is(items.length, at + 1, point)
    assert.is(items[0].id, spec.lastVersion)
    assert.match((await admin.get(`${path}/versions/latest/content/raw`)).text, `Pets ${at}`)
    await end('SIGTERM')
    const verified = startStemma(['verify'], { STEMMA_DATA: dataDir })
    assert.is((await verified.ended).code, 0, point)
  }
})

test.run()
