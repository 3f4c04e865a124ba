import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { clientFor, notDriven } from '../support/http/client.ts'

const app = await startApp()
test.after(() => app.stop())
const { client, done } = clientFor(app, app.admin)

test('PDFs', async () => {
  const { space } = await makeSpace(app)
  const { number } = (await client.spaces.createChangeRequest(space.id, {})).data
  const [page] = (await client.spaces.listPages(space.id)).data.pages
  const one = (await client.spaces.getSpacePdf(space.id, { page: page?.id ?? '', only: true })).data
  const all = (await client.spaces.getChangeRequestPdf(space.id, String(number))).data

  for (const { url } of [one, all]) {
    const { status, headers } = await fetch(String(url))
    assert.is(status, 200)
    assert.is(headers.get('content-type'), 'application/pdf')
  }

  assert.equal(notDriven(/\/pdf$/, done), [])
})

test.run()
