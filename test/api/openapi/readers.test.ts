import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'
import { putTeamSchema } from '../reading/house.ts'
import { petstore, processed } from './host.ts'

const app = await startApp()
test.after(() => app.stop())

const at = (slug: string) => `/v1/orgs/acme/openapi/${slug}`
const slugs = [
  'plain',
  'team-a',
  'closed',
  'noted',
  'listed',
  'unused-note',
  'composed',
  'fenced',
  'unnamed',
  'next',
]
for (const slug of slugs) {
  await app.admin.put(at(slug), { source: { text: petstore(slug) } })
  await processed(app, at(slug))
}

const block = (slug: string) => `{% openapi-operation spec="${slug}" path="/pets" method="get" %}\n`
const files = {
  'SUMMARY.md': `* [Home](README.md)
* [Varying](varying.md)
* [Closed](closed.md)
* \`\`\`yaml
  type: builtin:openapi
  props:
    models: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: listed
  \`\`\`
`,
  'README.md': `# Home\n\n${block('plain')}\n{% include ".gitbook/includes/note.md" %}\n\n\`\`\`\n${block('fenced')}\`\`\`\n`,
  'varying.md': `# Varying

{% if visitor.claims.team === "a" %}
${block('team-a')}
{% endif %}

<!-- ${block('closed').trim()} -->

{% openapi-operation spec="<code class="expression">'comp' + 'osed'</code>" path="/pets" method="get" %}
`,
  'closed.md': `---\nif: visitor.claims.team === "b"\n---\n# Closed\n\n${block('closed')}`,
  '.gitbook/includes/note.md': `${block('noted')}`,
  '.gitbook/includes/unused.md': `${block('unused-note')}`,
}
const { space, repo } = await makeSpace(app, files)
const { space: other } = await makeSpace(app, { 'README.md': '# Other\n' }, 'Other')
const site = await publishedSite(app, [other.id, space.id], { adaptive: 1 })
const elsewhere = await publishedSite(app, [other.id])
putTeamSchema(app, site.id)
const [a, b] = ['a', 'b'].map(team => readerOf(app, site.id, { claims: { team } })) as [
  Actor,
  Actor,
]

/** The specs whose latest version a reader can read. */
async function readableFor(reader: Actor): Promise<string[]> {
  const readable: string[] = []
  for (const slug of slugs) {
    const version = await reader.get(`${at(slug)}/versions/latest`)
    const content = await reader.get(`${at(slug)}/versions/latest/content`)
    assert.is(version.status, content.status, slug)
    if (version.status === 200) readable.push(slug)
    else assert.is(version.status, 404, version.text)
  }

  return readable
}

test('a reader reads the specs that the shown pages, reusable content and entries name, and no others', async () => {
  assert.equal(await readableFor(a), ['plain', 'team-a', 'noted', 'listed'])
  assert.equal(await readableFor(b), ['plain', 'closed', 'noted', 'listed'])
  assert.equal(await readableFor(readerOf(app, elsewhere.id)), [])
})

test('the answers to a reader are those to a member', async () => {
  for (const path of ['/versions/latest', '/versions/latest/content'])
    for (const slug of ['plain', 'PLAIN']) {
      const member = await app.admin.get(at(slug) + path)
      assert.is(member.status, 200, member.text)
      assert.equal((await a.get(at(slug) + path)).body, member.body)
    }
})

test('a spec that no page names is answered like one that does not exist', async () => {
  const shape = ({ text }: { text: string }, slug: string) => text.replaceAll(slug, '')
  for (const path of ['/versions/latest', '/versions/latest/content']) {
    const [hidden, absent] = [await a.get(at('unnamed') + path), await a.get(at('absent') + path)]
    assert.equal([hidden.status, absent.status], [404, 404])
    assert.is(shape(hidden, 'unnamed'), shape(absent, 'absent'))
    assert.is((await a.get(`/v1/orgs/globex/openapi/plain${path}`)).status, 404)
  }
})

test('all other operations on specs refuse readers', async () => {
  for (const path of ['', '/versions', '/versions/latest/content/raw'])
    assert.is((await a.get(at('plain') + path)).status, 403, path)
})

test('a change of the content counts with the next request', async () => {
  await commitFiles(repo, { 'README.md': `# Home\n\n${block('next')}` })
  assert.equal(await readableFor(b), ['closed', 'listed', 'next'])
  assert.is((await app.admin.delete(`/v1/spaces/${space.id}`)).status, 204)
  assert.equal(await readableFor(b), [])
})

test.run()
