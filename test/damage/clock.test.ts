import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { serveGit } from '../support/git/git-server.ts'
import { gitOutside } from '../support/git/repo.ts'
import { insertPage, makeOriginal, type Original, type Served, serve, stemma } from './folder.ts'

const day = 86_400_000

let original: Original
const { now } = Date
let behind = 0

test.before(async () => {
  original = await makeOriginal()
  Date.now = () => now() - behind
})
test.after(() => {
  Date.now = now
  original.remove()
})

/** Reads all items of a list, two at a time; runs `meanwhile` after the first two. */
async function readAll(
  server: Served,
  path: string,
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  for (let page = ''; ; ) {
    const { body, status, text } = await server.get(`${path}?limit=2${page && `&page=${page}`}`)
    assert.is(status, 200, text)
    ids.push(...body.items.map((item: { id: string }) => item.id))
    if (ids.length === 2) await meanwhile()
    if (!body.next) return ids
    page = body.next.page
  }
}

test('a clock that goes back by a day, and again while the server is down, changes no order and breaks no cursor', async () => {
  const folder = join(original.folder, 'remotes')
  const remote = join(folder, 'a.git')
  mkdirSync(remote, { recursive: true })
  gitOutside(remote, ['init', '-q', '--bare', '-b', 'main'])
  const tree = gitOutside(remote, ['mktree'])

  gitOutside(remote, [
    'update-ref',
    'refs/heads/main',
    gitOutside(remote, ['commit-tree', tree, '-m', 'x']),
  ])
  const host = await serveGit({ folder })
  const dataDir = original.copy()
  const space = `/v1/spaces/${original.hurt}`
  const revisions: string[] = []
  const requests: string[] = []
  const operations: string[] = []
  let server = await serve(original, dataDir)
  const write = async () => {
    const edited = await server.post(`${space}/content`, insertPage(`Page ${revisions.length}`))
    assert.is(edited.status, 200, edited.text)
    revisions.unshift(edited.body.revision)
    const made = await server.post(`${space}/change-requests`, { subject: 'x' })
    requests.unshift(made.body.id)
  }

  /**
   * Imports and waits for the end: a job is not delayed because its creation time is in the future.
   */
  const importAll = async () => {
    const body = { url: `${host.origin}/a.git`, ref: 'refs/heads/main', force: true }
    const begun = await server.post(`/v1/spaces/${original.whole}/git/import`, body)
    assert.is(begun.status, 204, begun.text)
    const path = new URL(begun.headers.get('location') ?? '').pathname

    operations.unshift(path.split('/').at(-1) as string)

    for (let waited = 0; ; waited += 50) {
      const { state } = (await server.get(path)).body
      if (state === 'success') return
      assert.ok(waited < 60_000 && state !== 'failure', state)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  for (let times = 0; times < 3; times++) await write()

  for (let jump = 1; jump <= 2; jump++) {
    for (const [list, known] of [
      ['revisions', revisions],
      ['change-requests', requests],
    ] as const) {
      const before = [...known]
      const read = await readAll(server, `${space}/${list}`, async () => {
        behind += day
        await write()
      })

      // New items come before the cursor.
      assert.equal(read.slice(0, before.length), before)
      assert.is(new Set(read).size, read.length)
      const again = await readAll(server, `${space}/${list}`, async () => {})

      assert.equal(again.slice(0, known.length), known)
    }

    await importAll()
    behind += day
    await server.stop()
    server = await serve(original, dataDir)
    await write()
    await importAll()
    const before = [...operations]
    const read = await readAll(server, `/v1/spaces/${original.whole}/git/operations`, async () => {
      behind += day
      await importAll()
    })

    assert.equal(read, before)
  }

  await server.stop()
  await host.close()
  const { code, stdout } = await stemma(dataDir, 'verify')

  assert.is(code, 0, stdout)
})

test.run()
