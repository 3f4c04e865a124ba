import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readBlob, readCommit } from '../../../src/git/objects/objects.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { listRefs, moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import { parseRemoteUrl } from '../../../src/git/remotes/remote-url.ts'
import {
  listRemoteRef,
  pushRemote,
  type Remote,
  resolveRemote,
} from '../../../src/git/remotes/remotes.ts'
import { type FetchOptions, fetchRemote, type Progress } from '../../../src/git/remotes/staging.ts'
import { findEntry } from '../../../src/git/trees/tree-files.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { type GitServer, serveGit } from '../../support/git/git-server.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'

type Context = {
  bench: Bench
  theirs: Repository
  ours: Repository
  server: GitServer
  remote: Remote
}
const test = suite<Context>('remotes')
const login = 'me:ge heim/ß'
const into = 'refs/stemma/remotes/1/main'

test.before.each(async context => {
  context.bench = await openBench()
  context.theirs = await context.bench.create('theirs.git')
  context.ours = await context.bench.create('ours.git')
  context.server = await serveGit({ folder: context.bench.folder, login })
  context.remote = await remoteAt(context.server)
})
test.after.each(async ({ bench, server }) => {
  await server.close()
  await bench.remove()
})

const remoteAt = (server: GitServer, userinfo = 'me:ge%20heim%2F%C3%9F@', path = '/theirs.git') => {
  const policy = { allowPrivate: true }
  const url = parseRemoteUrl(`http://${userinfo}127.0.0.1:${server.port}${path}`, policy)
  return resolveRemote(url, policy, () => Promise.reject(new Error('no names here')))
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return isGitError(error) ? error.code : String(error)
  }
  return 'no error'
}

const stagingDir = ({ bench }: Context) => join(bench.folder, 'staging')
/** Fetches "main", and keeps it under a ref as imports do. */
async function fetchMain(context: Context, more: Partial<FetchOptions> = {}): Promise<Oid> {
  const { ours, remote } = context
  const to = await fetchRemote(ours, remote, {
    ref: main,
    stagingDir: stagingDir(context),
    ...more,
  })
  await moveRefs(ours, [{ ref: into, from: readRef(ours, into) ?? null, to }])
  return to
}

test('a branch of a remote is found by its full name', async ({ theirs, remote }) => {
  assert.is(await listRemoteRef(remote, main), undefined)
  const oid = await commitFiles(theirs, { 'a.md': 'a' })
  await commitFiles(theirs, { 'a.md': 'b' }, { ref: 'refs/heads/x/refs/heads/main', parents: [] })
  assert.is(await listRemoteRef(remote, main), oid)
})

test('a branch is fetched, and afterwards only new objects', async context => {
  const { theirs, ours, bench } = context
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`p${i}.md`, `page ${i}\n`.repeat(20)]),
  )
  const first = await commitFiles(theirs, files)
  const seen: Progress[] = []

  assert.is(await fetchMain(context, { onProgress: progress => seen.push(progress) }), first)
  assert.ok(
    seen.some(({ stage, done, total }) => stage === 'receiving' && done === total && total >= 60),
  )
  const { tree } = (await readCommit(ours, first))!

  assert.is(
    (await readBlob(ours, (await findEntry(ours, tree, 'p7.md'))!.oid))?.toString(),
    files['p7.md'],
  )
  assert.equal(readdirSync(stagingDir(context)), [])
  fsck(ours)
  const second = await commitFiles(theirs, { 'p1.md': 'new' })
  const again: Progress[] = []

  assert.is(await fetchMain(context, { onProgress: progress => again.push(progress) }), second)
  assert.ok(
    again.every(({ stage, total }) => stage !== 'receiving' || total <= 3),
    'what is there is not sent again',
  )
  assert.is(await fetchMain(context), second)
  assert.equal(
    readdirSync(join(ours.dir)).sort(),
    readdirSync(bench.folder).includes('ours.git')
      ? ['HEAD', 'config', 'info', 'objects', 'refs']
      : [],
  )
  fsck(ours)
})

test('a push moves the branch only from its expected value', async ({
  theirs,
  ours,
  remote,
  server,
}) => {
  const first = await commitFiles(ours, { 'a.md': 'a' })
  await pushRemote(ours, remote, { oid: first, ref: main, expected: null })
  assert.is(await readRef(theirs, main), first)
  const second = await commitFiles(ours, { 'a.md': 'b' })

  assert.is(
    await codeOf(pushRemote(ours, remote, { oid: second, ref: main, expected: null })),
    'rejected',
  )
  await pushRemote(ours, remote, { oid: second, ref: main, expected: first })
  const elsewhere = await commitFiles(theirs, { 'b.md': 'b' })
  const third = await commitFiles(ours, { 'a.md': 'c' })

  assert.is(
    await codeOf(pushRemote(ours, remote, { oid: third, ref: main, expected: second })),
    'rejected',
  )
  assert.is(await readRef(theirs, main), elsewhere)
  assert.ok(server.requests.length > 4)
})

test('wrong credentials, a missing repository and a missing branch are distinguished', async context => {
  const { server, theirs } = context
  await commitFiles(theirs, { 'a.md': 'a' })
  const wrong = await remoteAt(server, 'me:wrong@')
  assert.is(await codeOf(listRemoteRef(wrong, main)), 'auth_failed')
  const before = server.requests.length

  assert.is(await codeOf(listRemoteRef(await remoteAt(server, ''), main)), 'auth_failed')
  assert.ok(server.requests.length - before <= 2)
  assert.is(
    await codeOf(listRemoteRef(await remoteAt(server, undefined, '/none.git'), main)),
    'not_found',
  )
  assert.is(await codeOf(fetchMain(context, { ref: 'refs/heads/none' })), 'not_found')
  assert.equal(readdirSync(stagingDir(context)), [])
})

test('a redirect is not followed, and the credentials are sent nowhere else', async context => {
  const { bench, server, theirs } = context
  await commitFiles(theirs, { 'a.md': 'a' })
  const other = await serveGit({ folder: bench.folder })

  try {
    server.mode = { redirect: other.origin }
    assert.is(await codeOf(fetchMain(context)), 'redirected')
    assert.is(await codeOf(listRemoteRef(context.remote, main)), 'redirected')
    assert.equal(other.requests, [])
  } finally {
    await other.close()
  }
})

test('silent, missing and misbehaving servers are reported', async context => {
  const { server, remote } = context
  server.mode = 'silent'
  assert.is(await codeOf(listRemoteRef(remote, main, { silentSeconds: 1 })), 'timeout')
  assert.is(await codeOf(listRemoteRef(remote, main, { timeoutMs: 300 })), 'timeout')
  server.mode = { status: 404, body: 'inner secret \u001b[31m' }
  const error = await listRemoteRef(remote, main).catch((reason: unknown) => reason)

  assert.ok(isGitError(error, 'not_found'))
  assert.not.match(`${error.message} ${JSON.stringify(error)} ${error.trace}`, /inner secret/)

  for (const status of [500, 200]) {
    server.mode = { status, body: '<!doctype html>\n<p>Hello\n', type: 'text/html' }
    assert.is(await codeOf(listRemoteRef(remote, main)), 'unreachable', String(status))
  }

  await server.close()
  assert.is(await codeOf(listRemoteRef(remote, main)), 'unreachable')
})

test('a cancelled fetch leaves nothing behind', async context => {
  context.server.mode = 'silent'
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 300)
  assert.is(await codeOf(fetchMain(context, { signal: controller.signal })), 'aborted')
  assert.equal(readdirSync(stagingDir(context)), [])
  assert.is((await listRefs(context.ours, 'refs/')).size, 0)
})

test('repositories that are too large or not allowed are refused', async context => {
  const { theirs, ours } = context
  await commitFiles(theirs, { 'big.bin': Buffer.alloc(300_000) })
  assert.is(await codeOf(fetchMain(context, { limits: { blobBytes: 100_000 } })), 'too_large')
  assert.is(await codeOf(fetchMain(context, { limits: { objects: 2 } })), 'too_large')
  assert.is(await codeOf(fetchMain(context, { limits: { packBytes: 10 } })), 'too_large')
  const blob = gitOutside(theirs.dir, ['hash-object', '-w', '--stdin'], 'x')
  const bytes = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(blob, 'hex')])
  const evil = gitOutside(
    theirs.dir,
    ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'],
    bytes,
  )
  const commit = gitOutside(theirs.dir, ['commit-tree', '-m', 'evil', evil])

  gitOutside(theirs.dir, ['update-ref', 'refs/heads/evil', commit])
  assert.is(await codeOf(fetchMain(context, { ref: 'refs/heads/evil' })), 'bad_objects')
  let bomb = gitOutside(theirs.dir, ['mktree'], `100644 blob ${blob}\tx\n`)

  for (let level = 0; level < 10; level++)
    bomb = gitOutside(
      theirs.dir,
      ['mktree'],
      Array.from({ length: 10 }, (_, i) => `040000 tree ${bomb}\t${i}\n`).join(''),
    )

  gitOutside(theirs.dir, [
    'update-ref',
    'refs/heads/bomb',
    gitOutside(theirs.dir, ['commit-tree', '-m', 'b', bomb]),
  ])
  assert.is(await codeOf(fetchMain(context, { ref: 'refs/heads/bomb' })), 'too_many_files')
  assert.equal(readdirSync(stagingDir(context)), [])
  assert.is((await listRefs(ours, 'refs/')).size, 0)
  assert.equal(readdirSync(join(ours.dir, 'objects/pack')), [])
})

test('the password is in no file, no argument and no error', async context => {
  const { bench, theirs, server } = context
  await commitFiles(theirs, { 'a.md': 'a' })
  const arguments_: string[] = []
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        arguments_.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      } catch {
        // ended meanwhile
      }
    }
  }, 5)

  await fetchMain(context)
  clearInterval(timer)
  const wrong = await remoteAt(server, 'me:falsch-geheim@')
  const error = await listRemoteRef(wrong, main).catch((reason: unknown) => reason)

  assert.ok(isGitError(error))
  const basic = Buffer.from(login).toString('base64')
  const secrets = ['ge heim/ß', 'ge%20heim', basic, 'falsch-geheim']
  const all = [
    `${error.message}${JSON.stringify(error)}${error.trace}${error.stack}`,
    ...arguments_,
  ]

  for (const name of readdirSync(bench.folder, { recursive: true, encoding: 'utf8' }))
    try {
      all.push(readFileSync(join(bench.folder, name), 'latin1'))
    } catch {
      // a folder
    }

  for (const secret of secrets)
    assert.not(
      all.some(text => text.includes(secret)),
      secret,
    )

  assert.ok(arguments_.some(line => line.includes('fetch')))
  assert.ok(server.requests.some(({ authorization }) => authorization === `Basic ${basic}`))
})

test('git connects to the checked address, whatever the name server returns later', async context => {
  const { server, theirs } = context
  const oid = await commitFiles(theirs, { 'a.md': 'a' })
  const policy = { allowPrivate: true }

  // Only our own lookup knows this name, so the connection works only with the pinned address.
  const url = parseRemoteUrl(
    `http://me:ge%20heim%2F%C3%9F@docs.invalid:${server.port}/theirs.git`,
    policy,
  )
  const remote = await resolveRemote(url, policy, async () => [{ address: '127.0.0.1', family: 4 }])

  assert.is(await listRemoteRef(remote, main), oid)
  const elsewhere = await resolveRemote(url, policy, async () => [
    { address: '127.0.0.2', family: 4 },
  ])

  await server.close()
  assert.is(await codeOf(listRemoteRef(elsewhere, main)), 'unreachable')
})

test('only ref names reach the remote', async context => {
  for (const ref of [
    'main',
    '-x',
    'refs/heads/*',
    'refs/heads/a b',
    '+refs/heads/main',
    'refs/heads/a:refs/heads/b',
  ]) {
    assert.is(await codeOf(fetchMain(context, { ref })), 'ref_invalid')
    assert.is(await codeOf(listRemoteRef(context.remote, ref)), 'ref_invalid')
    const push = { oid: asOid('1'.repeat(40)), ref, expected: null }
    assert.is(await codeOf(pushRemote(context.ours, context.remote, push)), 'ref_invalid')
  }
  assert.equal(context.server.requests, [])
})

test.run()
