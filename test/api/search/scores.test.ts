import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { holdSearch } from '../../support/hold-search.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const search = (api: string, more = '') =>
  app.admin.get(`${api}/search?query=quokka+numbat+potoroo${more}`)

test('the scores of pages with some of the words tell only their order', async () => {
  const page = (text: string) => `# Page\n\n${text}\n`
  const files = {
    'a.md': page('A quokka beside a numbat.'),
    'b.md': page('A quokka beside a potoroo.'),
    'c.md': page('A numbat and a numbat.'),
  }
  const more = { 'd.md': page('A numbat.'), 'e.md': page('A potoroo.') }
  const seen: unknown[] = []

  for (const each of [files, { ...files, ...more }]) {
    const { api } = await makeSpace(app, each)
    const { body } = await search(api)
    seen.push(body.items.slice(0, 2).map(({ score }: { score: number }) => score))
    const parts: string[] = []
    for (let next = ''; ; ) {
      const part = (await search(api, `&limit=1${next}`)).body
      parts.push(part.items[0].id)
      if (!part.next) break
      next = `&page=${encodeURIComponent(part.next.page)}`
    }
    assert.equal(
      parts,
      body.items.map(({ id }: { id: string }) => id),
    )
  }

  assert.equal(seen[0], seen[1])
})

test('a word that a page has is no beginning of others, whatever else is on the pages', async () => {
  const marks = [
    '',
    '<!-- A licence. -->',
    '<code title="x">x</code>',
    "{% if visitor.claims.team == 'a' %}x{% endif %}",
  ]
  for (const mark of marks) {
    const { api } = await makeSpace(app, {
      'a.md': `# A\n\n${mark}\n\nA quokka.\n`,
      'b.md': `# B\n\n${mark}\n\nA port.\n`,
      'c.md': `# C\n\n${mark}\n\nA portal.\n`,
    })
    const { body } = await app.admin.get(`${api}/search?query=port+quokka`)
    const titles = body.items.map(({ title }: { title: string }) => title).sort()
    assert.equal(titles, ['A', 'B'], mark)
  }
})

test.run()
