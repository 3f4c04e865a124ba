import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { remoteOf, run } from '../support/git/client.ts'
import { openPushBench, type PushBench } from '../support/git/pushing.ts'

let bench: PushBench
let spaceId = ''
let remote = ''
let bare = ''
let base = ''
let head = ''
let idea = ''

test.before(async () => {
  bench = await openPushBench()
  spaceId = await bench.space()
  remote = remoteOf(bench.app.url, spaceId, bench.app.admin.token)
  bare = `${bench.app.url}/${spaceId}.git`
  const clone = await bench.clone(spaceId)

  base = bench.refs(spaceId).main!
  await bench.commit(clone, { 'two.md': '# Two\n' })
  head = await bench.commit(clone, { 'three.md': '# Three\n' })
  await bench.push(clone, 'origin', 'main')
  await bench.client.ok(['checkout', '-q', '-b', 'idea', base], { in: clone })
  idea = await bench.commit(clone, { 'idea.md': '# Idea\n' })
  await bench.push(clone, 'origin', 'idea')
})
test.after(() => bench.stop())

const versions = ['0', '1', '2'] as const
const at = (version: string) => ['-c', `protocol.version=${version}`]

/** Runs git with its traces; returns what it wrote to stderr. */
async function traced(args: string[], env: Record<string, string>, folder = '.'): Promise<string> {
  const { code, stderr } = await bench.client.git(args, { in: folder, env })
  assert.is(code, 0, stderr)
  return stderr
}

let made = 0
/** Creates an empty repository with the space as its remote. Returns its folder. */
async function empty(): Promise<string> {
  const folder = `empty-${++made}`
  await bench.client.ok(['init', '-q', '-b', 'main', folder])
  await bench.client.ok(['remote', 'add', 'origin', remote], { in: folder })
  return folder
}

const parse = (folder: string, ...revisions: string[]) =>
  bench.client.ok(['rev-parse', ...revisions], { in: folder })

test('each version is spoken as it is asked for, to its end', async () => {
  for (const [version, says] of [
    ['0', undefined],
    ['1', 'version 1'],
    ['2', 'version 2'],
  ] as const) {
    const trace = await traced([...at(version), 'ls-remote', remote], { GIT_TRACE_PACKET: '1' })
    const spoken = /(?:git|ls-remote)< (version \d)/.exec(trace)?.[1]
    assert.is(spoken, says, trace)
    if (version !== '2')
      assert.match(trace, /< [0-9a-f]{40} HEAD\\0.* symref=HEAD:refs\/heads\/main .*agent=stemma\//)
  }
})

test('a version that does not exist is answered with the highest that is known, or with version 0', async () => {
  const headers = { authorization: `Bearer ${bench.app.admin.token}` }
  const first = async (version: string) => {
    const response = await fetch(`${bare}/info/refs?service=git-upload-pack`, {
      headers: { ...headers, 'git-protocol': version },
    })
    assert.is(response.headers.get('content-type'), 'application/x-git-upload-pack-advertisement')
    return (await response.text()).slice(0, 40).replace(/\n/g, ' ')
  }

  assert.match(await first('version=3'), /^001e# service=git-upload-pack 0000[0-9a-f]{4}[0-9a-f]/)
  assert.match(await first('version=1:version=2'), /^000eversion 2 /)
  assert.match(await first('object-format=sha1:version=2'), /^000eversion 2 /)
  assert.match(
    await first('version=2; rm'),
    /^001e# service=git-upload-pack 0000[0-9a-f]{4}[0-9a-f]/,
  )
})

test('version 2 offers what is served, and nothing else', async () => {
  const trace = await traced([...at('2'), 'ls-remote', remote], { GIT_TRACE_PACKET: '1' })
  const [, features = ''] = /ls-remote< fetch=(.*)/.exec(trace) ?? []
  assert.equal(features.split(' ').sort(), ['filter', 'shallow', 'wait-for-done'])

  for (const absent of [
    'ref-in-want',
    'packfile-uris',
    'sideband-all',
    'server-option',
    'bundle-uri',
    'object-info',
  ])
    assert.not.match(trace, new RegExp(absent))
})

test('what version 2 lacks is refused by the client or left aside', async () => {
  const folder = await empty()
  const option = await bench.client.git([...at('2'), 'fetch', '-o', 'word', 'origin'], {
    in: folder,
  })
  assert.is(option.code, 128)
  assert.match(option.stderr, /server doesn't support 'server-option'/)
  const uris = ['-c', 'fetch.uriProtocols=http,https', '-c', 'transfer.bundleURI=true']

  await bench.client.ok([...at('2'), ...uris, 'fetch', '-q', 'origin'], { in: folder })
  assert.is(await parse(folder, 'origin/main'), head)
})

test('a list of refs is limited to what is asked for', async () => {
  for (const version of versions) {
    const list = (...args: string[]) => bench.client.ok([...at(version), 'ls-remote', ...args])
    assert.is(await list(remote, 'main'), `${head}\trefs/heads/main`)
    assert.is(await list('--heads', remote, 'idea'), `${idea}\trefs/heads/idea`)
    assert.is(await list('--tags', remote), '')
    assert.is(await list('--refs', remote, 'HEAD'), '')
    assert.is(
      (await bench.client.git([...at(version), 'ls-remote', '--exit-code', remote, 'none'])).code,
      2,
    )
  }

  const trace = await traced(
    [...at('2'), 'fetch', 'origin', 'idea'],
    { GIT_TRACE_PACKET: '1' },
    await empty(),
  )

  assert.match(trace, /fetch> ref-prefix refs\/heads\/idea/)
  assert.not.match(trace, /fetch< [0-9a-f]{40} refs\/heads\/main/)
})

test('a branch that is not there is an error of the client', async () => {
  for (const version of versions) {
    const folder = await empty()
    const fetched = await bench.client.git([...at(version), 'fetch', 'origin', 'nowhere'], {
      in: folder,
    })
    assert.is(fetched.code, 128)
    assert.match(fetched.stderr, /couldn't find remote ref nowhere/)
    const cloned = await bench.client.git([
      ...at(version),
      'clone',
      '-b',
      'nowhere',
      remote,
      `${folder}-b`,
    ])

    assert.match(cloned.stderr, /Remote branch nowhere not found in upstream origin/)
    assert.not.ok(existsSync(join(bench.client.folder, `${folder}-b`)))
  }
})

test('branches, full names and ids of commits are fetched under any name', async () => {
  for (const version of versions) {
    const folder = await empty()
    const refspecs = [
      'main:refs/heads/a',
      'refs/heads/idea:refs/remotes/x/b',
      '+refs/heads/change-requests/*:refs/cr/*',
    ]

    await bench.client.ok([...at(version), 'fetch', '-q', 'origin', ...refspecs], { in: folder })
    assert.is(await parse(folder, 'a', 'x/b', 'refs/cr/1'), [head, idea, idea].join('\n'))
    await bench.client.ok([...at(version), 'fetch', '-q', 'origin', `${head}:refs/heads/tip`], {
      in: folder,
    })
    assert.is(await parse(folder, 'tip'), head)
  }

  // Only clients of version 2 ask for a commit that no branch names.
  const folder = await empty()
  await bench.client.ok([...at('2'), 'fetch', '-q', 'origin', `${base}:refs/heads/old`], {
    in: folder,
  })
  assert.is(await parse(folder, 'old'), base)
})

test('a fetch of everything with pruning drops what was merged', async () => {
  const id = await bench.space()
  const clone = await bench.clone(id)
  await bench.client.ok(['checkout', '-q', '-b', 'short'], { in: clone })
  await bench.commit(clone, { 'a.md': '# A\n' })
  await bench.push(clone, '-u', 'origin', 'short')
  await bench.client.ok(['fetch', '-q'], { in: clone })
  await bench.app.admin.post(`/v1/spaces/${id}/change-requests/1/merge`, {})
  const { stderr } = await bench.client.git(['fetch', '--prune', 'origin'], { in: clone })

  assert.match(stderr, /- \[deleted\] +\(none\) +-> origin\/change-requests\/1/)
  assert.match(stderr, /- \[deleted\] +\(none\) +-> origin\/short/)
})

test('a dry run, a second fetch and a fetch of what is there ask for no pack', async () => {
  for (const version of versions) {
    const folder = await empty()
    const dry = await bench.client.git([...at(version), 'fetch', '--dry-run', 'origin'], {
      in: folder,
    })
    assert.match(dry.stderr, /\[new branch\] +main +-> origin\/main/)
    assert.is(
      (await bench.client.git(['rev-parse', '-q', '--verify', 'origin/main'], { in: folder })).code,
      1,
    )
    await bench.client.ok([...at(version), 'fetch', '-q', 'origin'], { in: folder })
    const trace = await traced(
      [...at(version), 'fetch', 'origin'],
      { GIT_TRACE_PACKET: '1' },
      folder,
    )

    assert.not.match(trace, /fetch> want/)
  }
})

test('commits of the client that the server lacks do not disturb the negotiation', async () => {
  for (const version of versions)
    for (const algorithm of ['consecutive', 'skipping']) {
      const folder = await empty()
      await bench.client.ok(['fetch', '-q', 'origin', `${base}:refs/heads/own`], { in: folder })
      await bench.client.ok(['checkout', '-q', 'own'], { in: folder })
      for (let i = 0; i < 3; i++) await bench.commit(folder, { [`own-${i}.md`]: '# Own\n' })
      const trace = await traced(
        [
          ...at(version),
          '-c',
          `fetch.negotiationAlgorithm=${algorithm}`,
          'fetch',
          '--progress',
          'origin',
          'main',
        ],
        { GIT_TRACE_PACKET: '1' },
        folder,
      )
      if (algorithm === 'consecutive') assert.match(trace, new RegExp(`> have ${base}`))
      assert.is(await parse(folder, 'FETCH_HEAD'), head)
      await bench.client.ok(['merge', '-q', '-m', 'Both', 'FETCH_HEAD'], { in: folder })
    }
})

test('the negotiation can be had alone, in version 2', async () => {
  const folder = await empty()
  await bench.client.ok(['fetch', '-q', 'origin', 'main'], { in: folder })
  await bench.client.ok(['update-ref', 'refs/heads/main', base], { in: folder })
  const common = await bench.client.ok(
    [...at('2'), 'fetch', '--negotiate-only', `--negotiation-tip=${base}`, 'origin'],
    { in: folder },
  )

  assert.ok(common.split('\n').includes(base))
  assert.not.match(common, new RegExp(head))
  const old = await bench.client.git(
    [...at('0'), 'fetch', '--negotiate-only', `--negotiation-tip=${base}`, 'origin'],
    { in: folder },
  )

  assert.match(old.stderr, /--negotiate-only requires protocol v2/)
})

test('a request with many commits is compressed', async () => {
  const folder = await empty()
  await bench.client.ok(['fetch', '-q', 'origin', `${base}:refs/heads/base`], { in: folder })
  const lines = ['reset refs/heads/many', `from ${base}`]

  for (let i = 0; i < 400; i++)
    lines.push(
      'commit refs/heads/many',
      'committer Bo <bo@example.org> 1700000000 +0000',
      `data 4\n${i + 1000}`,
    )

  await writeFile(join(bench.client.folder, folder, 'stream'), `${lines.join('\n')}\n`)
  const imported = await run(
    'sh',
    ['-c', 'git fast-import --quiet --force < stream'],
    join(bench.client.folder, folder),
    { HOME: bench.client.folder },
  )

  assert.is(imported.code, 0, imported.stderr)
  await bench.client.ok(['update-ref', '-d', 'refs/heads/base'], { in: folder })

  for (const version of versions) {
    const copy = `${folder}-${version}`
    await cp(join(bench.client.folder, folder), join(bench.client.folder, copy), {
      recursive: true,
    })
    const trace = await traced(
      [...at(version), 'fetch', 'origin', 'main'],
      { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
      copy,
    )

    assert.match(trace, /=> Send header: Content-Encoding: gzip/i)
    assert.is(await parse(copy, 'FETCH_HEAD'), head)
  }
})

test('a clone of a branch, a bare one and one with a reference are whole', async () => {
  for (const args of [
    ['-b', 'idea', '--single-branch'],
    ['--bare'],
    ['--no-tags'],
    ['--reject-shallow'],
  ]) {
    const folder = `as-${args[0]!.replace(/-/g, '')}`
    await bench.client.ok(['clone', '-q', ...args, remote, folder])
    await bench.client.ok(['fsck', '--strict', '--full'], { in: folder })
    assert.is(await parse(folder, 'HEAD'), args[0] === '-b' ? idea : head)
  }

  await bench.client.ok([
    'clone',
    '-q',
    '--reference',
    'as-bare',
    '--dissociate',
    remote,
    'as-reference',
  ])
  assert.is(await parse('as-reference', 'HEAD'), head)
})

test('a clone into a folder that is there fails before anything is asked', async () => {
  await bench.client.ok(['clone', '-q', remote, 'taken'])
  const again = await bench.client.git(['clone', remote, 'taken'])
  assert.match(again.stderr, /already exists and is not an empty directory/)
})

test.run()
