import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

let app: App
let space: Space
let host: Server
let address = ''

test.before(async () => {
  app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
  space = await makeSpace(app)
  const bytes = Buffer.alloc(15 * 1024 * 1024)
  host = createServer((_request, response) => {
    response.end(bytes)
  })
  await new Promise<void>(resolve => {
    host.listen(0, '127.0.0.1', resolve)
  })
  address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/file.bin`
})
test.after(async () => {
  await app.stop()
  host.close()
})

test('fetched files share a size limit across all changes of a batch', async () => {
  const before = await space.head()
  const insert = (name: string) => ({ operation: 'insert_files', files: [{ name, url: address }] })
  const changes = Array.from({ length: 8 }, (_, i) => insert(`${i}.bin`))
  const reply = await app.admin.post(`/v1/spaces/${space.id}/content`, { changes })

  assert.is(reply.status, 413, reply.text)
  assert.match(reply.body.error.message, /100 MB/)
  assert.is(await space.head(), before)
  const some = await app.admin.post(`/v1/spaces/${space.id}/content`, {
    changes: changes.slice(0, 2),
  })

  assert.is(some.status, 200, some.text)
})

test.run()
