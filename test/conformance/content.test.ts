import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { RevisionPage } from '../../node_modules/@gitbook/api/dist/client.d.ts'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { clientFor, type Driven, notDriven } from '../support/http/client.ts'

/** A bit of everything that a page tree can hold. */
const files = {
  'README.md': '---\ndescription: Where to begin\nicon: house\n---\n\n# Welcome\n\nHello.\n',
  'SUMMARY.md': `# Table of contents

* [Welcome](README.md)
* [Guide](guide/README.md)
  * [Install](guide/install.md)

## Reference

* [Settings](reference/settings.md "Set")
* [Status](https://status.example.org)
`,
  'guide/README.md': '# Guide\n\nRead <code class="expression">space.vars.product</code>.\n',
  'guide/install.md':
    '---\nhidden: true\ncover: ../.gitbook/assets/dot.svg\ncoverY: 10\nlayout:\n  width: wide\n---\n\n# Install\n\n{% include "../.gitbook/includes/note.md" %}\n',
  'reference/settings.md': '# Settings\n\n![dot](../.gitbook/assets/dot.svg)\n',
  '.gitbook/assets/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nMind the gap.\n',
  '.gitbook/vars.yaml': 'product: Stemma\nyear: 2026\nbeta: true\n',
}

let bench: SyncBench
let driven: Driven
let space = ''
let request = ''
let revision = ''
test.before(async () => {
  bench = await openSyncBench()
  driven = clientFor(bench.app, bench.app.admin)
  bench.remote('docs', files)
  space = await bench.space('Docs')
  const body = { url: `${bench.host.origin}/docs.git`, ref: 'refs/heads/main' }
  const operation = await bench.sync('import', space, body)

  assert.is(operation.state, 'success', JSON.stringify(operation))
  request = (await driven.client.spaces.createChangeRequest(space, { subject: 'Better' })).data.id
  revision = (await driven.client.spaces.getSpaceById(space)).data.revision
})
test.after(() => bench.stop())

function* flat(pages: readonly RevisionPage[]): Generator<RevisionPage> {
  for (const page of pages) {
    yield page
    if ('pages' in page) yield* flat(page.pages)
  }
}

test('primary content', async () => {
  const { spaces } = driven.client
  for (const query of [{}, { metadata: false }, { format: 'markdown' as const, computed: false }]) {
    const content = (await spaces.getCurrentRevision(space, query)).data
    assert.is(content.id, revision)
    assert.ok(content.pages.length >= 3)
  }

  const { pages } = (await spaces.listPages(space, { metadata: true })).data
  const kinds = new Set([...flat(pages)].map(page => page.type as string))

  assert.equal([...kinds].sort(), ['document', 'group', 'link'])

  for (const page of flat(pages)) {
    const read = (await spaces.getPageById(space, page.id, { format: 'markdown' as const })).data
    assert.is(read.title, page.title)
    if (page.type === ('link' as string) || !('path' in page)) continue
    const again = (await spaces.getPageByPath(space, page.path as string, {})).data
    assert.is(again.id, page.id)
  }

  const first = (await spaces.listFiles(space, { limit: 1 })).data
  const file = first.items[0]

  assert.ok(file)
  assert.is((await spaces.getFileById(space, file.id, { metadata: true })).data.name, file.name)
  const reusable = (await spaces.getCurrentRevision(space, {})).data.reusableContents[0]

  assert.ok(reusable)
  assert.is((await spaces.getReusableContentById(space, reusable.id, {})).data.title, 'Note')
})

test('the content of a change request', async () => {
  const { spaces } = driven.client
  const content = (await spaces.getRevisionOfChangeRequestById(space, request, {})).data
  const { pages } = (await spaces.listPagesInChangeRequest(space, request, {})).data
  assert.is(pages.length, content.pages.length)
  const page = pages[0]!

  await spaces.getPageInChangeRequestById(space, request, page.id, { format: 'markdown' as const })
  await spaces.getPageInChangeRequestByPath(space, request, 'guide/install', {})
  const file = (await spaces.listFilesInChangeRequestById(space, request, {})).data.items[0]!

  await spaces.getFileInChangeRequestById(space, request, file.id, {})
  const reusable = content.reusableContents[0]!

  await spaces.getReusableContentInChangeRequestById(space, request, reusable.id, {})
})

test('a revision', async () => {
  const { spaces } = driven.client
  const content = (await spaces.getRevisionById(space, revision, {})).data
  assert.is(content.id, revision)
  const { pages } = (await spaces.listPagesInRevisionById(space, revision, {})).data

  await spaces.getPageInRevisionById(space, revision, pages[0]!.id, {})
  await spaces.getPageInRevisionByPath(space, revision, 'guide/install', {})
  const file = (await spaces.listFilesInRevisionById(space, revision, {})).data.items[0]!

  await spaces.getFileInRevisionById(space, revision, file.id, {})
  await spaces.getReusableContentInRevisionById(
    space,
    revision,
    content.reusableContents[0]!.id,
    {},
  )
  await spaces.getRevisionSemanticChanges(space, revision, {})
})

test('pages with what their expressions are worth', async () => {
  const { spaces } = driven.client
  for (const evaluated of [true, false, 'deterministic-only'] as const) {
    const query = { format: 'markdown' as const, evaluated }
    const page = (await spaces.getPageByPath(space, 'guide', query)).data
    const wanted =
      evaluated === false ? /<code class="expression">space\.vars\.product</ : /^Read Stemma\.$/m
    assert.match('markdown' in page ? String(page.markdown) : '', wanted)
    await spaces.getPageById(space, page.id, query)
    await spaces.getPageInChangeRequestById(space, request, page.id, query)
    await spaces.getPageInChangeRequestByPath(space, request, 'guide', query)
    await spaces.getPageInRevisionById(space, revision, page.id, query)
    await spaces.getPageInRevisionByPath(space, revision, 'guide', query)
  }
})

test('a template', async () => {
  const { spaces } = driven.client
  const id = (await spaces.createChangeRequest(space, { subject: 'Begin' })).data.id
  const body = { id: 'changelog', params: { contentRefs: {} }, changeRequestId: id }
  assert.is((await spaces.applyTemplateToSpace(space, body)).status, 201)
})

test('every operation that the client has for these was called', () => {
  const left = notDriven(/^\/spaces\/:spaceId\/(?:.*\/)?(?:content|revisions)(?:\/|$)/, driven.done)
  // Those of what links where have a test of their own.
  assert.equal(
    left.filter(key => !key.endsWith('links')),
    [],
  )
})

test.run()
