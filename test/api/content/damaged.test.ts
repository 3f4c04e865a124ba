import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles, gitOutside, main } from '../../support/git/repo.ts'

const app = await startApp()

test.after(() => app.stop({ damaged: true }))

test('a response without an unreadable page is not cached', async () => {
  const { api, repo } = await makeSpace(app, { 'README.md': '# One\n' })
  const oid = await commitFiles(repo, { 'two.md': '# The second page\n' })
  const blob = gitOutside(repo.dir, ['rev-parse', `${main}:two.md`])
  const file = join(repo.dir, 'objects', blob.slice(0, 2), blob.slice(2))

  renameSync(file, `${file}.away`)
  const paths = [`${api}/content/pages`, `${api}/revisions/${oid}/pages`]
  const tags: (string | null)[] = []

  for (const path of paths)
    for (let i = 0; i < 3; i++) {
      const { status, text, headers } = await app.admin.get(path)
      assert.is(status, 200, text)
      assert.not.match(text, /The second page/)
      assert.not.match(headers.get('cache-control') ?? '', /immutable|max-age/)
      tags.push(headers.get('etag'))
    }

  renameSync(`${file}.away`, file)

  for (const path of paths) {
    const known = tags.filter(tag => tag !== null).join(', ')
    const { status, text } = await app.admin.get(path, known ? { 'if-none-match': known } : {})
    assert.is(status, 200)
    assert.match(text, /The second page/)
  }
})

/** What may happen to the files of a repository while the server runs. */
const damages: Record<string, (dir: string) => void> = {
  'a missing folder': dir => rmSync(dir, { recursive: true }),
  'a missing folder of objects': dir => rmSync(join(dir, 'objects'), { recursive: true }),
  'missing objects': dir => {
    for (const name of readdirSync(join(dir, 'objects')))
      rmSync(join(dir, 'objects', name), { recursive: true })
  },
  'missing refs': dir => rmSync(join(dir, 'refs'), { recursive: true }),
  'overwritten packed refs': dir => writeFileSync(join(dir, 'packed-refs'), 'overwritten\n'),
  'an overwritten HEAD': dir => writeFileSync(join(dir, 'HEAD'), 'overwritten\n'),
  'a detached HEAD': dir => writeFileSync(join(dir, 'HEAD'), `${'0'.repeat(40)}\n`),
  'an overwritten configuration': dir => writeFileSync(join(dir, 'config'), '[overwritten\n'),
}

for (const [name, damage] of Object.entries(damages))
  test(`a repository with ${name} is reported with the command that repairs it`, async () => {
    const { api, repo, space } = await makeSpace(app, { 'README.md': '# One\n' })
    const { number } = (await app.admin.post(`${api}/change-requests`, { subject: 'A' })).body
    const page = (await app.admin.get(`${api}/content/pages`)).body.pages[0].id
    const change = `${api}/change-requests/${number}`
    const changes = [{ operation: 'update_page', page, document: { markdown: 'Two.\n' } }]
    const reads = [
      api,
      `${api}/content`,
      `${api}/content/pages`,
      `${api}/content/files`,
      `${api}/content/page/${page}`,
      `${api}/content/page/${page}/links`,
      `${api}/links`,
      `${api}/search?query=one`,
      `${api}/revisions`,
      `${api}/change-requests`,
      change,
      `${change}/content/pages`,
      `${change}/changes`,
      `${api}/pdf`,
    ]
    const writes: [path: string, body: unknown][] = [
      [`${api}/content`, { changes }],
      [`${change}/content`, { changes }],
      [`${api}/change-requests`, { subject: 'Another' }],
      [`${change}/update`, {}],
      [`${change}/merge`, {}],
      [`${api}/duplicate`, {}],
      [`${api}/comments`, { body: { markdown: 'Why?' }, page }],
    ]
    app.ctx.processes.closeRepository(repo.dir)
    damage(repo.dir)

    const replies = [
      ...(await Promise.all(reads.map(path => app.admin.get(path)))),
      ...(await Promise.all(writes.map(([path, body]) => app.admin.post(path, body)))),
    ]

    const failed = replies.filter(({ status }) => status >= 400)
    assert.ok(failed.length > 0)
    for (const { text } of failed) {
      assert.is(JSON.parse(text).error.reason, 'content_damaged', text)
      assert.ok(text.includes(`stemma repair --space ${space.id}`), text)
    }
  })

test.run()
