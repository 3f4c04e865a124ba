import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  insertPage,
  makeOriginal,
  type Original,
  overwrite,
  repositoryOf,
  serve,
  stemma,
} from './folder.ts'
import { type Damage, requests, tell as tellOf } from './story.ts'

let original: Original

test.before(async () => {
  original = await makeOriginal()
})
test.after(() => original.remove())

const tell = (damage: Damage) => tellOf(original, damage)

test('truncated refs are restored from the database', async () => {
  const empty = (name: string) => (dir: string) => truncateSync(join(dir, name), 0)
  await tell({
    hurt: empty('refs/heads/main'),
    said: /refs\/heads\/main/,
    broken: ['content/pages'],
    alone: true,
  })

  await tell({
    hurt: empty('refs/heads/change-requests/1'),
    said: /refs\/heads\/change-requests\/1/,
    served: ['content/pages', 'revisions'],
    broken: [`${requests}/1`],
    alone: true,
  })

  await tell({
    state: 'packed',
    hurt: dir => truncateSync(join(dir, 'packed-refs'), 100),
    said: /refs/,
    broken: ['content/pages'],
    alone: true,
  })
})

test('a configuration or HEAD file with garbage', async () => {
  await tell({
    hurt: dir => overwrite(join(dir, 'config'), '\0\0garbage'),
    said: /configuration .* modified outside Stemma\. \(config\)/,
    alone: true,
  })
  await tell({
    hurt: dir => overwrite(join(dir, 'HEAD'), ''),
    said: /HEAD/,
    broken: ['content/pages'],
    alone: true,
  })
})

test('a missing repository, or a file in its place', async () => {
  const broken = ['content/pages', 'revisions']
  await tell({
    hurt: dir => rmSync(dir, { recursive: true }),
    said: /repository (?:is missing|does not exist)/,
    broken,
  })

  const asFile = (dir: string) => {
    rmSync(dir, { recursive: true })
    writeFileSync(dir, 'no folder')
  }

  await tell({ hurt: asFile, said: /repository (?:is missing|does not exist)/, broken })
})

test('stale locks of killed processes block nothing', async () => {
  const dataDir = original.copy()
  const dir = repositoryOf(dataDir, original.hurt)
  const locks = [
    'HEAD',
    'config',
    'packed-refs',
    'shallow',
    'refs/heads/main',
    'refs/heads/change-requests/1',
  ]

  for (const name of locks) writeFileSync(join(dir, `${name}.lock`), '')

  for (const name of [
    'gc.pid',
    'gc.pid.lock',
    'objects/info/commit-graph.lock',
    'objects/pack/tmp_pack_1',
  ])
    writeFileSync(join(dir, name), '')

  const server = await serve(original, dataDir)

  assert.is(
    (await server.post(`/v1/spaces/${original.hurt}/content`, insertPage('New'))).status,
    200,
  )
  assert.is((await server.post(`/v1/spaces/${original.hurt}/change-requests/1/merge`)).status, 200)
  await server.stop()
  assert.not(existsSync(join(dir, 'gc.pid')))
  assert.is((await stemma(dataDir, 'verify')).code, 0)
})

test.run()
