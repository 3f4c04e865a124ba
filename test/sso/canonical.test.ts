import { createRequire } from 'node:module'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ExclusiveCanonicalization } from 'xml-crypto'
import { canonicalForm } from '../../src/sso/canonical.ts'
import { parseXml } from '../../src/sso/xml.ts'
import { runs } from '../support/long-run.ts'

// The parser that xml-crypto itself uses.
const { DOMParser } = createRequire(import.meta.resolve('xml-crypto'))('@xmldom/xmldom') as {
  DOMParser: new () => {
    parseFromString: (xml: string, type: string) => { documentElement: never }
  }
}

/** Returns the exclusive canonical form that node-saml verifies signatures with. */
const formOf = (xml: string, inclusiveNamespacesPrefixList: string[] = []): string =>
  new ExclusiveCanonicalization().process(
    new DOMParser().parseFromString(xml.replace(/\r\n?/g, '\n'), 'text/xml').documentElement,
    { inclusiveNamespacesPrefixList },
  )

const canonical = (xml: string, inclusive: readonly string[] = []) =>
  canonicalForm(parseXml(xml), inclusive, 1_000_000)

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'é',
      '&amp;',
      '&lt;',
      '&gt;',
      '&quot;',
      '&#13;',
      '&#x9;',
      '\n',
      '\r\n',
      '\t',
      ' ',
      '>',
    ),
  )
  .map(parts => parts.join(''))
const value = text.map(each => each.replaceAll('>', 'x'))
const prefix = fc.constantFrom('p:', 'q:', '')

/** Documents with namespaces that are declared, changed, repeated and unused. */
const { element } = fc.letrec<{ element: string; content: string }>(tie => ({
  element: fc
    .tuple(
      prefix,
      fc.uniqueArray(
        fc.constantFrom('xmlns:p="urn:p1"', 'xmlns:p="urn:p2"', 'xmlns:q="urn:q"', 'xmlns="urn:d"'),
        {
          selector: each => each.split('=')[0],
        },
      ),
      fc.uniqueArray(fc.tuple(fc.constantFrom('b', 'a', 'p:a', 'q:b'), value), {
        selector: ([name]) => name,
      }),
      fc.array(tie('content'), { maxLength: 3 }),
    )
    .map(([before, declared, attributes, content]) => {
      const written = attributes.map(([name, each]) => `${name}="${each}"`)
      return `<${[`${before}e`, ...written, ...declared].join('  ')}>${content.join('')}</${before}e>`
    }),
  content: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constant('<![CDATA[<&]]>'),
    fc.constant('<!-- c -->'),
    tie('element'),
  ),
}))

test('the exclusive canonical form is that of xml-crypto', () => {
  fc.assert(
    fc.property(element, content => {
      const xml = `<root xmlns:p="urn:p0" xmlns:q="urn:q0">${content}</root>`
      assert.is(canonical(xml), formOf(xml))
    }),
    { numRuns: runs(300) },
  )
})

test('listed prefixes are declared where they are in scope, also unused', () => {
  const xml = '<a xmlns="urn:d" xmlns:xs="urn:xs" xmlns:un="urn:un"><b t="xs:string"/></a>'
  const form = '<a xmlns="urn:d" xmlns:xs="urn:xs"><b t="xs:string"></b></a>'
  assert.is(canonical(xml, ['xs', 'absent']), form)
  assert.is(formOf(xml, ['xs', 'absent']), form)
})

test('a form above the limit, or with a prefix that is not declared, does not exist', () => {
  const long = `<a xmlns:p="${'u'.repeat(100_000)}">${'<p:b/>'.repeat(199)}</a>`
  assert.is(canonicalForm(parseXml(long), [], 4096), undefined)
  assert.is(canonical('<a p:b=""/>'), undefined)
  assert.is(canonical('<a xml:lang="en"/>'), '<a xml:lang="en"></a>')
})

test.run()
