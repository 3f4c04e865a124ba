import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertPublicSite, openPage, siteApp } from '../open-page.ts'

const app = await siteApp()
test.after(() => app.stop())

const { base } = await insertPublicSite(app, {
  'README.md':
    '# Home\n\n<video controls>\n<source src="film.mp4">\n</video>\n\n<video src="film.mp4" poster="a.png"></video>\n',
  'a.png': 'image',
  'film.mp4': '0123456789',
})

test('a page plays recordings of the space, from any place in them', async () => {
  const { headers, text } = await openPage(app, base)
  assert.match(headers.get('content-security-policy') ?? '', "; media-src 'self' https:;")
  assert.match(text, / poster="[^"]*a\.png"/)
  const addresses = [...text.matchAll(/<source src="([^"]*)"/g)].map(([, address]) => address)
  assert.is(addresses.length, 2)

  for (const address of addresses) {
    const part = await openPage(app, address!, { Range: 'bytes=2-4' })
    assert.equal([part.status, part.text], [206, '234'])
    const named = ['content-type', 'content-range', 'accept-ranges', 'x-content-type-options']
    assert.equal(
      named.map(name => part.headers.get(name)),
      ['video/mp4', 'bytes 2-4/10', 'bytes', 'nosniff'],
    )
  }
})

test.run()
