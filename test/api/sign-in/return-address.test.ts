import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { returnAddress } from '../../../src/sign-in/return-address.ts'

const at = (base: string) => (path: string) => returnAddress({ publicUrl: () => base }, path)
const root = at('https://docs.example.org')

test('a path of this server is kept with its query', () => {
  assert.is(root('/app/account'), 'https://docs.example.org/app/account')
  assert.is(root('/a/b?c=d&e#f'), 'https://docs.example.org/a/b?c=d&e#f')
  assert.is(at('https://example.org/docs')('/x'), 'https://example.org/docs/x')
})

test('whatever could lead to another server is refused', () => {
  const hostile = [
    '',
    'docs',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/a\\b',
    'https://evil.example',
    'https:/evil.example',
    'javascript:alert(1)',
    '@evil.example',
    '.evil.example',
    ':81/',
    '/\t/evil.example',
    '/a\r\nSet-Cookie: x=y',
    '/a\nLocation: https://evil.example',
    '/ä',
    '/a b',
    '\u0000/',
    `/${'a'.repeat(2048)}`,
  ]

  for (const path of hostile) assert.is(root(path), undefined, JSON.stringify(path))
  assert.is(at('https://example.org/docs')('/../admin'), undefined)
  assert.is(at('https://example.org/docs')('/..%2fadmin'), 'https://example.org/docs/..%2fadmin')
})

test.run()
