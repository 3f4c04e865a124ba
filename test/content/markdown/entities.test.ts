import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeEntities, entityAt } from '../../../src/content/markdown/entities.ts'

const known: [reference: string, text: string][] = [
  ['&amp;', '&'],
  ['&nbsp;', '\u00a0'],
  ['&CounterClockwiseContourIntegral;', '∳'],
  ['&#35;', '#'],
  ['&#x1F600;', '😀'],
  ['&#0;', '\ufffd'],
  ['&#xD800;', '\ufffd'],
  ['&#x110000;', '\ufffd'],
]
for (const [reference, text] of known)
  test(`${reference} is ${JSON.stringify(text)}`, () => {
    assert.equal(entityAt(`x${reference}`, 1), { text, length: reference.length })
    assert.is(decodeEntities(`a${reference}b`), `a${text}b`)
  })

for (const text of ['&amp', '&unknown;', '&;', '&#;', '&#x;', '&#12345678;', '& amp;', 'amp;'])
  test(`${text} is text`, () => {
    assert.is(entityAt(text, 0), undefined)
    assert.is(decodeEntities(text), text)
  })

test('resolving a text is resolving each reference once', () => {
  const parts = fc.constantFrom('&', '#', ';', 'x', 'amp', 'lt', '38', ' ', '&amp;', '&#38;')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), list => {
      const source = list.join('')
      let resolved = ''
      for (let at = 0; at < source.length; ) {
        const found = entityAt(source, at)
        resolved += found?.text ?? source[at]
        at += found?.length ?? 1
      }
      assert.is(decodeEntities(source), resolved)
    }),
  )
})

test.run()
