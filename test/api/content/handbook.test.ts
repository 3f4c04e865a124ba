import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { parseTxtar } from '../../support/txtar.ts'

let app: App

test.before(async () => {
  app = await startApp()
})
test.after(async () => {
  await app.stop()
})

type Page = { type: string; title: string; path?: string; pages?: Page[] }

const outline = (pages: Page[], depth = 0): string[] =>
  pages.flatMap(({ type, title, path, pages: inner = [] }) => [
    `${'  '.repeat(depth)}${type} ${title}${path === undefined ? '' : ` (${path})`}`,
    ...outline(inner, depth + 1),
  ])

test('a repository with every kind of content is read correctly', async () => {
  const fixture = readFileSync(new URL('../../../fixtures/handbook.txtar', import.meta.url), 'utf8')
  const { space } = await makeSpace(app, parseTxtar(fixture).files)
  const path = `/v1/spaces/${space.id}/content`
  const { body } = await app.admin.get(path)

  assert.snapshot(
    outline(body.pages).join('\n'),
    [
      'document Welcome (START)',
      'document Archive (archive)',
      '  document Version 1 (archive/v1)',
      'group Guides (how-to)',
      '  document Set up (how-to/setup)',
      '    document On Linux (how-to/setup/linux)',
      '  document Gone (how-to/gone)',
      'link Status',
      'link Ports',
      'computed acme',
    ].join('\n'),
  )
  assert.equal(body.variables, { product: 'Nimbus', max_nodes: 12, beta: true })
  assert.is(body.reusableContents[0].title, 'A warning')
  assert.equal(body.files.map((file: { name: string }) => file.name).sort(), [
    'cover.svg',
    'unlisted.md',
  ])
  const [welcome] = body.pages

  assert.is(welcome.emoji, '👋')
  assert.is(welcome.description, 'Where to begin')
  assert.is(welcome.cover.yPos, 12)
  assert.equal(welcome.variables, { port: 8443 })
  const { body: setup } = await app.admin.get(`${path}/path/old/setup`)

  assert.is(setup.title, 'Set up')
  assert.is(setup.layout.width, 'wide')
  assert.is(setup.layout.outline, false)
})

test.run()
