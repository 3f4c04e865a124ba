import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Config } from '../../src/config.ts'
import { isFromThisMachine } from '../../src/http/limits/this-machine.ts'

type Settings = Pick<Config, 'trustProxy' | 'publicUrl'>
type Case = [from: string, headers: Record<string, string>, settings?: Partial<Settings>]

const host = '127.0.0.1:3000'
const own = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

const judge = ([remoteAddress, headers, settings]: Case): boolean =>
  isFromThisMachine({ socket: { remoteAddress }, headers } as unknown as IncomingMessage, {
    trustProxy: false,
    publicUrl: undefined,
    ...settings,
  })

test('a browser on this machine is on this machine', () => {
  const cases: Case[] = [
    ['127.0.0.1', { host }],
    ['::1', { host: '[::1]:3000' }],
    ['::ffff:127.0.0.1', { host: 'localhost:3000' }],
    ['127.0.0.1', { host }, { publicUrl: 'http://localhost:3000/base' }],
    ['127.0.0.1', { host }, { trustProxy: 'loopback' }],
    ['127.0.0.1', { host: 'docs.example.org', 'x-forwarded-for': '127.0.0.1' }, { trustProxy: 1 }],
    [
      '127.0.0.1',
      { host: 'docs.example.org', 'x-forwarded-for': '127.0.0.1' },
      { trustProxy: 'loopback', publicUrl: 'https://docs.example.org' },
    ],
    ...(own === undefined ? [] : ([[own, { host: `${own}:3000` }]] as Case[])),
  ]
  for (const each of cases) assert.ok(judge(each), JSON.stringify(each))
})

test('a client elsewhere is not, whatever it or a proxy on this machine says', () => {
  const docs = { host: 'docs.example.org' }
  const cases: Case[] = [
    ['192.0.2.1', { host }],
    ['192.0.2.1', { host, 'x-forwarded-for': '127.0.0.1' }],
    ['192.0.2.1', { host, 'x-forwarded-for': '127.0.0.1' }, { trustProxy: 'loopback' }],
    ['', { host }],
    // A proxy on this machine that is not trusted.
    ['127.0.0.1', { host, 'x-forwarded-for': '127.0.0.1' }],
    ['127.0.0.1', { host, forwarded: 'for=127.0.0.1' }],
    ['127.0.0.1', { host, via: '1.1 proxy' }],
    ['127.0.0.1', { host, 'x-real-ip': '127.0.0.1' }],
    ['127.0.0.1', { host, 'cf-connecting-ip': '192.0.2.1' }],
    // One that adds no header.
    ['127.0.0.1', docs],
    ['127.0.0.1', { host }, { publicUrl: 'https://docs.example.org' }],
    ['127.0.0.1', docs, { publicUrl: 'https://docs.example.org', trustProxy: 'loopback' }],
    ['127.0.0.1', {}],
    // One that is trusted and names a client elsewhere, or none.
    ['127.0.0.1', { host, 'x-forwarded-for': '192.0.2.1' }, { trustProxy: 'loopback' }],
    ['127.0.0.1', { host, 'x-forwarded-for': '127.0.0.1, 192.0.2.1' }, { trustProxy: 'loopback' }],
    ['127.0.0.1', { host, 'x-forwarded-for': '127.0.0.1, 192.0.2.1' }, { trustProxy: 1 }],
    ['127.0.0.1', { host, 'x-forwarded-for': 'unknown' }, { trustProxy: 'loopback' }],
    ['127.0.0.1', { host, 'x-forwarded-for': '192.0.2.1:4711' }, { trustProxy: 1 }],
    ['127.0.0.1', { host, 'x-forwarded-for': '' }, { trustProxy: 1 }],
    ['127.0.0.1', { host, via: '1.1 proxy' }, { trustProxy: 'loopback' }],
  ]
  for (const each of cases) assert.not.ok(judge(each), JSON.stringify(each))
})

test.run()
