import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatTxtar, parseTxtar } from './txtar.ts'

test('an archive has a comment and files', () => {
  const { comment, files } = parseTxtar('about\n-- a/b.md --\n# A\n\n-- empty --\n-- c --\nlast')
  assert.is(comment, 'about\n')
  assert.equal({ ...files }, { 'a/b.md': '# A\n\n', empty: '', c: 'last' })
})

test('a formatted archive parses back unchanged', () => {
  const line = fc.stringMatching(/^[^-\r\n]*$/).map(text => `${text}\n`)
  const text = fc.array(line, { maxLength: 3 }).map(lines => lines.join(''))
  const files = fc.dictionary(
    fc.stringMatching(/^[a-z/ .]*[a-z]$/).filter(path => path.trim() === path),
    text,
    { noNullPrototype: true },
  )

  fc.assert(
    fc.property(text, files, (comment, files) => {
      const parsed = parseTxtar(formatTxtar({ comment, files }))
      assert.is(parsed.comment, comment)
      assert.equal(parsed.files, files)
    }),
  )
})

test.run()
