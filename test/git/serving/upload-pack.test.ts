import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { gitEnvironment } from '../../../src/git/process/environment.ts'
import { encodeFetch } from '../../../src/git/protocol/fetch-request.ts'
import { encodeOldFetch } from '../../../src/git/protocol/old-fetch-request.ts'
import { packetsOf } from '../../../src/git/protocol/packet-reader.ts'
import { fetchCapabilities } from '../../../src/git/serving/capabilities.ts'
import { fetchSettings, type ProtocolVersion } from '../../../src/git/serving/fetch-settings.ts'
import { Spool } from '../../../src/git/serving/spool.ts'
import { uploadPack } from '../../../src/git/serving/upload-pack.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import { type Bench, commitFiles, gitOutside, openBench } from '../../support/git/repo.ts'

let bench: Bench
test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

const agent = 'stemma/test'
const never = new AbortController().signal

type Options = { version?: ProtocolVersion; signal?: AbortSignal }

async function answer(
  lines: readonly string[],
  name: string,
  { version = 2, signal = never }: Options = {},
) {
  const repo = { dir: `${bench.folder}/${name}`, processes: bench.processes }
  const spool = new Spool(`${bench.folder}/tmp`)
  const message =
    version === 2 ? encodeFetch(lines) : encodeOldFetch([...lines.slice(0, -1), null, 'done'])
  const request = { version, message, haves: 0, agent, signal }

  try {
    const error = await uploadPack(repo, request, spool)
    spool.end()
    const chunks: Buffer[] = []
    for await (const chunk of spool.read()) chunks.push(Buffer.from(chunk))
    return { error, bytes: Buffer.concat(chunks) }
  } finally {
    await spool.close()
    assert.equal(await readdir(`${bench.folder}/tmp`), [])
  }
}

test('the installed Git offers everything that is advertised in its place', async () => {
  const repo = await bench.create('offers.git')
  await commitFiles(repo, { a: 'a' })
  const offer = (version: 0 | 2) => {
    const env = gitEnvironment(fetchSettings(version, { haves: 0, agent }))
    const args = [
      'upload-pack',
      '--strict',
      '--stateless-rpc',
      '--http-backend-info-refs',
      repo.dir,
    ]

    return spawnSync('git', args, { env }).stdout.toString()
  }
  const old = /\0(.*)/.exec(offer(0))?.[1]?.split(' ') ?? []

  for (const word of fetchCapabilities.v1) assert.ok(old.includes(word), word)
  assert.not.ok(old.includes('filter'))
  assert.not.ok(old.some(word => word.startsWith('allow-')))
  const fetch = /fetch=(.*)/.exec(offer(2))?.[1]?.split(' ') ?? []

  for (const word of fetchCapabilities.fetch) assert.ok(fetch.includes(word), word)
})

test('a fetch is answered with a pack', async () => {
  const repo = await bench.create('pack.git')
  const head = await commitFiles(repo, { a: 'a' })
  const { error, bytes } = await answer([`want ${head}`, 'ofs-delta', 'done'], 'pack.git')
  assert.is(error, undefined)
  const packets = [...packetsOf(bytes)].map(each =>
    each.kind === 'data' ? each.data : Buffer.alloc(0),
  )

  assert.is(packets[0]?.toString(), 'packfile\n')
  assert.ok(packets.some(data => data[0] === 1 && data.toString('latin1', 1, 5) === 'PACK'))
})

test('where Git only writes to stderr, the client is told why', async () => {
  const repo = await bench.create('why.git')
  const head = await commitFiles(repo, { a: 'a' })
  const { error, bytes } = await answer(
    [`want ${head}`, 'deepen-since 4000000000', 'done'],
    'why.git',
  )

  assert.ok(isGitError(error))
  assert.match(bytes.toString(), /ERR upload-pack: no commits selected for shallow requests/)
  const absent = await answer([`want ${'1'.repeat(40)}`, 'done'], 'why.git')

  assert.match(absent.bytes.toString(), /ERR upload-pack: not our ref 1{40}/)
})

// Version 2 has no such check: the wants are checked before Git gets them.
test('Git refuses hidden commits in versions 0 and 1, whatever the repository is configured to allow', async () => {
  const repo = await bench.create('hidden.git')
  const head = await commitFiles(repo, { a: 'a' })
  const hidden = await commitFiles(repo, { a: 'b' }, { ref: 'refs/stemma/x', parents: [head] })
  for (const setting of ['allowTipSHA1InWant', 'allowReachableSHA1InWant', 'allowAnySHA1InWant'])
    gitOutside(repo.dir, ['config', `uploadpack.${setting}`, 'true'])
  gitOutside(repo.dir, ['config', 'uploadpack.hideRefs', '!refs/stemma'])

  for (const version of [0, 1] as const) {
    const { error, bytes } = await answer([`want ${hidden}`, 'done'], 'hidden.git', { version })
    assert.ok(isGitError(error))
    assert.match(bytes.toString(), new RegExp(`ERR upload-pack: not our ref ${hidden}`))
    const shown = await answer([`want ${head}`, 'done'], 'hidden.git', { version })
    assert.is(shown.error, undefined)
    assert.match(shown.bytes.toString('latin1'), /PACK/)
  }
})

test('a client is told that an object is missing', async () => {
  const repo = await bench.create('missing.git')
  const head = await commitFiles(repo, { a: 'a' })
  const blob = gitOutside(repo.dir, ['rev-parse', `${head}:a`])
  rmSync(`${repo.dir}/objects/${blob.slice(0, 2)}/${blob.slice(2)}`)
  const { error, bytes } = await answer([`want ${head}`, 'done'], 'missing.git')

  assert.ok(isGitError(error))
  const bands = [...packetsOf(bytes)].flatMap(each => (each.kind === 'data' ? [each.data] : []))

  assert.match(
    bands.find(data => data[0] === 3)?.toString() ?? '',
    /possible repository corruption on the remote side/,
  )
})

test('a fetch that is aborted while it waits leaves no file', async () => {
  const repo = await bench.create('aborted.git')
  const head = await commitFiles(repo, { a: 'a' })
  const error = await answer([`want ${head}`, 'done'], 'aborted.git', {
    signal: AbortSignal.abort(),
  }).catch(each => each)
  assert.is(isGitError(error) && error.code, 'aborted')
})

test.run()
