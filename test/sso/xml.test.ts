import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { limits } from '../../src/sso/limits.ts'
import { readResponse } from '../../src/sso/read-response.ts'
import { Refused } from '../../src/sso/reasons.ts'
import { parseXml } from '../../src/sso/xml.ts'
import { leastCpuTime } from '../support/cpu-time.ts'

const isRefused = (document: string) => {
  try {
    parseXml(document)
    return false
  } catch (error) {
    if (error instanceof Refused && error.reason === 'document') return true
    throw error
  }
}

test('elements have their namespace, attributes and text', () => {
  const root = parseXml(
    '<?xml version="1.0" encoding="UTF-8"?>\n<a:x xmlns:a="urn:a" b="&lt;&#65;&#x42;"><!-- c --><y xmlns="urn:y">t<![CDATA[<&]]>&amp;</y></a:x>\n',
  )
  assert.equal(
    [root.namespace, root.name, root.attributes.get('b'), root.hasComment],
    ['urn:a', 'x', '<AB', true],
  )
  const [child] = root.children
  assert.equal([child?.namespace, child?.name, child?.text], ['urn:y', 'y', 't<&&'])
})

test('anything but plain elements and text is refused', () => {
  const documents = [
    '',
    'text',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '<a>&x;</a>',
    '<a>&amp</a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<?xml-stylesheet href="x"?><a/>',
    '<a><?php x?></a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a>',
    '</a>',
    '<a/><b/>',
    '<a/>text',
    '<a b="1" b="2"/>',
    '<a b=1/>',
    '<a b/>',
    '<a b="<"/>',
    '<p:a/>',
    '<a:b:c/>',
    '< a/>',
    '<a>]]></a>',
    '<a><!-- -- --></a>',
    '<a\0/>',
    `${'<a>'.repeat(65)}${'</a>'.repeat(65)}`,
    `<a>${'<b/>'.repeat(limits.children + 1)}</a>`,
    `<a>${`<b>${'<c/>'.repeat(9)}</b>`.repeat(limits.elements / 10)}</a>`,
  ]
  for (const document of documents) assert.ok(isRefused(document), document.slice(0, 60))
})

test('a form field must be base64 of UTF-8 of limited length', () => {
  const reasonOf = (text: string) => {
    try {
      readResponse(text)
    } catch (error) {
      return (error as Refused).reason
    }
    return 'none'
  }
  const encoded = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64')
  assert.is(reasonOf('<a/>'), 'form')
  assert.is(reasonOf('****'), 'form')
  assert.is(reasonOf(encoded(`<a>${' '.repeat(limits.bytes)}</a>`)), 'form')
  assert.is(reasonOf(encoded(Buffer.from('<a/>', 'utf16le'))), 'document')
  assert.is(reasonOf(encoded(Buffer.from([0x3c, 0x61, 0xff, 0x2f, 0x3e]))), 'document')
  assert.is(reasonOf(`\r\n${encoded('<a/>')}`), 'none')
})

test('hostile documents are refused in time that grows with their length', () => {
  const size = 200_000
  const hostile = [
    '<a '.repeat(size / 3),
    `<a${' '.repeat(size)}`,
    `<a ${'b="" '.repeat(size / 5)}`,
    '<'.repeat(size),
    '&'.repeat(size),
    '<!--'.repeat(size / 4),
    '<![CDATA['.repeat(size / 9),
    '<a>'.repeat(size / 3),
    `<a>${'<b/>'.repeat(size / 4)}`,
    `<a ${Array.from({ length: 9_000 }, (_, n) => `xmlns:n${n}=""`).join(' ')}>${'<b/>'.repeat(19_000)}</a>`,
    `<a>${Array.from({ length: 5_000 }, (_, n) => `<b xmlns:n${n}=""/>`).join('')}</a>`,
  ]

  for (const document of hostile) {
    const spent = leastCpuTime(() => assert.ok(isRefused(document)), 1_000)
    assert.ok(spent < 1_000, `${document.slice(0, 20)} took ${spent} ms`)
  }
})

test.run()
