import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import { openPage } from '../../site/open-page.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'
import { putTeamSchema } from '../reading/house.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const index = ({ space }: TestSpace) =>
  jobs['index-search']!(
    app.ctx,
    { spaceId: space.id },
    { signal: new AbortController().signal, attempt: 1 },
  )

const reference = (url: string) =>
  `{% content-ref url="${url}" %}\n[${url.split('/').at(-1)}](${url})\n{% endcontent-ref %}\n`

const files = {
  'SUMMARY.md': '* [Home](README.md)\n* [Set it up](guide/setup.md)\n* [Inside](inside.md)\n',
  'README.md': `# Home\n\nOcelot, see\n\n${reference('guide/setup.md')}\n${reference('inside.md')}\n${reference('gone.md')}\nend\n`,
  'guide/setup.md': '# Setup\n',
  'inside.md': "---\nif: visitor.claims.team == 'a'\n---\n# Inside\n",
}

const bodyIn = (page: { sections: { body: string }[] }) => page.sections[0]?.body

async function inSpace(api: string): Promise<string | undefined> {
  const { status, body, text } = await app.admin.get(`${api}/search?query=ocelot`)
  assert.is(status, 200, text)
  return bodyIn(body.items[0])
}

test('passages show links to pages as titles of the searched revision', async () => {
  const made = await makeSpace(app, files)
  assert.is(await inSpace(made.api), 'Ocelot, see Set it up Inside end')
  const { body: request } = await app.admin.post(`${made.api}/change-requests`, { subject: 'a' })
  const proposal = `${made.api}/change-requests/${request.number}`
  const { body: pages } = await app.admin.get(`${proposal}/search?query=setup`)
  const edited = await app.admin.post(`${proposal}/content`, {
    changes: [{ operation: 'update_page', page: pages.items[0].id, title: 'Renamed' }],
  })

  assert.is(edited.status, 200, edited.text)
  assert.is(await inSpace(proposal), 'Ocelot, see Renamed Inside end')
  assert.is(await inSpace(made.api), 'Ocelot, see Set it up Inside end')
  const summary = files['SUMMARY.md'].replace('Set it up', 'Begin')
  await commitFiles(made.repo, { 'SUMMARY.md': summary, 'gone.md': '# Back\n' })
  assert.is(await inSpace(made.api), 'Ocelot, see Begin Inside end')
})

test('passages in an organization and on a site show titles of what the caller is shown', async () => {
  const made = await makeSpace(app, files)
  await index(made)
  const { id, basename } = await publishedSite(app, [made.space.id], {
    adaptive: 1,
    visibility: 'public',
  })
  putTeamSchema(app, id)

  const { body } = await app.admin.get('/v1/orgs/acme/search?query=ocelot')
  const here = body.items.find((item: { id: string }) => item.id === made.space.id)
  assert.is(bodyIn(here.pages[0]), 'Ocelot, see Set it up Inside end')

  const onSite = async (caller: Actor) => {
    const asked = { query: 'ocelot', scope: { mode: 'all' } }
    const found = await caller.post(`/v1/orgs/acme/sites/${id}/search`, asked)
    assert.is(found.status, 200, found.text)
    return bodyIn(found.body.items[0].pages[0])
  }

  assert.is(await onSite(readerOf(app, id)), 'Ocelot, see Set it up end')
  const member = readerOf(app, id, { claims: { team: 'a' } })
  assert.is(await onSite(member), 'Ocelot, see Set it up Inside end')

  const { text } = await openPage(app, `/sites/acme/${basename}/~gitbook/search?q=ocelot&part=1`)
  assert.match(text.replace(/<[^>]*>/g, ''), /Ocelot, see Set it up end/)
})

test.run()
