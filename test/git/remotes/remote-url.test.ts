import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { remoteError } from '../../../src/git/remotes/remote-errors.ts'
import { parseRemoteUrl, redact } from '../../../src/git/remotes/remote-url.ts'
import { resolveRemote } from '../../../src/git/remotes/remotes.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { isPublicAddress } from '../../../src/lib/public-address.ts'

const strict = { allowPrivate: false }
const inner = { allowPrivate: true }

function refusal(text: string, policy = strict): string {
  try {
    parseRemoteUrl(text, policy)
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'accepted'
}

test('an ordinary address is parsed into its parts', () => {
  const url = parseRemoteUrl('https://GitHub.com/a/b%20c.git', strict)
  assert.equal(
    { ...url },
    {
      href: 'https://github.com/a/b%20c.git',
      protocol: 'https',
      hostname: 'github.com',
      port: 443,
    },
  )
  assert.is(parseRemoteUrl('http://host:8080/x', inner).port, 8080)
  assert.is(parseRemoteUrl('https://[2606:4700::1111]:8443/x', strict).hostname, '2606:4700::1111')
  assert.is(url.credentials, undefined)
})

test('credentials are separated and not visible', () => {
  const url = parseRemoteUrl('https://me:s%40cret%21@host.org/x.git', strict)
  assert.equal(url.credentials, { username: 'me', password: 's@cret!' })
  assert.is(url.href, 'https://host.org/x.git')
  assert.not.match(JSON.stringify({ ...url }) + JSON.stringify(url), /cret/)
  assert.equal(parseRemoteUrl('https://TOKEN@host.org/x', strict).credentials, {
    username: 'TOKEN',
    password: '',
  })
})

test('every scheme but https is refused', () => {
  const bad = [
    'ext::sh -c "touch /tmp/x"',
    'Ext::x',
    'zz:',
    '--upload-pack=touch /tmp/x',
    '-u',
    '/etc',
    './x',
    '.',
    '',
    'file:///etc',
    'ssh://-oProxyCommand=x/y',
    'git@host:x',
    'git://host/x',
    'ftp://host/x',
    'fd::17',
    'dict://h',
    'http::http://h/x',
    'https:host/x',
    'https:/host/x',
    ' https://host/x',
    'http://host/x',
    'javascript:1',
    'https::https://h/x',
  ]

  for (const text of bad) assert.is(refusal(text), 'remote_scheme', text)
  assert.is(refusal('file:///etc', inner), 'remote_scheme')
})

test('private addresses are refused in every spelling', () => {
  const hosts = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST:80',
    'x.localhost',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '１２７.０.０.１',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '10.0.0.1',
    '[::ffff:a00:1]',
    '[64:ff9b::a00:1]',
  ]

  for (const host of hosts) assert.is(refusal(`https://${host}/x`), 'remote_blocked', host)
  assert.is(refusal('http://127.0.0.1:8080/x', inner), 'accepted')
})

test('ports of other protocols are refused, as in browsers', () => {
  for (const port of [22, 25, 6000, 6667, 10080])
    for (const policy of [strict, inner])
      assert.is(refusal(`https://example.org:${port}/x`, policy), 'remote_port', String(port))
  for (const port of [80, 443, 3000, 8080, 8443, 65535])
    assert.is(refusal(`https://example.org:${port}/x`), 'accepted', String(port))
})

test('addresses that two programs could parse differently are refused', () => {
  const bad = [
    'https://127.0.0.1:9101\\@evil.test/',
    'https://a:b@c:d@host/',
    'https://a:b:c@host/',
    'https://host%2ebad/',
    'https://host/a\tb',
    'https://host/a\nb',
    'https://host/a b',
    'https://host./x',
    'https://host.:443/x',
    'https:///x',
    'https://@/x',
    'https://host/x#y',
    'https://host/x?y',
    'https://u:p%0d%0aX@host/',
    'https://u:p%00@host/',
    `https://u:${'p'.repeat(10_000)}@host/`,
    'https://u:%zz@host/',
    'https://host/\u0000',
    'https://host:99999/',
    'https://[::1/',
    'https://ho st/',
    'https://u%3a:p@host/',
    'https://host/%0A',
  ]
  for (const text of bad) assert.is(refusal(text), 'remote_invalid', JSON.stringify(text))
})

test('a parsed address parses to itself', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'] }), text => {
      if (refusal(text) !== 'accepted') return
      const { href } = parseRemoteUrl(text, strict)
      assert.is(parseRemoteUrl(href, strict).href, href)
    }),
  )
})

test('a host is allowed only when all of its addresses are', async () => {
  const url = parseRemoteUrl('https://host.org/x', strict)
  const answers =
    (...addresses: string[]) =>
    async () =>
      addresses.map(address => ({ address, family: 4 }))

  const outcome = (...addresses: string[]) =>
    resolveRemote(url, strict, answers(...addresses)).then(
      remote => remote.addresses.join(),
      (error: unknown) => (isGitError(error) ? error.code : String(error)),
    )

  assert.is(await outcome('93.184.216.34', '2606:4700::1111'), '93.184.216.34,2606:4700::1111')
  assert.is(await outcome('93.184.216.34', '10.0.0.1'), 'remote_blocked')
  assert.is(await outcome('fe80::1%eth0'), 'remote_blocked')
  assert.is(await outcome(), 'unreachable')
  const failing = () => Promise.reject(new Error('SERVFAIL'))
  const error = await resolveRemote(url, strict, failing).catch((reason: unknown) => reason)

  assert.ok(isGitError(error, 'unreachable'))
})

test('the boundaries of every blocked network are exact', () => {
  const closed = [
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.0',
    '127.255.255.255',
    '169.254.0.0',
    '169.254.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.0',
    '192.0.0.255',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.0',
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.0',
    '239.255.255.255',
    '240.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:ffff::1',
    '2001:db8::1',
    '2002:a00:1::',
    '2002:101:101::1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:1.1.1.1',
    '64:ff9b::a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::101:101',
    '100:0:0:1::1',
    '2001:1::1',
    '2001:2::1',
    '2001:3::1',
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff::1',
    '2620:4f:8000::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    '4000::1',
    '5f00::1',
    '65::1',
    'fbff::1',
    'fc00::',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'feff::1',
    'ff00::',
    'ff02::1',
    'fe80::1%lo',
    'not an address',
    '',
    '1.2.3',
    '1.2.3.4.5',
    '::g',
  ]

  const open = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '203.0.114.0',
    '223.255.255.255',
    '::ffff:1.1.1.1',
    '2606:4700::1111',
    '2001:200::1',
    '2001:db7::1',
    '2003::1',
    '64:ff9b::101:101',
    '3ffe::1',
    '3fff:1000::1',
    '2a00:1450:4001:80b::200e',
  ]

  for (const address of closed) assert.not(isPublicAddress(address), address)
  for (const address of open) assert.ok(isPublicAddress(address), address)
})

test('an address is judged by its value, not by its spelling', () => {
  fc.assert(
    fc.property(fc.ipV4(), address => {
      const parts = address.split('.').map(Number) as [number, number, number, number]
      const hex = [(parts[0] << 8) | parts[1], (parts[2] << 8) | parts[3]]
        .map(part => part.toString(16))
        .join(':')
      assert.is(isPublicAddress(`::ffff:${address}`), isPublicAddress(address))
      assert.is(isPublicAddress(`0:0:0:0:0:FFFF:${hex}`), isPublicAddress(address))
      assert.is(isPublicAddress(`64:ff9b::${hex}`), isPublicAddress(address))
      assert.not(isPublicAddress(`::ffff:0:${hex}`))
      assert.not(isPublicAddress(`2002:${hex}::1`))
    }),
  )
})

test('server messages do not affect the error, and secrets are removed', () => {
  const url = parseRemoteUrl('https://me:geheim@host.org/x', strict)
  const basic = Buffer.from('me:geheim').toString('base64')
  const error = remoteError(
    'fetch',
    128,
    `remote: No space left on device\nfatal: unable to access: geheim ${basic}`,
    url,
  )

  assert.is(error.code, 'unreachable')
  assert.not.match(error.trace ?? '', /geheim|bWU6|No space/)
  assert.is(redact('a geheim b', url), 'a [redacted] b')
})

test.run()
