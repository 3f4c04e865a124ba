import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forgetOtherVersions } from '../../../src/actions/made-files/spec-rows.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { fileSpec } from '../../../src/actions/specs/file-specs.ts'
import {
  beginReading,
  type FileSpec,
  type FilesOfSpace,
  findReading,
  idOfFile,
  keepReading,
  rememberFailure,
} from '../../../src/actions/specs/kept-file-specs.ts'
import type { ContentTree } from '../../../src/content/tree/build.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { readRef } from '../../../src/git/refs/refs.ts'
import { listFiles } from '../../../src/git/trees/tree-files.ts'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { findPiece, listOutlined, specOfFiles } from '../../../src/store/openapi/versions.ts'
import { deleteSpace } from '../../../src/store/spaces/spaces.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'

// Specs in files of a space that are unusual, hostile, many, or change.

const app = await startApp()
test.after(() => app.stop())

const spec = (summary: string, path = '/a') =>
  `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths: {"${path}": {get: {summary: ${summary}, responses: {"200": {description: ok}}}}}\n`
const referring = (ref: string) =>
  `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths: {"/a": {$ref: "${ref}"}, "/own": {get: {summary: My own, responses: {"200": {description: ok}}}}}\n`
const block = (src: string, path = '/a') =>
  `{% openapi-operation src="${src}" path="${path}" method="get" %}\n{% endopenapi-operation %}\n`

test('a reference with a bare percent sign names a file or is a problem of the spec', async () => {
  const refs = ['100%.yaml', '%zz.yaml', '%', '%ff%fe.yaml', 'a%00b.yaml', '%2e%2e/%2e%2e/x.yaml']
  const files = Object.fromEntries(
    refs.flatMap((ref, i) => [
      [`p${i}.md`, `# P${i}\n\n${block(`s${i}.yaml`, '/own')}\n${block(`s${i}.yaml`)}`],
      [`s${i}.yaml`, referring(`${ref}#/x`)],
    ]),
  )
  const item = 'x: {get: {summary: From percent, responses: {"200": {description: ok}}}}\n'
  const { api } = await makeSpace(app, { ...files, '100%.yaml': item }, 'Percent')

  for (const i of refs.keys()) {
    const { status, body } = await app.admin.get(`${api}/content/path/p${i}?evaluated=true`)
    assert.is(status, 200, refs[i])
    assert.match(body.markdown, '## My own', refs[i])
    assert.is(body.markdown.includes('## From percent'), i === 0, refs[i])
  }
  const { status } = await app.admin.get(`${api}/content/findings`)
  assert.is(status, 200)
})

test('equal pages in two folders show the spec of their own folder', async () => {
  const page = `# Reference\n\n${block('./spec.yaml')}`
  const { api, space } = await makeSpace(
    app,
    {
      'SUMMARY.md':
        '* [Start](README.md)\n* [One](v1/api.md)\n* [Two](v2/api.md)\n* [Again](v2/api.md)\n',
      'README.md': '# Start\n',
      'v1/api.md': page,
      'v2/api.md': page,
      'v1/spec.yaml': spec('First version'),
      'v2/spec.yaml': spec('Second version'),
    },
    'Versions',
  )
  const site = await publishedSite(app, [space.id])
  const reader = readerOf(app, site.id)
  const { status, body } = await reader.get(`${api}/content/pages?format=markdown`)
  assert.is(status, 200)
  const texts = (body.pages as { path: string; markdown: string }[]).map(
    ({ path, markdown }) => `${path} ${/## (.*)/.exec(markdown)?.[1]}`,
  )
  assert.equal(texts.slice(1, 3), ['v1-api First version', 'v2-api Second version'])
  for (const { markdown = '' } of body.pages) assert.not.match(markdown, '{%')
})

test('a page shows operations of twenty files, and findings name the others', async () => {
  const names = Array.from({ length: 22 }, (_, i) => `s${i}.yaml`)
  const { api } = await makeSpace(
    app,
    {
      'README.md': `# Many\n\n${names.map(name => block(name)).join('\n')}\n${block('s0.yaml')}`,
      // Files that do not exist count, and take no time.
      's0.yaml': spec('Shown'),
      's20.yaml': spec('Not shown'),
      's21.yaml': spec('Not shown'),
    },
    'Many',
  )
  const { body } = await app.admin.get(`${api}/content/path/readme?evaluated=true`)
  assert.is(body.markdown.split('## Shown').length, 3)
  assert.not.match(body.markdown, '## Not shown')
  assert.match(body.markdown, 'src="s20.yaml"')
  const { items } = (await app.admin.get(`${api}/content/findings`)).body
  assert.equal(
    items.flatMap(({ kind, message }: { kind: string; message: string }) =>
      kind === 'missing-operation' ? message : [],
    ),
    ['s20.yaml', 's21.yaml'].map(
      name => `"${name}" is not shown: a page shows operations of at most 20 files.`,
    ),
  )
})

/** Returns the files of the newest commit, as far as specs need them. */
async function placeOf(spaceId: string, commit: Oid): Promise<FilesOfSpace> {
  const repo = spaceRepository(app.ctx, spaceId)
  const { files } = await listFiles(repo, commit)
  const fileByPath = new Map(files.map(file => [file.path, file]))
  return { spaceId, content: { config: { root: '' }, fileByPath } as unknown as ContentTree }
}

const headOf = async (repo: Repository) => (await readRef(repo, 'refs/heads/main'))!
const nodeAt = ({ content }: FilesOfSpace, path: string) => content.fileByPath.get(path)!
const pieceOf = (found: FileSpec) =>
  'versionId' in found ? findPiece(app.ctx.store, found.versionId, 'operation get /a') : found.why

const item = (summary: string) =>
  `x: {get: {summary: ${summary}, responses: {"200": {description: ok}}}}\n`
const { api, space, repo } = await makeSpace(
  app,
  { 'README.md': '# Start\n', 'a.yaml': referring('b.yaml#/x'), 'b.yaml': item('Published') },
  'Changing',
)
const published = await placeOf(space.id, await headOf(repo))
await commitFiles(repo, { 'b.yaml': item('Draft') })
const draft = await placeOf(space.id, await headOf(repo))
const file = nodeAt(draft, 'a.yaml')
const read = (place: FilesOfSpace, signal?: AbortSignal) => fileSpec(app.ctx, place, file, signal)

test('revisions that differ in another file have pieces of their own', async () => {
  const one = await read(published)
  const two = await read(draft)
  assert.match(pieceOf(one) ?? '', 'Published')
  assert.match(pieceOf(two) ?? '', 'Draft')
  assert.match(pieceOf(one) ?? '', 'Published', 'they are not replaced')
  assert.equal(await read(published), one)
  assert.equal(await read(draft), two)
})

test('a failure counts for this state of the other files alone', async () => {
  const other = { ...nodeAt(draft, 'b.yaml'), oid: '1'.repeat(40) as Oid }
  const fileByPath = new Map([
    ['a.yaml', file],
    ['b.yaml', other],
  ])
  const content = { ...draft.content, fileByPath } as unknown as ContentTree
  const damaged = { ...draft, content }
  const why = { why: 'It cannot be read now.', passes: true }
  assert.equal(await read(damaged), why)
  assert.match(pieceOf(await read(draft)) ?? '', 'Draft')
  const stop = AbortSignal.abort(new Error('It was read again.'))
  assert.equal(await read(damaged, stop), why, 'it is remembered')
})

test('a page is not kept while a file cannot be read', async () => {
  const made = await makeSpace(
    app,
    { 'README.md': `# Start\n\n${block('a.yaml')}`, 'a.yaml': spec('Readable') },
    'Passing',
  )
  const place = await placeOf(made.space.id, await headOf(made.repo))
  const fileId = idOfFile(made.space.id, nodeAt(place, 'a.yaml'))
  rememberFailure(app.ctx, fileId, new Map(), 'Not now.')
  const text = async () =>
    (await app.admin.get(`${made.api}/content/path/readme?evaluated=true`)).body.markdown
  assert.not.match(await text(), '## Readable')
  const kept = { others: new Map(), pieces: Buffer.from('["operation get /a","## Readable"]\n') }
  beginReading(app.ctx, made.space.id, fileId)
  await keepReading(app.ctx, made.space.id, fileId, kept)
  assert.match(await text(), '## Readable')
})

test('pages of sites and findings are not kept while a file cannot be read', async () => {
  const made = await makeSpace(
    app,
    {
      'README.md': `# Start\n\n${block('a.yaml')}`,
      'other.md': '# Other\n\n{% include ".gitbook/includes/part.md" %}\n',
      '.gitbook/includes/part.md': `---\ntitle: Part\n---\n\n${block('../../a.yaml')}`,
      'a.yaml': spec('Readable'),
    },
    'Passing sites',
  )
  const site = await publishedSite(app, [made.space.id])
  const { urls } = (await app.admin.get(`/v1/orgs/acme/sites/${site.id}`)).body
  const place = await placeOf(made.space.id, await headOf(made.repo))
  const fileId = idOfFile(made.space.id, nodeAt(place, 'a.yaml'))
  const pages = ['', 'other', 'README.md', 'other.md', 'llms-full.txt']
  const shown = async () => {
    const texts: boolean[] = []
    for (const path of pages) {
      const text = await (await fetch(urls.published.replace(/\/?$/, `/${path}`))).text()
      texts.push(text.includes('Readable'))
    }
    return texts
  }
  const found = async () =>
    (await app.admin.get(`${made.api}/content/findings?kind=missing-operation`)).body.count

  rememberFailure(app.ctx, fileId, new Map(), 'Not now.')
  assert.equal(
    await shown(),
    pages.map(() => false),
  )
  assert.is(await found(), 2)
  const kept = { others: new Map(), pieces: Buffer.from('["operation get /a","## Readable"]\n') }
  beginReading(app.ctx, made.space.id, fileId)
  await keepReading(app.ctx, made.space.id, fileId, kept)
  assert.equal(
    await shown(),
    pages.map(() => true),
  )
  assert.is(await found(), 0)
})

test('reading a file stops when nobody waits for it', async () => {
  await commitFiles(repo, { 'b.yaml': item('Later') })
  const later = await placeOf(space.id, await headOf(repo))
  const stop = new AbortController()
  const reading = read(later, stop.signal)
  stop.abort(new Error('closed'))
  await reading.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'closed'),
  )
  assert.match(pieceOf(await read(later)) ?? '', 'Later')
})

test('the readings that were unused for longest are deleted', async () => {
  const { ctx } = app
  const bytes = Buffer.from('["k","v"]\n')
  for (let i = 0; i < 110; i++) {
    const fileId = idOfFile('many', { path: `f${i}`, oid: file.oid })
    beginReading(ctx, 'many', fileId)
    const kept = { others: new Map(), pieces: bytes }
    assert.ok(await keepReading(ctx, 'many', fileId, kept))
    const first = idOfFile('many', { path: 'f0', oid: file.oid })
    assert.ok(findReading(ctx, { ...draft, spaceId: 'many' }, first), `${i}`)
  }
  assert.is(listOutlined(ctx.store, specOfFiles('many')).length, 200)
})

test('what is deleted while it is read stays deleted', async () => {
  const { ctx } = app
  const fileId = idOfFile(space.id, { path: 'gone.yaml', oid: file.oid })
  beginReading(ctx, space.id, fileId)
  await forgetOtherVersions(ctx, specOfFiles(space.id), [])
  const kept = { others: new Map(), pieces: Buffer.from('["k","v"]\n') }
  assert.is(await keepReading(ctx, space.id, fileId, kept), undefined)
  assert.equal(listOutlined(ctx.store, specOfFiles(space.id)), [])
})

test('the pieces of a purged space are deleted', async () => {
  await read(draft)
  assert.ok(listOutlined(app.ctx.store, specOfFiles(space.id)).length > 0)
  await app.admin.delete(api)
  deleteSpace(app.ctx.store, space.id)
  const job = { signal: new AbortController().signal, attempt: 1 }
  await purgeSpace(app.ctx, { spaceId: space.id }, job)
  assert.equal(listOutlined(app.ctx.store, specOfFiles(space.id)), [])
})

test.run()
