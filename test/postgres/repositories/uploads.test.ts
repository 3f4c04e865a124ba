import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { removeCopies } from '../../../src/actions/uploads/remove-uploads.ts'
import type { Context } from '../../../src/context.ts'
import type { Actor } from '../../support/app.ts'
import { type Nodes, startNodes } from '../nodes.ts'
import { postgresSuite } from '../suite.ts'

let nodes: Nodes
let space: string

const test = postgresSuite(
  'uploads with two nodes',
  async () => {
    nodes = await startNodes()
    const { body } = await nodes.a.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
    space = body.id
  },
  async () => {
    await nodes?.stop()
  },
)

async function announce(by: Actor, size: number): Promise<{ address: string; key: string }> {
  const file = { name: 'picture.bin', type: 'image/png', size }
  const wish = { file, kind: 'import_file' }
  const { body, text } = await by.post('/v1/orgs/acme/storage/upload', wish)
  const url = new URL(body.url ?? assert.unreachable(text))
  return { address: url.pathname + url.search, key: body.key }
}

const send = async (origin: string, address: string, bytes: Buffer): Promise<number> =>
  (await fetch(origin + address, { method: 'PUT', body: new Uint8Array(bytes) })).status

const use = (by: Actor, key: string, name: string) =>
  by.post(`/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_files', files: [{ name, upload: key }] }],
  })

const heldAt = ({ config }: Context): string[] => {
  const folder = join(config.dataDir, 'uploads')
  return existsSync(folder) ? readdirSync(folder) : []
}

const partsHeld = () =>
  nodes.cluster.query(
    'select part from upload_part',
    new URL(nodes.env.STEMMA_DATABASE!).pathname.slice(1),
  )

for (const size of [1_000, 2_600_000])
  test(`a file of ${size} bytes is announced, sent and used at different nodes`, async () => {
    const { a, b, adminAtB } = nodes
    const bytes = randomBytes(size)
    const { address, key } = await announce(a.admin, size)
    assert.is(await send(b.url, address, bytes), 204)
    assert.is(await send(a.url, address, bytes), 204, 'it may be sent again')
    assert.is(await send(a.url, address, randomBytes(size)), 409)
    assert.ok((await partsHeld()).length >= Math.ceil(size / 1024 ** 2))

    const used = await use(a.admin, key, `${size}.bin`)
    assert.is(used.status, 200, used.text)
    const { body } = await adminAtB.get(`/v1/spaces/${space}/content/files`)
    const file = body.items.find(({ name }: { name: string }) => name === `${size}.bin`)
    assert.is(file?.size, size)
    assert.is((await use(adminAtB, key, 'again.bin')).status, 400)
    assert.equal(await partsHeld(), [])
    for (const { ctx } of [a, b]) assert.equal(heldAt(ctx), [])
  })

test('a copy of a file that was used at another node is removed', async () => {
  const { a, b, adminAtB } = nodes
  const { address, key } = await announce(a.admin, 1_000)
  assert.is(await send(a.url, address, randomBytes(1_000)), 204)
  assert.ok((await use(adminAtB, key, '.git')).status >= 400)
  assert.is(heldAt(b.ctx).length, 1)
  assert.is((await use(a.admin, key, 'once.bin')).status, 200)
  await removeCopies(b.ctx)
  assert.equal(heldAt(b.ctx), [])
})

test.run()
