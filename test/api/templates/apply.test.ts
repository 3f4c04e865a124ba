import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { gitOutside } from '../../support/git/repo.ts'

let app: App
let own = ''
let editor: Actor
let reader: Actor
test.before(async () => {
  own = await mkdtemp(join(tmpdir(), 'stemma-templates-'))
  app = await startApp({ STEMMA_TEMPLATES: own })
  editor = app.user('Eddy', 'edit')
  reader = app.user('Rita', 'read')
  await put('guide', {
    'template.yaml':
      'title: Guide\nrefs:\n  logo: {kinds: [file], required: true}\n  more: {kinds: [page, url]}\n',
    'SUMMARY.md': '# T\n\n* [Guide](guide/README.md)\n  * [Step](guide/step.md)\n',
    'guide/README.md':
      '# Guide\n\n![Logo](ref:logo)\n\n<!-- if:more -->\n[More](ref:more).\n<!-- end:more -->\n',
    'guide/step.md': '# Step\n\n[Back](README.md)\n',
    '.git/config': '[core]\n',
  })
})
test.after(async () => {
  await app.stop()
  await rm(own, { recursive: true, force: true })
})

/** Writes a template into the operator's folder. */
async function put(id: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const full = join(own, id, path)
    await mkdir(join(full, '..'), { recursive: true })
    await writeFile(full, text)
  }
}

const listed = async () => {
  const reply = await app.admin.get('/v1/templates')
  assert.is(reply.status, 200)
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
  return new Map<string, any>(reply.body.items.map((item: { id: string }) => [item.id, item]))
}

/** A space with a picture and a page, their ids, and its Git repository. */
async function spaceWithLogo() {
  const { api, repo } = await makeSpace(app)
  const at = `${api}/content`
  await app.admin.patch(api, { defaultLevel: 'edit' })
  const base64 = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
  const made = await app.admin.post(at, {
    changes: [
      { operation: 'insert_page', title: 'Mine', document: { markdown: 'Words.' } },
      {
        operation: 'insert_files',
        files: [{ name: 'my logo.svg', contentType: 'image/svg+xml', base64 }],
      },
    ],
  })

  assert.is(made.status, 200, made.text)
  const git = (...args: string[]) => gitOutside(repo.dir, args)

  return {
    api,
    at,
    git,
    page: made.body.changes[0].page.id as string,
    file: made.body.insertedFiles[0].id as string,
    logo: { kind: 'file', file: made.body.insertedFiles[0].id as string },
  }
}

test('a template is applied to a space as one commit with its names filled in', async () => {
  const { at, git, logo, page } = await spaceWithLogo()
  const before = git('rev-parse', 'main')
  const body = { id: 'guide', params: { contentRefs: { logo, more: { kind: 'page', page } } } }
  const reply = await editor.post(`${at}/template`, body, { 'idempotency-key': 'guide' })

  assert.equal([reply.status, reply.text], [201, ''])
  assert.is(git('rev-parse', 'main^'), before)
  assert.match(git('log', '-1', '--format=%s', 'main'), /^Apply the template "Guide"$/)
  assert.is(
    git('show', 'main:guide/README.md'),
    '# Guide\n\n![Logo](<../.gitbook/assets/my logo.svg>)\n\n[More](../mine.md).',
  )
  assert.match(git('diff', '--numstat', before, 'main', '--', 'SUMMARY.md'), /^2\t0\t/)
  const pages = (await app.admin.get(`${at}/pages`)).body.pages

  assert.equal(pages.map(({ title }: { title: string }) => title).slice(-2), ['Mine', 'Guide'])

  // A repeat with the same key gets the same answer and writes nothing.
  const again = await editor.post(`${at}/template`, body, { 'idempotency-key': 'guide' })

  assert.equal([again.status, again.text], [201, ''])
  const head = git('rev-parse', 'main')

  assert.is(git('rev-parse', 'main^'), before)
  const twice = await editor.post(`${at}/template`, body)

  assert.is(twice.status, 409)
  assert.equal(twice.body.details.paths, ['guide/README.md', 'guide/step.md'])
  assert.match(twice.body.error.message, /^The template "guide" would overwrite/)
  const stale = await app.admin.post(
    `${at}/template`,
    { id: 'changelog' },
    { 'if-match': `"${before}"` },
  )

  assert.is(stale.status, 412)
  assert.is(git('rev-parse', 'main'), head)
})

test('a template can be applied to a change request where direct edits are not allowed', async () => {
  const { api, at, git } = await spaceWithLogo()
  await app.admin.patch(api, { editMode: 'locked' })
  const head = git('rev-parse', 'main')
  assert.is((await app.admin.post(`${at}/template`, { id: 'changelog' })).status, 403)
  const request = (await editor.post(`${api}/change-requests`, { subject: 'Begin' })).body
  const reply = await editor.post(`${at}/template`, {
    id: 'changelog',
    changeRequestId: `${request.number}`,
  })

  assert.is(reply.status, 201, reply.text)
  assert.is(git('rev-parse', 'main'), head)
  const after = (await editor.get(`${api}/change-requests/${request.id}`)).body

  assert.is.not(after.revision, request.revision)
  const pages = (await editor.get(`${api}/change-requests/${request.id}/content/pages`)).body.pages

  assert.ok(pages.some(({ path }: { path: string }) => path === 'changelog'))
  await editor.patch(`${api}/change-requests/${request.id}`, { status: 'archived' })
  const archived = { id: 'product-docs', changeRequestId: request.id }

  assert.is((await editor.post(`${at}/template`, archived)).status, 409)
})

test('a change request starts with a template, or is not created', async () => {
  const { api, at, git, logo } = await spaceWithLogo()
  const head = git('rev-parse', 'main')
  const refused = await editor.post(`${api}/change-requests`, {
    subject: 'No',
    template: { id: 'guide' },
  })

  assert.is(refused.status, 400, refused.text)
  const template = { id: 'guide', params: { contentRefs: { logo } } }
  const made = await editor.post(`${api}/change-requests`, { subject: 'Guide', template })

  assert.equal([made.status, made.body.number, made.body.outdated], [201, 1, false], made.text)
  assert.equal([made.body.revisionInitial, git('rev-parse', 'main')], [head, head])
  assert.is(git('rev-parse', `${made.body.revision}^`), head)
  assert.match(git('log', '-1', '--format=%B', made.body.revision), /Stemma-Change-Request: 1\n/)
  const seen = (await editor.get(`${api}/change-requests/1`)).body

  assert.equal([seen.revision, seen.outdated], [made.body.revision, false])
  const contributors = (await editor.get(`${api}/change-requests/1/contributors`)).body

  assert.is(contributors.items.length, 1)
  const merged = await app.admin.post(`${api}/change-requests/1/merge`)

  assert.is(merged.body.result, 'merge', merged.text)
  assert.is((await editor.get(`${at}/path/guide/step`)).body.title, 'Step')
})

test('an invalid template is refused and nothing is written', async () => {
  const { api, at, git, logo } = await spaceWithLogo()
  const head = git('rev-parse', 'main')
  const refs = (contentRefs: object) => ({ id: 'guide', params: { contentRefs } })
  const refused: [body: unknown, status: number, message: RegExp][] = [
    [{}, 400, /"id" in the body/],
    [{ id: 'unknown' }, 404, /no template "unknown"/],
    [{ id: '../templates/guide' }, 404, /no template/],
    [{ id: '..' }, 404, /no template/],
    [{ id: 'guide\0' }, 400, /NUL/],
    [{ id: 'changelog', changeRequestId: '77' }, 404, /no change request "77"/],
    [{ id: 'guide' }, 400, /needs "logo"/],
    [refs({ logo, other: logo }), 400, /does not have "other"\. Its names: "logo", "more"/],
    ['{"id":"guide","params":{"contentRefs":{"__proto__":{"kind":"file","file":"x"}}}}', 400, /./],
    [refs({ logo: { kind: 'url', url: 'https://example.org' } }), 400, /must be of the kind file/],
    [refs({ logo: { kind: 'file', file: 'unknown' } }), 400, /no file "unknown"/],
    [refs({ logo, more: { kind: 'page', page: 'unknown' } }), 400, /no page "unknown"/],
    [refs({ logo, more: { kind: 'page', page: 'x', space: 'other' } }), 400, /another space/],
    [refs({ logo, more: { kind: 'url', url: 'javascript:alert(1)' } }), 400, /url/],
    [refs({ logo, more: { kind: 'nothing' } }), 400, /contentRefs/],
  ]

  for (const [body, status, message] of refused) {
    const reply = await app.admin.post(`${at}/template`, body)
    assert.is(reply.status, status, `${JSON.stringify(body)}: ${reply.text}`)
    assert.match(reply.body.error.message, message)
  }

  await app.admin.patch(api, { defaultLevel: 'read' })
  assert.is((await reader.post(`${at}/template`, { id: 'changelog' })).status, 403)
  assert.is(git('rev-parse', 'main'), head)
})

test('a new space starts with a template', async () => {
  const path = '/v1/orgs/acme/spaces'
  const params = { contentRefs: { spec: { kind: 'openapi', spec: 'acme-v2' } } }
  const made = await app.admin.post(path, {
    title: 'Our API',
    template: { id: 'api-reference', params },
  })

  assert.is(made.status, 201, made.text)
  const { pages } = (await app.admin.get(`/v1/spaces/${made.body.id}/content`)).body

  assert.equal([pages[0].title, pages[0].path], ['Our API', 'readme'])
  assert.ok(JSON.stringify(pages).includes('acme-v2'))
  const revisions = (await app.admin.get(`/v1/spaces/${made.body.id}/revisions`)).body.items

  assert.is(revisions.length, 1)
  const empty = await app.admin.post(path, { empty: true, template: { id: 'changelog' } })

  assert.is(empty.status, 201, empty.text)
  assert.is((await app.admin.post(path, { template: { id: 'nothing' } })).status, 404)
})

test('the operator’s folder is read at each call, and broken templates in it are harmless', async () => {
  await put('Product-docs', { 'template.yaml': 'title: Other\n', 'a.md': '# A\n' })
  await put('changelog', { 'template.yaml': 'title: Ours\n', 'a.md': '# A\n' })
  await put('no-words', { 'a.md': '# A\n' })
  await put('bad-words', { 'template.yaml': 'title: [\n', 'a.md': '# A\n' })
  await put('bad-name', { 'template.yaml': 'title: A\n', 'a:b.md': '# A\n' })
  await put('settings', { 'template.yaml': 'title: A\n', 'a.md': '', 'con/x.md': '# A\n' })
  await put('links', { 'template.yaml': 'title: A\n', 'a.md': '# A\n' })
  await symlink('/etc/passwd', join(own, 'links', 'passwd'))
  await symlink(join(own, 'guide'), join(own, 'elsewhere'))
  await put('many', {
    'template.yaml': 'title: A\n',
    ...Object.fromEntries([...Array(501).keys()].map(n => [`f${n}.md`, ''])),
  })
  await put('large', { 'template.yaml': 'title: A\n', 'a.bin': 'x'.repeat(10 * 1024 * 1024) })
  await put('long', { 'template.yaml': 'title: A\n', 'a.md': 'x'.repeat(256 * 1024 + 1) })
  const deep = `${Array(12).fill('d').join('/')}/a.md`

  await put('deep', { 'template.yaml': 'title: A\n', [deep]: '# A\n' })
  const all = await listed()

  assert.equal(
    [all.get('guide').files, all.get('guide').builtIn, all.get('guide').issue],
    [3, false, undefined],
  )
  assert.equal([all.get('changelog').title, all.get('changelog').builtIn], ['Ours', false])
  assert.equal(
    [all.get('api-reference').builtIn, all.get('api-reference').issue],
    [true, undefined],
  )

  const broken = [
    'no-words',
    'bad-words',
    'bad-name',
    'settings',
    'links',
    'elsewhere',
    'many',
    'large',
    'long',
    'deep',
  ]
  const space = (await spaceWithLogo()).at

  for (const id of broken) {
    assert.type(all.get(id)?.issue, 'string', id)
    const reply = await app.admin.post(`${space}/template`, { id })
    assert.is(reply.status, 409, id)
    assert.ok(reply.body.error.message.includes(all.get(id).issue), reply.text)
  }

  const first = (await reader.get('/v1/templates?limit=2')).body

  assert.equal([first.count, first.items.length], [2, 2])
  const next = (await reader.get(`/v1/templates?limit=1000&page=${first.next.page}`)).body

  assert.equal(
    [...first.items, ...next.items].map(({ id }: { id: string }) => id),
    [...all.keys()],
  )
  assert.is((await app.anonymous.get('/v1/templates')).status, 401)
  await rm(own, { recursive: true })
  assert.equal([...(await listed()).keys()], ['api-reference', 'changelog', 'product-docs'])
})

test.run()
