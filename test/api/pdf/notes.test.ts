import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { notesHeader } from '../../../src/actions/made-files/print-files.ts'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { png } from '../../support/media/png.ts'
import { hasPoppler, textOfPdf } from '../../support/media/poppler.ts'
import { skip } from '../../support/skip.ts'

const app = await startApp()
test.after(() => app.stop())

test('images that cannot be shown are named on the title page and in the header', async () => {
  const { api } = await makeSpace(app, {
    'README.md': [
      '# Start\n',
      'In a line ![](broken.png) and ![](https://example.org/far.png).\n',
      '![](broken.png)\n',
      '![](图片.png)\n',
      '![](fine.png)\n',
    ].join('\n'),
    // A good header, and broken data after it.
    'broken.png': png(60, 40).subarray(0, 60),
    '图片.png': 'no image',
    'fine.png': png(60, 40),
  })
  const { url } = (await app.admin.get(`${api}/pdf`)).body as { url: string }

  // The first time it is made, and the second time it is found.
  for (let time = 0; time < 2; time++) {
    const reply = await fetch(url)
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.is(reply.status, 200, bytes.toString().slice(0, 300))
    const header = reply.headers.get('x-print-notes') ?? ''
    assert.match(header, '2 images are not shown: ')
    assert.match(header, 'broken.png (cannot be decoded)')
    assert.match(header, `${encodeURIComponent('图片')}.png (not an image that can be read)`)
    if (!hasPoppler()) return skip('poppler-utils is not installed: the text is not checked')
    const [title = '', ...pages] = textOfPdf(bytes)
    const said = title.replace(/\s+/g, ' ')
    assert.match(said, 'broken.png (cannot be decoded)')
    assert.match(said, '图片.png')
    assert.match(pages.join(' '), /In a line broken\.png and far\.png/)
  }
})

test('the header of notes is short ASCII, whatever the names', () => {
  const header = (notes: string[]) => notesHeader({ path: '', notes })['X-Print-Notes'] ?? ''
  assert.is(header(['One.', 'Two é.']), 'One. Two %C3%A9.')
  const long = header(['Short.', `10 images are not shown: ${'\u56fe'.repeat(1_000)}😀\ud800.`])
  assert.ok(long.length <= 2_048, `${long.length} characters`)
  assert.match(long, /^Short\. 10 images are not shown: (?:%[0-9A-F]{2})+ \.\.\.$/)
  assert.is(long.split('%').length % 3, 1)
  assert.is(Object.keys(notesHeader({ path: '', notes: [] })).length, 0)
})

test.run()
