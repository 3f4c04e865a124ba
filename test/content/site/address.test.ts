import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAddress } from '../../../src/content/site/address.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

test('an address is split into its parts', () => {
  assert.equal(parseAddress('https://Docs.Example.org:8443/API/Guide%20one?q=a%2Fb&x#part'), {
    host: 'docs.example.org',
    port: '8443',
    segments: ['API', 'Guide one'],
    untidy: false,
    search: '?q=a%2Fb&x',
    hash: '#part',
  })
})

test('the default port is left out', () => {
  assert.is(parseAddress('https://docs.example.org:443/').port, '')
  assert.is(parseAddress('http://docs.example.org:80').port, '')
  assert.is(parseAddress('http://docs.example.org:443').port, '443')
})

const paths: [string, string[], boolean][] = [
  ['', [], false],
  ['/', [], false],
  ['/a', ['a'], false],
  ['/a/', ['a'], false],
  ['//', [], true],
  ['/API//Guide/', ['API', 'Guide'], true],
  ['/a/./..//x', ['x'], true],
  ['/../../x', ['x'], true],
  ['/a/%2e%2E/b', ['b'], true],
  ['/a/%252e%252e/%252e%252e/b', ['b'], true],
  ['/100%25', ['100%'], false],
  ['/%C3%A9', ['é'], false],
  ['/é', ['é'], false],
  ['/a%2520b', ['a b'], false],
  ['/...', ['...'], false],
]
for (const [path, segments, untidy] of paths)
  test(`the path "${path}" is read as ${JSON.stringify(segments)}`, () => {
    const address = parseAddress(`https://docs.example.org${path}?q`)
    assert.equal([address.segments, address.untidy, address.search], [segments, untidy, '?q'])
  })

const refused: [string, RegExp][] = [
  ['https://docs.example.org@evil.example/', /user name or a password/],
  ['https://user:secret@docs.example.org/', /user name or a password/],
  ['https://@docs.example.org/', /user name or a password/],
  ['//evil', /not a valid URL/],
  ['/docs', /not a valid URL/],
  ['', /not a valid URL/],
  ['https:docs.example.org', /not a valid URL/],
  ['https:///docs.example.org', /not a valid URL/],
  ['https://docs.example.org:99999/', /not a valid URL/],
  ['https://docs%40evil.example/', /not a valid URL/],
  ['javascript:alert(1)', /not a valid URL/],
  ['ftp://docs.example.org/', /not a valid URL/],
  ['\\\\evil', /backslash/],
  ['https:\\\\evil/', /backslash/],
  ['https://docs.example.org\\@evil/', /backslash/],
  ['https://docs.example.org/a\\..\\b', /backslash/],
  ['https://docs.example.org/a%5Cb', /backslash/],
  ['https://docs.example.org/a%252Fb', /encoded slash/],
  ['https://docs.example.org/a%2Fb', /encoded slash/],
  ['https://docs.example.org/a\nb', /control character/],
  ['ht\ttps://docs.example.org/', /control character/],
  [' https://docs.example.org/', /space around/],
  ['https://docs.example.org/\0', /control character/],
  ['https://docs.example.org/%00', /control character/],
  ['https://docs.example.org/%2500', /control character/],
  ['https://docs.example.org/\ud800', /surrogate/],
  ['https://docs.example.org/%', /"%"/],
  ['https://docs.example.org/a%zz', /"%"/],
  ['https://docs.example.org/%ff', /"%"/],
  ['https://docs.example.org/%25ff', /"%"/],
  ['https://docs.example.org/%25252e', /more than twice/],
  [`https://docs.example.org/${'a'.repeat(5_000)}`, /too long/],
  [`https://docs.example.org/?${'a'.repeat(10_000)}`, /too long/],
]
for (const [text, reason] of refused)
  test(`${JSON.stringify(text.slice(0, 60))} is refused`, () => {
    const error = faultOf(text)
    assert.match(error.message, reason)
    assert.is(error.kind, 'invalid')
  })

function faultOf(text: string): Fault {
  try {
    parseAddress(text)
  } catch (error) {
    assert.instance(error, Fault)
    return error as Fault
  }
  return assert.unreachable('no fault was thrown') as never
}

test('every list of segments is read back from its address', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter(text => !/[\x00-\x1f\x7f/\\%]/.test(text) && text !== '.' && text !== '..')
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), fc.boolean(), (segments, twice) => {
      const write = (text: string) =>
        twice ? encodeURIComponent(encodeURIComponent(text)) : encodeURIComponent(text)
      const address = parseAddress(`https://docs.example.org/${segments.map(write).join('/')}`)
      assert.equal(address.segments, segments)
      assert.is(address.untidy, false)
    }),
    { numRuns: runs(500) },
  )
})

test('a tidy address has the host and the number of segments that a browser sees', () => {
  const part = fc.constantFrom(
    'a',
    'B',
    '.',
    '..',
    '',
    '%2e',
    '%2E%2e',
    'x.y',
    '%20',
    'é',
    '?',
    '#',
    '@',
    ':',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), parts => {
      const text = `https://docs.example.org/${parts.join('/')}`
      const address = parseAddress(text)
      const seen = new URL(text).pathname.split('/').filter(each => each !== '')
      assert.is(address.host, 'docs.example.org')
      if (!address.untidy) assert.is(address.segments.length, seen.length)
      assert.ok(address.segments.every(each => each !== '' && each !== '.' && each !== '..'))
    }),
    { numRuns: runs(800) },
  )
})

test('any text is an address or is refused', () => {
  const text = fc.oneof(
    fc.string(),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    anyText().map(each => `https://docs.example.org/${each}`),
    fc.string().map(each => `https://${each}/`),
  )
  fc.assert(
    fc.property(text, each => {
      try {
        const { segments } = parseAddress(each)
        assert.ok(segments.every(segment => !/[\x00/\\]/.test(segment)))
      } catch (error) {
        assert.instance(error, Fault)
      }
    }),
    { numRuns: runs(1000) },
  )
})

test.run()
