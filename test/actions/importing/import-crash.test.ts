import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { docxOf, paragraph, picture, text } from '../../api/imports/docx.ts'
import { ended, start, upload } from '../../api/imports/importing.ts'
import { startStemma } from '../../cli/stemma.ts'
import { fsck, gitOutside } from '../../support/git/repo.ts'
import { openKillable } from '../../support/killable.ts'
import { until } from '../../support/until.ts'

const organization = 'default'
const { dataDir, serve, end, running, remove } = await openKillable()

test.after(remove)

const documentOf = (words: string) =>
  docxOf(text('Once', 'berschrift1') + paragraph(picture('p', '')), {
    targets: { p: 'media/image1.png' },
    parts: [{ path: 'word/media/image1.png', bytes: words }],
  })

/** The points of a write at which the server is killed, and the answer to the request before any of them. */
const points = ['asked', 'W1', 'W3', 'W4', 'W5', 'W6'] as const

test('a server that is killed while it imports has imported once after the restart', async () => {
  let admin = await serve()
  const { body: space } = await admin.post(`/v1/orgs/${organization}/spaces`, { title: 'Crash' })
  const dir = spaceFolder(dataDir, space.id)
  await end('SIGTERM')

  for (const point of points) {
    const head = gitOutside(dir, ['rev-parse', 'HEAD'])
    admin = await serve(point === 'asked' ? {} : { STEMMA_CRASH_AT: point })
    const key = await upload(admin, 'once.docx', documentOf(point), organization)
    const { body: asked } = await start(admin, space.id, [key], {}, organization)
    if (point === 'asked') await end('SIGKILL')
    await running()?.ended

    admin = await serve()
    const run = await ended(admin, asked.id, organization)
    assert.is(run.status, 'completed', `${point}: ${run.reason}`)
    assert.is(run.revision, gitOutside(dir, ['rev-parse', 'HEAD']), point)
    assert.is(gitOutside(dir, ['rev-list', '--count', `${head}..HEAD`]), '1', point)
    const added = gitOutside(dir, ['diff', '--name-status', head, 'HEAD'])
    assert.match(
      added,
      /^A\t\.gitbook\/assets\/once-1[^\n]*\.png\nM\tSUMMARY\.md\nA\tonce[^\n]*\.md$/,
    )
    await until('the uploads are removed', () =>
      readdirSync(join(dataDir, 'uploads')).length === 0 ? true : undefined,
    )
    await end('SIGTERM')
    fsck({ dir })
  }

  const { ended: verified } = startStemma(['verify'], { STEMMA_DATA: dataDir })
  assert.is((await verified).code, 0)
})

test.run()
