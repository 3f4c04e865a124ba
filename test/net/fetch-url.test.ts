import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isOwnAddress } from '../../src/lib/public-address.ts'
import { FetchError } from '../../src/net/fetch-error.ts'
import { fetchUrl } from '../../src/net/fetch-url.ts'
import { NameResolver } from '../../src/net/resolver.ts'

const server = createServer((request, response) => answer(request, response))
let answer: RequestListener = (_, response) => response.end()
let origin = ''
test.before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
test.after(() => {
  server.close()
  server.closeAllConnections()
})

const inner = { allowPrivate: true, names: new NameResolver(), share: 'test' }
const limits = () => ({
  headersMs: 5_000,
  allMs: 10_000,
  mostBytes: 1_000_000,
  budget: { left: 1_000_000 },
})

const failure = async (url: string, policy = inner, more = {}): Promise<FetchError> => {
  try {
    await fetchUrl(url, policy, { ...limits(), ...more })
  } catch (error) {
    assert.instance(error, FetchError)
    return error as FetchError
  }
  throw new Error(`${url} is fetched`)
}

test('bytes are returned decompressed, with the final address', async () => {
  answer = (request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('Hello'))
  }
  const budget = { left: 100 }
  const { bytes, url } = await fetchUrl(`${origin}/a`, inner, { ...limits(), budget })
  assert.is(bytes.toString(), 'Hello')
  assert.is(url, `${origin}/b`)
  assert.is(budget.left, 95)
})

test('a slow host times out, and may be tried again', async () => {
  answer = () => {}
  const silent = await failure(`${origin}/x`, inner, { headersMs: 20 })
  assert.equal([silent.code, silent.again], ['FETCH_TIMEOUT', true])
  answer = (_, response) => response.writeHead(200).write('a')
  const slow = await failure(`${origin}/x`, inner, { allMs: 50 })
  assert.equal([slow.code, slow.again], ['FETCH_TIMEOUT', true])
})

test('a redirect to a malformed address is a response without a file', async () => {
  answer = (_, response) => response.writeHead(302, { location: 'http://[bad' }).end()
  assert.match((await failure(`${origin}/x`)).message, /answered 302 instead of the file/)
  assert.match((await failure('http://[bad')).message, /not a valid URL/)
})

test('a host that switches to another protocol has no file', async () => {
  answer = (_, response) =>
    response.socket?.write(
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
    )
  assert.match((await failure(`${origin}/x`)).message, /answered 101 instead of the file/)
})

test('a file that is too large is refused, compressed or not, announced or not', async () => {
  const budget = () => ({ budget: { left: 1_000 } })
  answer = (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(9_999)))
  assert.match((await failure(`${origin}/x`, inner, budget())).message, /too large/)
  answer = (_, response) => response.end('x'.repeat(1_001))
  assert.match((await failure(`${origin}/x`, inner, budget())).message, /too large/)
  answer = (_, response) => response.writeHead(200, { 'content-length': 5_000 }).write('x')
  assert.match((await failure(`${origin}/x`, inner, budget())).message, /too large/)
})

test('three redirects are followed, and none to a forbidden address', async () => {
  const to =
    (location: string): RequestListener =>
    (_, response) =>
      response.writeHead(302, { location }).end()

  answer = to('/again')
  assert.match((await failure(`${origin}/x`)).message, /more than 3/)
  answer = to('file:///etc/passwd')
  assert.match((await failure(`${origin}/x`)).message, /must start with https|not https/)
  answer = to(`http://me:pass@127.0.0.1:1/`)
  assert.match((await failure(`${origin}/x`)).message, /user name or password/)
})

test('private addresses are refused, and permanent failures are not worth retrying', async () => {
  const outside = { ...inner, allowPrivate: false }
  assert.match((await failure('https://127.0.0.1/x', outside)).message, /private/)
  assert.match((await failure('https://localhost/x', outside)).message, /private/)
  assert.match((await failure(`${origin}/x`, outside)).message, /https/)
  answer = (_, response) => response.writeHead(404).end()
  assert.is((await failure(`${origin}/x`)).again, false)
  answer = (_, response) => response.writeHead(503).end()
  assert.is((await failure(`${origin}/x`)).again, true)
  answer = request => request.socket.destroy()
  assert.is((await failure(`${origin}/x`)).again, true)
})

test('the public addresses of this machine are recognized as its own, in every spelling', () => {
  const of = (address: string, family: 'IPv4' | 'IPv6') =>
    ({ address, family, netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 }) as const
  const interfaces = {
    eth0: [of('198.41.0.4', 'IPv4'), of('2a00:1450::5', 'IPv6'), of('fe80::1%eth0', 'IPv6')],
  }
  for (const own of [
    '198.41.0.4',
    '::ffff:198.41.0.4',
    '::ffff:c629:4',
    '64:ff9b::c629:4',
    '2a00:1450:0::5',
    'fe80::1%eth1',
  ])
    assert.ok(isOwnAddress(own, interfaces), own)

  for (const other of ['198.41.0.5', '2a00:1450::6', '::ffff:198.41.0.5', '', 'example.org'])
    assert.not(isOwnAddress(other, interfaces), other)
  assert.ok(isOwnAddress('127.0.0.1'))
})

test.run()
