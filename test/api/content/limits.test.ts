import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { collectGarbage, cpuTime } from '../../support/cpu-time.ts'

const app = await startApp()
test.after(() => app.stop())
const editor = app.admin

const insert = (markdown: string) => [
  { operation: 'insert_page', title: 'Long', document: { markdown } },
]
const tooLarge = /^Change 0 \(insert_page\): |The page has more than 100,000 blocks/

test('every way to write a page refuses too many blocks', async () => {
  const { api } = await makeSpace(app)
  const changes = insert('* a\n'.repeat(60_000))
  const direct = await editor.post(`${api}/content`, { changes })
  assert.is(direct.status, 413)
  assert.match(direct.body.error.message, tooLarge)
  assert.equal(direct.body.details, { limit: 'blocks', most: 100_000 })
  const { body } = await editor.post(`${api}/change-requests`, { subject: 'Long' })
  const proposed = await editor.post(`${api}/change-requests/${body.number}/content`, { changes })

  assert.is(proposed.status, 413)
  const marks = await editor.post(`${api}/content`, { changes: insert('[](a) '.repeat(300_001)) })

  assert.is(marks.status, 413)
  assert.match(marks.body.error.message, /more than 300,000 links/)
  const fine = await editor.post(`${api}/content`, { changes: insert('* a\n'.repeat(40_000)) })

  assert.is(fine.status, 200)
})

test('a pushed page that is too large is returned as written, has an issue, and cannot be evaluated', async () => {
  const text = `${'*\n'.repeat(100_001)}<code class="expression">1 + 1</code>\n\n[a](gone.md) armadillo\n`
  const { api } = await makeSpace(app, {
    'README.md': '# Start\n',
    'SUMMARY.md': '* [Start](README.md)\n* [Long](long.md)\n',
    'long.md': text,
  })
  const page = await editor.get(`${api}/content/path/long`)
  assert.is(page.status, 200)
  assert.is(page.body.markdown, text)
  const { body: revision } = await editor.get(`${api}/content`)

  assert.match(
    revision.issues.find((issue: { path?: string }) => issue.path === 'long.md')?.message,
    /more than 100,000 blocks/,
  )
  const evaluated = await editor.get(`${api}/content/path/long?evaluated=true`)

  assert.is(evaluated.status, 413)
  assert.match(evaluated.body.error.message, tooLarge)
  const links = await editor.get(`${api}/links`)

  assert.is(links.body.stats.total, 0)
  const renamed = await editor.post(`${api}/content`, {
    changes: [{ operation: 'update_page', page: page.body.id, slug: 'other', title: 'Other' }],
  })

  assert.is(renamed.status, 200, renamed.text)
  let found = await editor.get(`${api}/search?query=other`)

  for (; found.status === 503; found = await editor.get(`${api}/search?query=other`))
    await setTimeout(50)
  assert.is(found.body.items.length, 1)
  const { body: print } = await editor.get(`${api}/pdf?page=${page.body.id}`)
  const pdf = await fetch(print.url)

  assert.is(pdf.status, 413)
  assert.match(await pdf.text(), /more than 100,000 blocks/)
})

/** A page whose evaluation takes seconds. */
const long = Array.from(
  { length: 40_000 },
  (_, at) => `<code class="expression">"${at}".repeat(9)</code> `,
).join('')

/** Sends a request, and aborts it after this many milliseconds. */
const hangUp = (path: string, ms: number): Promise<void> =>
  new Promise(resolve => {
    const headers = { authorization: `Bearer ${editor.token}` }
    const request = get(app.url + path, { agent: false, headers }, response => response.resume())
    request.on('error', () => {})
    request.on('close', resolve)
    void setTimeout(ms).then(() => request.destroy())
  })

test('two simultaneous requests for a page share the work, even if one of them is aborted', async () => {
  const files = (name: string) => ({
    'README.md': `# ${name}\n\n${long}`,
    'SUMMARY.md': '* [Start](README.md)\n',
  })
  const one = await makeSpace(app, files('One'))
  const two = await makeSpace(app, files('Two'))
  const read = (api: string) => editor.get(`${api}/content/path/readme?evaluated=true`)

  for (const { api } of [one, two]) await editor.get(`${api}/content/pages`)
  const costs = async (work: () => Promise<unknown>) => {
    collectGarbage()
    const before = cpuTime()
    await work()
    return cpuTime() - before
  }
  const alone = await costs(async () => assert.is((await read(one.api)).status, 200))
  const path = `${two.api}/content/path/readme?evaluated=true`
  const together = await costs(async () => {
    const [first, second] = await Promise.all([
      read(two.api),
      read(two.api),
      hangUp(path, 20),
      hangUp(path, 40),
    ])
    assert.is(first.status, 200)
    assert.is(first.text, second.text)
  })

  assert.ok(together < alone * 2 + 200, `alone ${alone} ms, four together ${together} ms`)
})

test('the work for a response ends when the request is aborted', async () => {
  const { api } = await makeSpace(app, {
    'README.md': `# Three\n\n${long}`,
    'SUMMARY.md': '* [Start](README.md)\n',
  })

  await editor.get(`${api}/content/pages`)
  collectGarbage()
  const whole = cpuTime()

  assert.is((await editor.get(`${api}/content/path/readme?evaluated=true`)).status, 200)
  const cost = cpuTime() - whole

  collectGarbage()
  const before = cpuTime()

  await Promise.all(
    [
      'metadata=false&evaluated=true',
      'evaluated=deterministic-only',
      'metadata=false&evaluated=deterministic-only',
    ].map(query => hangUp(`${api}/content/path/readme?${query}`, 30)),
  )
  await setTimeout(1_500)
  const took = cpuTime() - before

  assert.ok(
    took < cost,
    `one answer takes ${cost} ms of work; three that nobody waited for took ${took} ms`,
  )
})

test.run()
