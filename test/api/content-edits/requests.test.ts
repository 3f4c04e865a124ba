import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'

let app: App
let space: Space
let editor: Actor

test.before(async () => {
  app = await startApp()
  space = await makeSpace(app)
  await space.commit({
    'README.md': '# Docs\n',
    'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [A](a.md)\n* [B](b.md)\n',
    'a.md': '# A\n\nOne.\n\nTwo.\n\nThree.\n',
    'b.md': '# B\n',
  })
  editor = space.user('Eva', 'edit')
})
test.after(() => app.stop())

const content = () => `/v1/spaces/${space.id}/content`
const insert = (title: string, more: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown: 'Text.' },
  ...more,
})
const edit = (...changes: object[]) => editor.post(content(), { changes })
const idOf = async (path: string, at = content()) =>
  (await editor.get(`${at}/path/${path}`)).body.id as string
const objects = () => gitOutside(space.repo.dir, ['count-objects', '-v']).split('\n')[0]

test('each role can edit only what it is allowed to', async () => {
  const reader = space.user('Rob', 'comment')
  const stranger = app.user('Stan')
  const made = await space.open(editor, 'Mine')
  const own = `${space.path}/${made.body.number}/content`

  for (const path of [content(), own]) {
    const body = { changes: [insert('Never')] }
    assert.is((await app.anonymous.post(path, body)).status, 401)
    assert.is((await stranger.post(path, body)).status, 404)
    assert.is((await reader.post(path, body)).status, 403)
  }

  assert.is(
    (await editor.post(`${space.path}/999/content`, { changes: [insert('x')] })).status,
    404,
  )
  const locked = await makeSpace(app, { edit_mode: 'locked' })
  const there = locked.user('Lou', 'admin')

  assert.is(
    (await there.post(`/v1/spaces/${locked.id}/content`, { changes: [insert('x')] })).status,
    403,
  )
  const request = await locked.open(there, 'In a locked space')
  const edited = await there.post(`${locked.path}/${request.body.id}/content`, {
    changes: [insert('x')],
  })

  assert.is(edited.status, 200, edited.text)
})

test('an edit of a change request has its response, branch and contributors, until it is closed', async () => {
  const made = (await space.open(editor, 'New things')).body
  const path = `${space.path}/${made.number}/content`
  const compat = await editor.post(path, { changes: [insert('First', { ref: 'first' })] })
  assert.is(compat.status, 200, compat.text)
  assert.is(compat.body.object, 'change-request')
  assert.is(compat.body.revision, await space.head(made.number))
  assert.is(compat.body.outdated, false)
  const full = await editor.post(`${path}?compat=false`, {
    changes: [
      insert('Second', {
        ref: 'second',
        document: { markdown: 'See [third](./third.md#x) and ![pic](./pic).' },
      }),
      insert('Third', { ref: 'third', slug: 'the-third' }),
      {
        operation: 'insert_files',
        files: [
          {
            name: 'p.png',
            ref: 'pic',
            contentType: 'image/png',
            base64:
              'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          },
        ],
      },
    ],
  })

  assert.is(full.status, 200, full.text)
  assert.equal(
    full.body.changes.map((outcome: { object: string; ref: string }) => [
      outcome.object,
      outcome.ref,
    ]),
    [
      ['created_page', 'second'],
      ['created_page', 'third'],
    ],
  )
  const [file] = full.body.insertedFiles

  assert.is(file.contentType, 'image/png')
  assert.equal(file.dimensions, { width: 1, height: 1 })
  const page = await editor.get(full.body.changes[0].page.urls.location.slice(app.url.length))

  assert.is(
    page.body.markdown,
    '# Second\n\nSee [third](the-third.md#x) and ![pic](.gitbook/assets/p.png).',
  )
  assert.is((await editor.get(`${content()}/path/second`)).status, 404)
  assert.match(
    gitOutside(space.repo.dir, ['log', '-1', '--format=%B', `change-requests/${made.number}`]),
    `Stemma-Change-Request: ${made.number}`,
  )
  const contributors = await editor.get(`${space.path}/${made.number}/contributors`)

  assert.is(contributors.body.items[0].count, 2)
  await editor.patch(`${space.path}/${made.number}`, { status: 'archived' })
  assert.is((await editor.post(path, { changes: [insert('Late')] })).status, 409)
  await editor.patch(`${space.path}/${made.number}`, { status: 'open' })
  assert.is((await editor.post(`${space.path}/${made.number}/merge`)).body.result, 'merge')
  assert.is((await editor.post(path, { changes: [insert('Too late')] })).status, 409)
  assert.is((await editor.get(`${content()}/path/second`)).status, 200)
})

test('a refused batch writes nothing, and the error names the change', async () => {
  const [head, before] = [await space.head(), objects()]
  const a = await idOf('a')
  const refusals: [number, object][] = [
    [404, { operation: 'update_page', page: 'nobody', title: 'x' }],
    [404, { operation: 'insert_page', document: {}, into: 'nobody' }],
    [404, { operation: 'delete_page', page: 'nobody' }],
    [404, { operation: 'delete_file', file: 'nobody' }],
    [404, { operation: 'revert_page', page: a, revision: 'a'.repeat(40) }],
    [400, { operation: 'revert_page', page: a }],
    [400, { operation: 'update_page', page: a, into: a }],
    [409, { operation: 'update_page', page: a, slug: 'b' }],
    [409, insert('B', { slug: 'B' })],
    [400, insert('B', { slug: '../b' })],
    [400, insert('B', { ref: 'a' })],
    [
      400,
      {
        operation: 'update_page',
        page: a,
        document: { document: { nodes: [{ object: 'block', type: 'odd' }] } },
      },
    ],
    [400, { operation: 'update_group', page: a, title: 'x' }],
    [400, { operation: 'delete_file', file: a }],
    [404, { operation: 'insert_link', title: 'x', target: { page: 'nobody' } }],
  ]

  for (const [status, change] of refusals) {
    const reply = await edit(insert('Fine'), change)
    assert.is(reply.status, status, `${JSON.stringify(change)}: ${reply.text}`)
    assert.match(reply.body.error.message, /^Change 1 \(\w+\): |revision/)
  }

  const shapes: object[] = [
    {},
    { changes: [] },
    { changes: Array(51).fill(insert('x')) },
    { changes: [{ operation: 'explode' }] },
    { changes: [insert('')] },
    { changes: [insert('x', { at: -1 })] },
    { changes: [insert('x', { color: 'red' })] },
    { changes: [{ operation: 'revert_page', page: a, block: ['x'] }] },
    { changes: [{ operation: 'insert_files', files: [{ name: 'a.png', base64: 'eA==' }] }] },
    { changes: [{ operation: 'insert_files', files: [{ name: 'a.png' }] }] },
    {
      changes: [
        { operation: 'insert_files', files: [{ name: 'a', contentType: 'x', base64: '*' }] },
      ],
    },
    { changes: [{ operation: 'insert_link', title: 'x', url: 'javascript:alert(1)' }] },
    { changes: [{ operation: 'insert_link', title: 'x' }] },
    { changes: [insert('x', { document: { document: { nodes: 'x' } } })] },
    { changes: [{ operation: 'set_variables', variables: { 'a-b': 1 } }] },
  ]

  for (const body of shapes) {
    const reply = await editor.post(content(), body)
    assert.is(reply.status, 400, JSON.stringify(body).slice(0, 200))
  }

  assert.is(await space.head(), head)
  assert.is(objects(), before)
})

test('a repeated request has one effect and the same response', async () => {
  const headers = { 'idempotency-key': 'once' }
  const body = { changes: [insert('Once')] }
  const first = await editor.post(content(), body, headers)
  const second = await editor.post(content(), body, headers)

  assert.is(first.status, 200, first.text)
  assert.equal(second.body, first.body)
  assert.is(second.headers.get('idempotent-replayed'), 'true')
  assert.is(await space.head(), first.body.revision)
  assert.is((await editor.post(content(), { changes: [insert('Twice')] }, headers)).status, 409)
})

test('simultaneous edits and a push in between lose nothing', async () => {
  const a = await editor.get(`${content()}/path/a`)
  const base = await space.head()
  const change = (from: string, to: string) => ({
    operation: 'update_page',
    page: a.body.id,
    baseRevision: base,
    document: { markdown: a.body.markdown.replace(from, to) },
  })
  const work = join('b.md', '# B\n\nPushed.\n')
  const replies = await Promise.all([
    edit(change('One.', '1.')),
    edit(change('Two.', '2.')),
    edit(change('Three.', '3.')),
    ...[1, 2, 3, 4, 5].map(n => edit(insert(`Page ${n}`))),
    work,
  ])

  for (const reply of replies) if (reply) assert.is(reply.status, 200, reply.text)
  await editor.get(content())
  assert.is(gitOutside(space.repo.dir, ['show', 'main:a.md']), '# A\n\n1.\n\n2.\n\n3.')
  assert.is(gitOutside(space.repo.dir, ['show', 'main:b.md']), '# B\n\nPushed.')
  for (const n of [1, 2, 3, 4, 5]) assert.ok(await idOf(`page-${n}`))
  const revisions = await editor.get(`/v1/spaces/${space.id}/revisions?limit=1000`)
  const log = gitOutside(space.repo.dir, ['rev-list', '--first-parent', 'main']).split('\n')

  assert.equal(
    revisions.body.items.map((item: { id: string }) => item.id),
    log,
  )
  fsck(space.repo)
})

/** Commits to main like a push, and retries if the branch has moved. */
async function join(path: string, text: string): Promise<undefined> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      await space.commit({ [path]: text })
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  throw new Error('The push never came through.')
}

test('changed, deleted and added pages are reverted', async () => {
  const made = (await space.open(editor, 'Reverts')).body
  const path = `${space.path}/${made.number}/content`
  const tree = () =>
    gitOutside(space.repo.dir, ['rev-parse', `change-requests/${made.number}^{tree}`])
  const before = tree()
  const [a, b] = [await idOf('a', path), await idOf('b', path)]
  const send = (...changes: object[]) => editor.post(`${path}?compat=false`, { changes })
  const added = await send(
    {
      operation: 'update_page',
      page: a,
      title: 'Another',
      slug: 'another',
      document: { markdown: 'New.' },
    },
    { operation: 'delete_page', page: b },
    insert('Added'),
  )

  assert.is(added.status, 200, added.text)
  const fresh = added.body.changes[2].page.id
  const back = await send(
    { operation: 'revert_page', page: a },
    { operation: 'revert_page', page: b },
    { operation: 'revert_page', page: fresh },
  )

  assert.is(back.status, 200, back.text)
  assert.is(tree(), before)
  assert.is(await idOf('a', path), a)
  assert.is(await idOf('b', path), b)
})

test('files are fetched from URLs, but never from the internal network', async () => {
  const server = createServer((req, res) => {
    if (req.url === '/loop') res.writeHead(302, { location: '/loop' }).end()
    else if (req.url === '/to') res.writeHead(302, { location: '/file' }).end()
    else if (req.url === '/file') res.end('bytes')
    else if (req.url === '/malformed') res.writeHead(302, { location: 'http://[bad' }).end()
    else if (req.url === '/packed')
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed bytes'))
    else res.writeHead(404).end()
  })

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const change = (url: string) => ({ operation: 'insert_files', files: [{ name: 'f.txt', url }] })
  const inner = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
  ]

  for (const host of inner) {
    const reply = await edit(change(`http://${host}/file`))
    assert.is(reply.status, 400)
    assert.match(
      reply.body.error.message,
      /^Change 0 \(insert_files\): "files\.0\.url" cannot be fetched: .*private or reserved/,
    )
  }

  const open = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })

  try {
    const there = await makeSpace(open)
    const path = `/v1/spaces/${there.id}/content`
    const url = `http://127.0.0.1:${port}`
    const reply = await open.admin.post(path, { changes: [change(`${url}/to`)] })

    assert.is(reply.status, 200, reply.text)
    assert.is(reply.body.insertedFiles[0].size, 5)
    const packed = await open.admin.post(path, { changes: [change(`${url}/packed`)] })

    assert.is(packed.body.insertedFiles[0].size, 'packed bytes'.length)
    for (const bad of ['/loop', '/none', '/malformed'])
      assert.is((await open.admin.post(path, { changes: [change(url + bad)] })).status, 400)
  } finally {
    await open.stop()
    server.close()
  }
})

test('groups, links, files and variables are edited', async () => {
  const made = (await space.open(editor, 'The rest')).body
  const path = `${space.path}/${made.number}/content`
  const a = await idOf('a', path)
  const send = (...changes: object[]) => editor.post(`${path}?compat=false`, { changes })
  const reply = await send(
    { operation: 'insert_group', title: 'Handbook', ref: 'hand' },
    insert('Rules', { into: 'hand' }),
    { operation: 'insert_link', title: 'Part of A', target: { page: a, anchor: 'two' } },
    {
      operation: 'insert_files',
      files: [{ name: 'old.txt', contentType: 'text/plain', base64: 'eA==' }],
    },
    { operation: 'set_variables', variables: { version: '1.2', beta: true } },
  )

  assert.is(reply.status, 200, reply.text)
  const show = (file: string) =>
    execFileSync('git', ['show', `change-requests/${made.number}:${file}`], {
      cwd: space.repo.dir,
      encoding: 'utf8',
    })

  assert.match(show('SUMMARY.md'), '* [Part of A](a.md#two)\n')
  assert.match(show('SUMMARY.md'), '\n## Handbook\n\n* [Rules](handbook/rules.md)\n')
  assert.is(show('.gitbook/vars.yaml'), 'version: "1.2"\nbeta: true\n')
  const [file] = reply.body.insertedFiles

  assert.is((await send({ operation: 'rename_file', file: file.id, name: 'new.txt' })).status, 200)
  const renamed = await editor.get(`${path}/files/${file.id}`)

  assert.is(renamed.body.name, 'new.txt')
  assert.is((await send({ operation: 'delete_file', file: file.id })).status, 200)
  assert.is((await editor.get(`${path}/files/${file.id}`)).status, 404)
})

test.run()
