import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { specsRepository } from '../../../src/actions/repositories/specs-repository.ts'
import { viewRevision } from '../../../src/actions/revisions/view-revision.ts'
import { withComputed } from '../../../src/actions/specs/computed-pages.ts'
import { resolveBlocks } from '../../../src/actions/specs/resolve-blocks.ts'
import { forgetDerived } from '../../../src/actions/upkeep/reindex.ts'
import type { Page } from '../../../src/api/content/schema.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { clientFor } from '../../support/http/client.ts'
import { processed } from '../openapi/host.ts'

const entry = (spec: string, props: string): string => `* \`\`\`yaml
    type: builtin:openapi
    props: {${props}}
    dependencies: {spec: {ref: {kind: openapi, spec: ${spec}}}}
    \`\`\`
`
const summary = `# Table of contents

* [Welcome](README.md)
* [API](api/README.md)
  * [Pets](api/pets.md)
  ${entry('store', 'models: true, downloadLink: true')}* [Single](single.md)
  ${entry('store', 'models: false, grouping: by-operation')}* [Other](other.md)
  ${entry('nothing', 'models: false')}`

const operation = (summary: string, ...tags: string[]) => ({
  summary,
  tags,
  responses: { 200: { description: 'Fine' } },
})
const store = (more: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Store', version: '1' },
    tags: [
      { name: 'pets', description: 'Of pets', 'x-page-description': 'Cats' },
      { name: 'owners', parent: 'pets' },
    ],
    paths: {
      '/pets': { get: operation('List pets', 'pets'), post: operation('Add a pet', 'pets') },
      '/owners': { get: operation('List owners', 'owners') },
      '/health': { get: operation('Health') },
      ...more,
    },
    components: { schemas: { Pet: { type: 'object', properties: { name: { type: 'string' } } } } },
  })

let app: App
let reader: Actor
let api: string
let spaceId: string
test.before(async () => {
  app = await startApp()
  reader = app.user('Rita', 'read')
  const space = await makeSpace(app, {
    'README.md': '# Welcome\n',
    'SUMMARY.md': summary,
    'api/README.md': '# API\n',
    'api/pets.md':
      '# Pets\n\n{% openapi-operation spec="store" path="/pets" method="get" %}\n[Store](x)\n{% endopenapi-operation %}\n',
    'single.md': '# Single\n',
    'other.md': '# Other\n',
  })

  api = space.api
  spaceId = api.split('/').at(-1)!
})
test.after(() => app.stop())

const put = async (text: string) => {
  const reply = await app.admin.put('/v1/orgs/acme/openapi/store', { source: { text } })
  assert.ok(reply.status < 300, reply.text)
  return processed(app, '/v1/orgs/acme/openapi/store')
}
type Tree = { title: string; type: string; path?: string; pages?: Tree[] }
const outline = (pages: Page[]): unknown =>
  (pages as Tree[]).map(({ title, path, type, pages: below = [] }) => [
    path ? `${title} /${path}` : `${title} (${type})`,
    ...(below.length > 0 ? [outline(below as Page[])] : []),
  ])
const pagesOf = async (path = '/content/pages') =>
  (await reader.get(`${api}${path}`)).body.pages as Page[]
const entries = [['store (computed)']]

test('without its description a computed entry is unchanged, and the revision has an issue', async () => {
  assert.equal(outline(await pagesOf()), [
    ['Welcome /readme'],
    ['API /api', [['Pets /api/pets'], ...entries]],
    ['Single /single', entries],
    ['Other /other', [['nothing (computed)']]],
  ])
  const { body } = await reader.get(`${api}/content`)
  assert.match(body.issues[0].message, 'The OpenAPI spec "store" does not exist')
  assert.is(body.issues[0].line, 6)
  assert.not('issues' in (await reader.get(`${api}/content?computed=false`)).body)
})

test('pages are generated as soon as the description exists', async () => {
  const before = await reader.get(`${api}/content/pages`)
  const plain = await reader.get(`${api}/content/pages?computed=false`)
  await put(store())
  const pages = await reader.get(`${api}/content/pages`)

  assert.is.not(pages.headers.get('etag'), before.headers.get('etag'))
  assert.equal(outline(pages.body.pages), [
    ['Welcome /readme'],
    [
      'API /api',
      [
        ['Pets /api/pets'],
        ['pets /api/tag-pets', [['owners /api/tag-pets/owners']]],
        ['Other /api/other'],
        ['Models /api/models'],
        ['Download the OpenAPI spec (link)'],
      ],
    ],
    [
      'Single /single',
      [
        [
          'pets /single/pets',
          [
            ['List pets /single/pets/list-pets'],
            ['Add a pet /single/pets/add-a-pet'],
            ['owners /single/pets/owners', [['List owners /single/pets/owners/list-owners']]],
          ],
        ],
        ['Other /single/other', [['Health /single/other/health']]],
      ],
    ],
    ['Other /other', [['nothing (computed)']]],
  ])
  const again = await reader.get(`${api}/content/pages?computed=false`)

  assert.equal(again.body, plain.body)
  assert.is(again.headers.get('etag'), plain.headers.get('etag'))
})

test('a generated page is read by path and id in every scope', async () => {
  const page = (await reader.get(`${api}/content/path/api/tag-pets`)).body
  assert.is(page.type, 'document')
  assert.is(page.description, 'Cats')
  assert.not('git' in page)
  assert.match(
    page.markdown,
    /^# pets\n\nOf pets\n\n## List pets\n\n`GET` `\/pets`\n[\s\S]*\n## Add a pet\n/,
  )
  const { id, lastVersion, slug } = (await app.admin.get('/v1/orgs/acme/openapi/store')).body

  assert.equal(page.computed, {
    type: 'builtin:openapi',
    props: { doc: 'operations', page: 'pets' },
    dependencies: {
      spec: {
        ref: { kind: 'openapi', spec: 'store' },
        value: { object: 'openapi-spec', id, slug, lastVersion },
      },
    },
  })
  const single = (await reader.get(`${api}/content/path/single/pets/list-pets`)).body

  assert.match(single.markdown, /^# List pets\n\n`GET` `\/pets`\n/)
  const revision = (await reader.get(`${api}/content`)).body.id
  const request = (await app.admin.post(`${api}/change-requests`, { subject: 'One' })).body.id

  for (const scope of ['content', `change-requests/${request}/content`, `revisions/${revision}`]) {
    const { status, body, headers } = await reader.get(`${api}/${scope}/page/${page.id}`)
    assert.is(status, 200, scope)
    assert.is(body.markdown, page.markdown)
    assert.not.match(headers.get('cache-control') ?? '', 'immutable')
    assert.is(
      (await reader.get(`${api}/${scope}/page/${page.id}?computed=false`)).status,
      404,
      scope,
    )
  }

  for (const scope of ['content', `change-requests/${request}/content`]) {
    const links = await reader.get(`${api}/${scope}/page/${page.id}/links`)
    assert.equal([links.status, links.body.items, links.body.stats.total], [200, [], 0])
    const backlinks = await reader.get(`${api}/${scope}/page/${page.id}/backlinks`)
    assert.equal([backlinks.status, backlinks.body.items], [200, []])
    assert.is((await reader.get(`${api}/${scope}/page/nothing/links`)).status, 404)
  }

  const all = await pagesOf('/content/pages?format=markdown')

  assert.is((all[1] as { pages: { markdown: string }[] }).pages[1]?.markdown, page.markdown)
})

test('the official client reads generated pages, and they can be commented on', async () => {
  const { client } = clientFor(app, app.admin)
  const { pages } = (await client.spaces.listPages(spaceId, {})).data
  assert.is(pages.length, 4)
  const { id } = (await client.spaces.getPageByPath(spaceId, 'api/tag-pets', {})).data

  await client.spaces.getPageById(spaceId, id, {})
  await client.spaces.getCurrentRevision(spaceId, { computed: false })
  const body = { markdown: 'Which pets?' }

  assert.is((await app.admin.post(`${api}/comments`, { page: id, body })).status, 200)
  assert.is((await app.admin.post(`${api}/comments`, { page: 'none', body })).status, 400)
})

test('a new version is read at once, also by callers whose responses are cached', async () => {
  const { id } = (await reader.get(`${api}/content/path/api/other`)).body
  const before = await reader.get(`${api}/content/page/${id}`)
  const etag = before.headers.get('etag') ?? ''
  assert.is((await reader.get(`${api}/content/page/${id}`, { 'if-none-match': etag })).status, 304)
  await put(store({ '/ready': { get: operation('Readiness') } }))
  const after = await reader.get(`${api}/content/page/${id}`, { 'if-none-match': etag })
  assert.is(after.status, 200)
  assert.match(after.body.markdown, '## Readiness')
})

test('blocks of a page are expanded when it is evaluated, and otherwise preserved byte for byte', async () => {
  const written = (await reader.get(`${api}/content/path/api/pets`)).body
  assert.match(written.markdown, '{% openapi-operation spec="store"')
  const { body } = await reader.get(`${api}/content/path/api/pets?evaluated=true`)
  assert.match(body.markdown, /^# Pets\n\n## List pets\n\n`GET` `\/pets`/)
  assert.not.match(body.markdown, 'openapi-operation')
  const revision = (await reader.get(`${api}/content?computed=false`)).body.id as Oid
  const { content } = await viewRevision(app.ctx, spaceId, revision)
  const source = { organizationId: 'acme', spaceId, content, path: 'README.md' }
  const unknown = '{% openapi-operation spec="none" path="/pets" method="get" %}\n'

  assert.is(await resolveBlocks(app.ctx, source, unknown), unknown)
  const lost = '{% openapi-operation spec="store" path="/nothing" method="get" %}\n'

  assert.is(await resolveBlocks(app.ctx, source, lost), lost)
  const schemas =
    '{% openapi-schemas spec="store" schemas="Pet, Gone" grouped="true" %}\n{% endopenapi-schemas %}\n'

  assert.match(await resolveBlocks(app.ctx, source, schemas), /^## Pet\n/)
  const titled = schemas.replace('grouped="true"', 'title="All *models*"')

  assert.match(await resolveBlocks(app.ctx, source, titled), /^## All \\\*models\\\*\n\n## Pet\n/)
  const gone = titled.replace('Pet, Gone', 'Gone')

  assert.is(await resolveBlocks(app.ctx, source, gone), gone)
})

test('another organization cannot use the description, and evicted pages are regenerated', async () => {
  const revision = (await reader.get(`${api}/content?computed=false`)).body.id as Oid
  const view = await viewRevision(app.ctx, spaceId, revision)
  const elsewhere = await withComputed(app.ctx, 'another', view)
  assert.is(elsewhere.content.pageById.size, view.content.pageById.size)
  const found = await withComputed(app.ctx, 'acme', view)
  const node = found.content.pageByPath.get('api/models')!
  const text = await found.textOf(node)

  assert.match(text ?? '', '# Models\n\n## Pet')
  forgetDerived(app.ctx)
  assert.is((await reader.get(`${api}/content/page/${node.id}`)).body.markdown, text)
})

test('a description that cannot be read is shown once its repository is repaired', async () => {
  const { dir } = specsRepository(app.ctx, 'acme')
  const [objects, aside] = [join(dir, 'objects'), join(dir, 'aside')]
  const read = async () =>
    (await reader.get(`${api}/content/path/api/pets?evaluated=deterministic-only`)).body
      .markdown as string
  forgetDerived(app.ctx)
  renameSync(objects, aside)
  mkdirSync(objects)
  app.ctx.processes.closeRepository(dir)

  try {
    for (let times = 0; times < 3; times++)
      assert.match(await read(), '{% openapi-operation spec="store"')
  } finally {
    rmSync(objects, { recursive: true })
    renameSync(aside, objects)
    app.ctx.processes.closeRepository(dir)
  }

  assert.match(await read(), '## List pets')
  assert.not(existsSync(aside))
})

test('deleting a description keeps its entry', async () => {
  assert.is((await app.admin.delete('/v1/orgs/acme/openapi/store')).status, 204)
  assert.equal(outline(((await pagesOf())[2] as { pages: Page[] }).pages), entries)
})

test.run()
