import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { clientFor, notDriven } from '../support/http/client.ts'

const app = await startApp()
test.after(() => app.stop())
const { space } = await makeSpace(app, {
  'README.md': '# Home\n\nWhere the quince grows.\n\n## Orchard\n\nA quince.\n',
  'jam.md': '# Quince jam\n\nBoil it.\n',
})
const driven = clientFor(app, app.admin)
const { spaces, orgs } = driven.client

test('pages are found in a space and in an organization', async () => {
  const all = (await spaces.searchSpaceContent(space.id, { query: 'quince' })).data
  assert.equal(
    all.items.map(({ title, sections }) => [title, sections?.map(section => section.title)]),
    [
      ['Quince jam', ['Quince jam']],
      ['Home', ['Home', 'Orchard']],
    ],
  )
  const first = (await spaces.searchSpaceContent(space.id, { query: 'quince', limit: 1 })).data
  const rest = { query: 'quince', limit: 1, page: first.next!.page }

  assert.equal((await spaces.searchSpaceContent(space.id, rest)).data.items, all.items.slice(1))
  const [found] = (await orgs.searchOrganizationContent('acme', { query: 'quince' })).data.items

  assert.is(found?.id, space.id)
  assert.equal(found?.pages, all.items)
})

test('every operation that the client has for these was called', () => {
  assert.equal(notDriven(/^(?!.*sites).*\/search$/, driven.done), [])
})

test.run()
