import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { NameError, NameResolver } from '../../src/net/resolver.ts'
import { namesToAsk, parseHosts, parseSearchList } from '../../src/net/system-names.ts'
import { type NameAnswer, type NameServer, serveNames } from '../support/http/name-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-names-'))
const hostsFile = join(folder, 'hosts')
const resolvFile = join(folder, 'resolv.conf')
const names: Record<string, NameAnswer> = {
  'fast.example': ['192.0.2.1', '192.0.2.2'],
  'empty.example': [],
  'wiki.corp.example': ['192.0.2.3'],
}
let server: NameServer

test.before(async () => {
  server = await serveNames(name => (name.endsWith('slow.example') ? 'silence' : names[name]))
  writeFileSync(
    hostsFile,
    '# comment\n10.1.2.3 Gitea gitea.corp # one host\nfd00::3 gitea\n127.0.0.9 localhost\n',
  )

  writeFileSync(
    resolvFile,
    'nameserver 192.0.2.53\nsearch corp.example other.example.\noptions ndots:2 rotate\n',
  )
})
test.after(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const open = (more = {}) =>
  new NameResolver({ servers: [server.address], hostsFile, resolvFile, ...more })
const addresses = async (resolver: NameResolver, host: string, share = 'a') =>
  (await resolver.resolve(host, share)).map(({ address }) => address)
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'resolved',
    (error: unknown) => (error instanceof NameError ? error.code : String(error)),
  )

test('names come from the hosts file, then from the name server with the search domains', async () => {
  const resolver = open()
  assert.equal(await addresses(resolver, 'GITEA'), ['10.1.2.3', 'fd00::3'])
  assert.equal(await addresses(resolver, 'gitea.corp'), ['10.1.2.3'])
  assert.equal(await addresses(resolver, 'localhost'), ['127.0.0.9'])
  assert.equal(await addresses(resolver, 'x.localhost'), ['127.0.0.1', '::1'])
  assert.equal(await addresses(resolver, 'fast.example'), ['192.0.2.1', '192.0.2.2'])
  assert.equal(await addresses(resolver, 'wiki'), ['192.0.2.3'])
  assert.is(await code(resolver.resolve('wiki.', 'a')), 'ENOTFOUND')
  assert.is(await code(resolver.resolve('nowhere.example', 'a')), 'ENOTFOUND')
  assert.is(await code(resolver.resolve('empty.example', 'a')), 'ENOTFOUND')
  assert.is(await code(resolver.resolve('a..b', 'a')), 'ENOTFOUND')
})

test('a modified hosts file is read again', async () => {
  const own = join(folder, 'changing')
  const resolver = open({ hostsFile: own })
  assert.is(await code(resolver.resolve('changing', 'a')), 'ENOTFOUND')
  const other = open({ hostsFile: own })
  writeFileSync(own, '10.0.0.1 changing\n')
  assert.equal(await addresses(other, 'changing'), ['10.0.0.1'])
  writeFileSync(own, '10.0.0.22 changing\n')
  assert.equal(await addresses(other, 'changing'), ['10.0.0.22'])
})

test('the search list is parsed like in the C library', () => {
  assert.equal(parseSearchList('search a b\ndomain c\noptions ndots:5\n'), {
    domains: ['c'],
    ndots: 5,
  })
  assert.equal(parseSearchList('; nothing\n'), { domains: [], ndots: 1 })
  const search = { domains: ['d'], ndots: 1 }
  assert.equal(namesToAsk('x', search), ['x.d', 'x'])
  assert.equal(namesToAsk('x.y', search), ['x.y', 'x.y.d'])
  assert.equal(namesToAsk('x.', search), ['x'])
  assert.equal([...parseHosts('bad\n::1 b\n')], [['b', ['::1']]])
})

test('concurrent lookups of a name are combined, and a failure is cached for a moment', async () => {
  const resolver = open({ lookupMs: 300 })
  server.asked.length = 0
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, i) => code(resolver.resolve('one.slow.example', `share ${i}`))),
  )
  assert.equal([...new Set(ends)], ['ETIMEOUT'])
  assert.is(await code(resolver.resolve('one.slow.example', 'later')), 'ETIMEOUT')
  const asked = server.asked.filter(name => name === 'one.slow.example')

  assert.is(asked.length, 2, 'one question for each address family')
})

test('an answer that must not be cached is requested again', async () => {
  const resolver = open()
  const answers = [['192.0.2.10'], ['127.0.0.1']]
  names['turning.example'] = answers[0]
  assert.equal(await addresses(resolver, 'turning.example'), answers[0])
  names['turning.example'] = answers[1]
  assert.equal(await addresses(resolver, 'turning.example'), answers[1])
})

test('slow names of one share do not block other shares, and are bounded', async () => {
  const resolver = open({ lookupMs: 3_000 })
  const slow = Array.from({ length: 300 }, (_, i) =>
    code(resolver.resolve(`${i}.slow.example`, 'slow')),
  )
  const first = await Promise.race([
    addresses(resolver, 'fast.example', 'fast'),
    ...slow.slice(0, 4),
  ])

  assert.equal(
    first,
    ['192.0.2.1', '192.0.2.2'],
    'the fast name comes before the first slow one ends',
  )

  assert.is(
    (await Promise.all(slow.slice(210))).every(end => end === 'EBUSY'),
    true,
  )
  const running = new Set(server.asked.filter(name => /^\d+\.slow/.test(name)))

  assert.ok(running.size <= 4, `${running.size} slow names at once`)
  resolver.close()
})

test.run()
