import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { remoteOf } from '../support/git/client.ts'
import { openPushBench, type PushBench } from '../support/git/pushing.ts'

let bench: PushBench
let spaceId = ''
let remote = ''
let head = ''

test.before(async () => {
  bench = await openPushBench()
  spaceId = await bench.space()
  remote = remoteOf(bench.app.url, spaceId, bench.app.admin.token)
  head = bench.refs(spaceId).main!
})
test.after(() => bench.stop())

const versions = ['0', '1', '2'] as const
const at = (version: string) => ['-c', `protocol.version=${version}`]

test('the trace of the transport names the agents and hides the credentials', async () => {
  const { stderr: trace } = await bench.client.git(['ls-remote', remote], {
    env: { GIT_TRACE_CURL: '1' },
  })
  assert.match(trace, /=> Send header: Authorization: Basic <redacted>/)
  assert.not.match(
    trace,
    new RegExp(Buffer.from(`git:${bench.app.admin.token}`).toString('base64')),
  )
  assert.match(trace, /<= Recv header: content-type: application\/x-git-upload-pack-advertisement/i)
  assert.match(trace, /<= Recv header: cache-control: no-cache, max-age=0, must-revalidate/i)
  assert.match(trace, /agent=stemma\//)
  assert.not.match(trace, /<= Recv header: set-cookie/i)
})

test('credentials come from a helper, which is told whether they were good', async () => {
  const [protocol, host] = bench.app.url.split('://') as [string, string]
  const helper = (password: string) =>
    `credential.helper=!f() { echo "$1" >> said; test "$1" = get && printf 'username=x\\npassword=${password}\\n'; }; f`
  const ask = (password: string, ...args: string[]) =>
    bench.client.git([
      '-c',
      helper(password),
      ...args,
      'ls-remote',
      `${protocol}://${host}/${spaceId}.git`,
      'main',
    ])
  const said = join(bench.client.folder, 'said')
  const good = await ask(bench.app.admin.token)

  assert.is(good.stdout, `${head}\trefs/heads/main\n`)
  assert.is(await readFile(said, 'utf8'), 'get\nstore\n')
  await rm(said)
  const bad = await ask('stm_wrong')

  assert.is(bad.code, 128)
  assert.match(bad.stderr, /Authentication failed for/)
  assert.match(await readFile(said, 'utf8'), /^get\n(?:erase\n)+/)
})

test('a slow or odd client is served: long names of agents, own headers, no compression', async () => {
  const settings = [
    '-c',
    'http.userAgent=odd/1.0 (x; y)',
    '-c',
    'http.extraHeader=X-Odd: "; rm -rf"',
  ]

  for (const version of versions)
    assert.is(
      (await bench.client.git([...at(version), ...settings, 'ls-remote', remote, 'main'])).stdout,
      `${head}\trefs/heads/main\n`,
    )

  await bench.client.ok(['-c', 'transfer.advertiseSID=true', 'clone', '-q', remote, 'with-session'])
})

test('an address of another protocol, or one that the client forbids, is not followed', async () => {
  const forbidden = await bench.client.git(['-c', 'protocol.http.allow=never', 'ls-remote', remote])
  assert.match(forbidden.stderr, /transport 'http' not allowed/)
  const listed = await bench.client.git(['ls-remote', remote], {
    env: { GIT_ALLOW_PROTOCOL: 'https:ssh' },
  })
  assert.match(listed.stderr, /transport 'http' not allowed/)
})

test('nothing is redirected: a wrong spelling of an address is not found', async () => {
  const headers = { authorization: `Bearer ${bench.app.admin.token}` }
  for (const path of [
    `/${spaceId}.git/`,
    `/${spaceId}.git`,
    `//${spaceId}.git/info/refs?service=git-upload-pack`,
  ]) {
    const response = await fetch(bench.app.url + path, { headers, redirect: 'manual' })
    assert.is(response.headers.get('location'), null, path)
    assert.is(response.status, 404, path)
  }

  const slash = await bench.client.git(['ls-remote', `${remote}/`, 'main'])
  assert.is(slash.stdout, `${head}\trefs/heads/main\n`, slash.stderr)
})

test('files of the dumb protocol are not offered', async () => {
  const headers = { authorization: `Bearer ${bench.app.admin.token}` }
  const blob = bench.inside(spaceId, 'rev-parse', 'main:SUMMARY.md')
  for (const path of [
    ...[
      'HEAD',
      'config',
      'packed-refs',
      'objects/info/alternates',
      'objects/info/http-alternates',
      'refs/heads/main',
    ],
    ...[
      'objects/info/packs',
      `objects/${blob.slice(0, 2)}/${blob.slice(2)}`,
      'objects/pack/',
      '../HEAD',
      '%2e%2e/HEAD',
    ],
  ]) {
    const response = await fetch(`${bench.app.url}/${spaceId}.git/${path}`, {
      headers,
      redirect: 'manual',
    })
    assert.is(response.status, 404, path)
  }

  const dumb = await bench.client.git(['ls-remote', remote], { env: { GIT_SMART_HTTP: '0' } })

  assert.is(dumb.code, 128)
  assert.match(dumb.stderr, /remote: The server supports only the smart protocol of Git\./)
})

test('hooks of a repository do not run at a push over HTTP, and namespaces of the client mean nothing', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  const ran = join(bench.client.folder, 'ran')
  const hooks = join(bench.repo(id).dir, 'hooks')

  await mkdir(hooks, { recursive: true })

  for (const name of ['pre-receive', 'update', 'post-receive', 'post-update'])
    await writeFile(join(hooks, name), `#!/bin/sh\necho ${name} >> '${ran}'\nexit 1\n`, {
      mode: 0o755,
    })

  const commit = await bench.commit(clone, { 'a.md': '# A\n' })
  const pushed = await bench.client.git(['--namespace=other', 'push', 'origin', 'main'], {
    in: clone,
  })

  assert.is(pushed.code, 0, pushed.stderr)
  assert.equal(bench.refs(id), { main: commit })
  assert.not.ok(existsSync(ran))
  const named = await bench.push(clone, 'origin', 'main:refs/namespaces/other/refs/heads/main')

  assert.match(named.stderr, /\(only branches can be pushed\)/)
})

test.run()
