import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { api } from '../../src/api/routes.ts'
import { startApp } from '../support/app.ts'
import { steepIn } from './measure.ts'
import { type Kind, kinds } from './pages.ts'
import { contentReads } from './requests.ts'

// Four times as much content must cost at most five times the work. `npm run test:work` measures
// every kind of page alone and in more sizes; here several kinds share a page.

const app = await startApp({ NODE_ENV: 'production' })
test.after(() => app.stop())

const isPage = ({ name }: Kind) => !name.includes('table of contents')

/** One page of several kinds, one after another. */
const together = (some: readonly Kind[]): Kind => ({
  name: some.map(({ name }) => name).join(', '),
  files: (bytes, salt) => {
    const files = some.map(kind => kind.files(Math.min(bytes, kind.bytes ?? bytes), salt))
    return { ...files[0], 'page.md': files.map(each => each['page.md']).join('\n\n') }
  },
})

const pages = kinds.filter(isPage)
const groups = [0, 1].map(group => together(pages.filter((_, at) => at % 2 === group)))
const alone = kinds.filter(
  kind =>
    !isPage(kind) || /^(?:expressions|conditions) on one line$|^empty list items$/.test(kind.name),
)

test('every operation that reads content is measured', () => {
  const reads = Object.keys(api).filter(
    key =>
      /^GET .*\/(?:content|revisions|search|links|pdf|changes)\b/.test(key) &&
      !key.includes('/openapi/'),
  )
  const left = reads.filter(
    key => !contentReads.includes(key) && !/:fileId|:reusableContentId/.test(key),
  )
  assert.equal(left, [])
  assert.ok(contentReads.length > 25, contentReads.join('\n'))
})

for (const kind of [...alone, ...groups])
  test(`work grows in proportion to content: ${kind.name}`, async () => {
    const bytes = isPage(kind) && alone.includes(kind) ? 20_000 : 4_000
    // Four times the content costs four times the work, sixteen times if it grows with the square.
    // The limit is between them, because the processor is shared with other test files.
    assert.equal(await steepIn(app, kind, bytes, 8), [])
  })

test.run()
