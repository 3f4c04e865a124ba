import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from '../change-requests/workbench.ts'
import { docxOf, paragraph, picture, run, text } from './docx.ts'
import { importAll } from './importing.ts'

let app: App
let space: Space
let writer: Actor

test.before(async () => {
  app = await startApp({ STEMMA_MAX_UPLOAD_MB: '3' })
  space = await makeSpace(app)
  writer = app.user('Wanda', 'edit')
})
test.after(() => app.stop())

test('a Word document becomes a page with its pictures', async () => {
  const bytes = docxOf(
    text('The plan', 'berschrift1') + paragraph(run('See ') + picture('p', 'a map')),
    {
      targets: { p: 'media/image1.png' },
      parts: [{ path: 'word/media/image1.png', bytes: 'png' }],
    },
  )
  const done = await importAll(writer, space.id, { 'My plan.docx': bytes })
  assert.is(done.status, 'completed', done.reason)
  assert.equal(done.findings, [])
  assert.is(done.pages[0].title, 'The plan')
  const read = (path: string) =>
    gitOutside(spaceRepository(app.ctx, space.id).dir, [
      'cat-file',
      'blob',
      `${done.revision}:${path}`,
    ])
  assert.is(read('the-plan.md'), '# The plan\n\nSee ![a map](<.gitbook/assets/My plan-1.png>)')
  assert.is(read('.gitbook/assets/My plan-1.png'), 'png')
})

test('a run that fails names what it found', async () => {
  const done = await importAll(writer, space.id, { 'old.docx': Buffer.from('old') })
  assert.is(done.status, 'failed')
  assert.match(done.reason, /There is no page in these files.*Word documents/)
  assert.is(done.findings.length, 1)
  assert.is(done.findings[0].path, 'old.docx')
})

test('a Word document that unpacks to more than an import may have is refused', async () => {
  const bomb = docxOf('', {
    parts: [{ path: 'word/document.xml', bytes: Buffer.alloc(4 * 1024 ** 2) }],
  })
  assert.ok(bomb.length < 20_000)
  const done = await importAll(writer, space.id, { 'bomb.docx': bomb })
  assert.is(done.status, 'failed')
  assert.match(done.reason, /"bomb\.docx\/word\/document\.xml" is larger than 3 MB/)
})

test.run()
