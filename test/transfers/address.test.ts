import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { transferAddress } from '../../src/transfers/address.ts'
import { tokenIn } from '../../src/transfers/admit.ts'
import { anyText } from '../support/corpus/any-text.ts'
import { runs } from '../support/long-run.ts'

const resourceAt = (url: string) => transferAddress(url)?.resource

test('addresses of repositories are recognised, with and without ".git"', () => {
  for (const id of ['x.git', 'x'])
    for (const [path, resource] of [
      ['info/refs?service=git-upload-pack', 'info/refs'],
      ['info/refs?service=git-receive-pack', 'info/refs'],
      ['git-upload-pack', 'git-upload-pack'],
      ['git-receive-pack', 'git-receive-pack'],
      ['info/lfs/objects/batch', 'lfs'],
    ] as const)
      assert.is(resourceAt(`/${id}/${path}`), resource, `${id}/${path}`)

  assert.is(transferAddress('/8GSDWkS3FDMzmzfY7mDC.git/info/refs')?.spaceId, '8GSDWkS3FDMzmzfY7mDC')

  for (const path of [
    'HEAD',
    'objects/info/packs',
    'x',
    '',
    '../x',
    'git-upload-pack/',
    'info/refs/',
  ])
    assert.is(resourceAt(`/x.git/${path}`), 'other', path)
})

test('addresses of the API and of sites are left alone', () => {
  for (const url of [
    ...[
      '/',
      '/x',
      '/x.git',
      '/x/',
      '/x/HEAD',
      '/x/info/refs',
      '/x/info/refs?service=other',
      '/docs/git-upload',
    ],
    ...[
      '/v1/git-upload-pack',
      '/v1/info/refs?service=git-upload-pack',
      '/v1/spaces/x/git/import',
      '//x.git/HEAD',
    ],
    ...[
      '/x-y.git/HEAD',
      '/x%00.git/HEAD',
      '/%78.git/HEAD',
      '/../x.git/HEAD',
      `/${'x'.repeat(41)}.git/HEAD`,
    ],
    ...['/a/x.git/info/refs?service=git-upload-pack', 'http://host/x.git/HEAD', '*'],
  ])
    assert.is(transferAddress(url), undefined, url)
})

test('no URL makes an id that is not letters and digits', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string().map(text => `/${text}.git/HEAD`),
      ),
      url => {
        const id = transferAddress(url)?.spaceId
        assert.ok(id === undefined || /^[0-9A-Za-z]{1,40}$/.test(id))
      },
    ),
    { numRuns: runs(400) },
  )
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('the token is the password, the name without one, or that of a Bearer header', () => {
  for (const header of [
    ...[basic('any name:stm_x'), basic(':stm_x'), basic('stm_x:'), basic('stm_x:x-oauth-basic')],
    ...['Bearer stm_x', 'bearer stm_x', basic('any:stm_x').replace('Basic', 'basic')],
  ])
    assert.is(tokenIn(header), 'stm_x', header)
  for (const header of [
    ...[
      '',
      'Basic',
      'Basic ',
      'Digest x',
      basic(''),
      basic(':'),
      basic('stm_x'),
      basic('a:b c'),
      basic('a:b\nc'),
    ],
    ...[basic(`a:${'x'.repeat(401)}`), basic(`${'x'.repeat(2000)}:stm_x`), 'Bearer a b', 'Bearer'],
  ])
    assert.is(tokenIn(header), undefined, header)
})

test('any header has a token or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText().map(basic)), header => {
      const token = tokenIn(header)
      assert.ok(token === undefined || /^\S{1,400}$/.test(token))
    }),
    { numRuns: runs(400) },
  )
})

test.run()
