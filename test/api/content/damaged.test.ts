import { renameSync } from 'node:fs'
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

test.run()
