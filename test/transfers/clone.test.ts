import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { encodeFetch } from '../../src/git/protocol/fetch-request.ts'
import { encodeOldFetch } from '../../src/git/protocol/old-fetch-request.ts'
import type { Oid } from '../../src/lib/oid.ts'
import { fetchSpools } from '../../src/transfers/spools.ts'
import { type App, startApp } from '../support/app.ts'
import { type GitClient, openClient, remoteOf } from '../support/git/client.ts'
import { commitFiles, gitOutside } from '../support/git/repo.ts'
import { until } from '../support/until.ts'

let app: App
let client: GitClient
let spaceId = ''
let remote = ''
let requestHead = ''

test.before(async () => {
  app = await startApp()
  client = await openClient()
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  spaceId = body.id
  remote = remoteOf(app.url, spaceId, app.admin.token)
  await edit('One')
  await edit('Two')
  const request = await app.admin.post(`/v1/spaces/${spaceId}/change-requests`, { subject: 'Idea' })
  const change = { operation: 'insert_page', title: 'Idea', document: { markdown: 'An idea.' } }

  await app.admin.post(`/v1/spaces/${spaceId}/change-requests/${request.body.number}/content`, {
    changes: [change],
  })
  requestHead = await client.ok(['ls-remote', remote, 'refs/heads/change-requests/1'])
})
test.after(async () => {
  await client.remove()
  await app.stop()
})

async function edit(title: string): Promise<string> {
  const change = { operation: 'insert_page', title, document: { markdown: `${title}.` } }
  const { body } = await app.admin.post(`/v1/spaces/${spaceId}/content`, { changes: [change] })
  return body.revision
}

const versions = ['0', '1', '2'] as const
const at = (version: string) => ['-c', `protocol.version=${version}`]
const head = async () => (await client.ok(['ls-remote', remote, 'HEAD'])).split('\t')[0]!

test('ls-remote lists HEAD and the branches, in every version', async () => {
  assert.match(requestHead, /^[0-9a-f]{40}\trefs\/heads\/change-requests\/1$/)
  const lists = []
  for (const version of versions)
    lists.push(await client.ok([...at(version), 'ls-remote', '--symref', remote]))
  assert.match(
    lists[0]!,
    /^ref: refs\/heads\/main\tHEAD\n(\w{40})\tHEAD\n\w{40}\trefs\/heads\/change-requests\/1\n\1\trefs\/heads\/main$/,
  )
  assert.is(lists[1], lists[0])
  assert.is(lists[2], lists[0])
})

test('a clone has the files, HEAD and the branches, in every version', async () => {
  for (const version of versions) {
    await client.ok([...at(version), 'clone', '-q', remote, `v${version}`])
    assert.match(await readFile(join(client.folder, `v${version}`, 'two.md'), 'utf8'), /Two\./)
    const branches = await client.ok(['branch', '-r'], { in: `v${version}` })
    assert.match(
      branches,
      /origin\/HEAD -> origin\/main\s+origin\/change-requests\/1\s+origin\/main/,
    )
    await client.ok(['fsck', '--strict'], { in: `v${version}` })
  }
})

test('a fetch gets what is new, and nothing when nothing is', async () => {
  for (const version of versions) {
    await client.ok(['clone', '-q', remote, `fetch${version}`])
    const revision = await edit(`New ${version}`)
    await client.ok([...at(version), 'fetch', '-q'], { in: `fetch${version}` })
    assert.is(await client.ok(['rev-parse', 'origin/main'], { in: `fetch${version}` }), revision)
    const again = await client.git([...at(version), 'fetch', '-v'], { in: `fetch${version}` })
    assert.match(again.stderr, /up to date/)
  }
})

// Every repository has a first commit: HEAD is never unborn.
test('a space without pages is cloned', async () => {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Empty', empty: true })
  for (const version of versions) {
    const { code } = await client.git([
      ...at(version),
      ...['clone', '-q', remoteOf(app.url, body.id, app.admin.token), `empty${version}`],
    ])
    assert.is(code, 0)
    const branch = await client.ok(['symbolic-ref', 'HEAD'], { in: `empty${version}` })
    assert.is(branch, 'refs/heads/main')
  }
})

test('a shallow clone is deepened, by depth, time and branch', async () => {
  for (const version of versions) {
    const folder = `shallow${version}`
    await client.ok([
      ...at(version),
      'clone',
      '-q',
      '--depth=1',
      '--no-single-branch',
      remote,
      folder,
    ])
    const count = () => client.ok(['rev-list', '--count', 'origin/main'], { in: folder })
    assert.is(await count(), '1')
    await client.ok([...at(version), 'fetch', '-q', '--deepen=1'], { in: folder })
    assert.is(await count(), '2')
    await client.ok([...at(version), 'fetch', '-q', '--unshallow'], { in: folder })
    assert.is(await client.ok(['rev-parse', '--is-shallow-repository'], { in: folder }), 'false')
    const without = `without${version}`

    await client.ok([
      ...[...at(version), 'clone', '-q', '--shallow-exclude=main', '-b', 'change-requests/1'],
      ...[remote, without],
    ])
    assert.is(await client.ok(['rev-list', '--count', 'HEAD'], { in: without }), '1')
    const hidden = await client.git([
      ...[
        ...at(version),
        'clone',
        '-q',
        '--shallow-exclude=refs/stemma/keep/x',
        remote,
        `never${version}`,
      ],
    ])

    assert.match(hidden.stderr, /ambiguous deepen-not/)
    const future = await client.git([
      ...[...at(version), 'clone', '-q', '--shallow-since=4000000000', remote, `future${version}`],
    ])

    assert.match(future.stderr, /no commits selected for shallow requests/)
  }
})

test('a partial clone fetches what it lacks later', async () => {
  for (const filter of ['blob:none', 'tree:0', 'blob:limit=10', 'combine:blob:none+tree:1']) {
    const folder = `partial-${filter.replace(/\W/g, '-')}`
    await client.ok(['clone', '-q', '--no-checkout', `--filter=${filter}`, remote, folder])
    await client.ok(['checkout', '-q', 'main'], { in: folder })
    assert.match(await readFile(join(client.folder, folder, 'two.md'), 'utf8'), /Two\./)
    await client.ok(['log', '-p'], { in: folder })
  }

  const sparse = await client.git(['clone', '-q', '--filter=sparse:oid=main:x', remote, 'sparse'])
  assert.match(sparse.stderr, /filter 'sparse:oid=.*' not supported/)
  const old = await client.git(
    ['-c', 'protocol.version=0', 'clone', '--filter=blob:none', remote, 'old'],
    {
      env: { GIT_TRACE_PACKET: '1' },
    },
  )

  assert.is(old.code, 0, old.stderr)
  assert.match(old.stderr, /filtering not recognized by server, ignoring/)
})

test('objects that only hidden refs lead to are not served, whether they exist or not', async () => {
  const repo = spaceRepository(app.ctx, spaceId)
  const from = (await head()) as Oid
  const hidden = await commitFiles(
    repo,
    { 'hidden.md': 'H' },
    { ref: 'refs/stemma/x', parents: [from] },
  )
  const blob = await client.ok(['--git-dir', repo.dir, 'rev-parse', `${hidden}:hidden.md`])
  const absent = '1'.repeat(40)

  await client.ok(['init', '-q', 'wants'])

  for (const version of versions)
    for (const oid of [hidden, blob, absent]) {
      const { code, stderr } = await client.git([...at(version), 'fetch', remote, oid], {
        in: 'wants',
      })
      assert.is(code, 128)
      const by = version === '2' ? 'not our ref' : 'Server does not allow request|not our ref'
      assert.match(stderr, new RegExp(`${by}.*${oid}`))
    }

  // Clients of versions 0 and 1 do not even ask for what is not listed: this one does.
  const body = encodeOldFetch([`want ${blob}`, null, 'done']).toString()
  const headers = {
    authorization: `Bearer ${app.admin.token}`,
    'content-type': 'application/x-git-upload-pack-request',
  }

  const answer = await fetch(`${app.url}/${spaceId}.git/git-upload-pack`, {
    method: 'POST',
    headers,
    body,
  })

  assert.match(await answer.text(), new RegExp(`ERR upload-pack: not our ref ${blob}`))
  const reachable = await client.ok(['--git-dir', repo.dir, 'rev-parse', `${from}~1`])

  await client.ok(['fetch', '-q', remote, reachable], { in: 'wants' })
})

test('the same clone again needs no process', async () => {
  const made = fetchSpools(app.ctx).load.answers
  await client.ok(['clone', '-q', remote, 'once'])
  assert.is(fetchSpools(app.ctx).load.answers, made + 1)
  await client.ok(['clone', '-q', remote, 'twice'])
  assert.is(fetchSpools(app.ctx).load.answers, made + 1)
  await edit('After')
  await client.ok(['clone', '-q', remote, 'thrice'])
  assert.is(await client.ok(['rev-parse', 'HEAD'], { in: 'thrice' }), await head())
})

test('a clone of several packs needs no process of Git, and has nothing of hidden refs', async () => {
  const repo = spaceRepository(app.ctx, spaceId)
  const from = (await head()) as Oid
  const page = gitOutside(repo.dir, ['show', `${from}:two.md`])
  const hidden = { ref: 'refs/stemma/y', parents: [from] }

  await commitFiles(repo, { 'two.md': `${page}\nA hidden line.\n` }, hidden)
  const objects = gitOutside(repo.dir, [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--all',
  ]).split('\n')

  for (const rest of [0, 1, 2])
    gitOutside(
      repo.dir,
      ['pack-objects', '-q', 'objects/pack/pack'],
      `${objects.filter((_, n) => n % 3 !== rest).join('\n')}\n`,
    )

  gitOutside(repo.dir, ['prune-packed'])
  const revision = await edit('Loose')

  await client.ok(['clone', '-q', '--mirror', remote, 'packs'])
  const all = await client.ok(['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'], {
    in: 'packs',
  })
  const branches = ['rev-list', '--objects', '--no-object-names', '--branches']

  assert.equal(all.split('\n').sort(), gitOutside(repo.dir, branches).split('\n').sort())
  await client.ok(['fsck', '--strict'], { in: 'packs' })
  const ask = async (lines: string[]) => {
    const headers = {
      authorization: `Bearer ${app.admin.token}`,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': 'version=2',
    }
    const body = encodeFetch(lines).toString()
    const answer = await fetch(`${app.url}/${spaceId}.git/git-upload-pack`, {
      method: 'POST',
      headers,
      body,
    })

    return answer.text()
  }

  // Git reports its progress.
  assert.match(await ask([`want ${revision}`, 'done']), /Enumerating objects/)
  for (const oid of [revision, from])
    assert.not.match(await ask([`want ${oid}`, 'ofs-delta', 'done']), /Enumerating objects/)
})

test('a clone has what the branches lead to and nothing of hidden refs, however the objects are packed', async () => {
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Packed' })
  const from = remoteOf(app.url, body.id, app.admin.token)
  const repo = spaceRepository(app.ctx, body.id)
  const inside = (args: string[], input?: string) => gitOutside(repo.dir, args, input)
  const listed = (refs: string) =>
    inside(['rev-list', '--objects', '--no-object-names', refs]).split('\n').sort()
  const text = randomBytes(20_000).toString('hex')
  const shown = await commitFiles(repo, { 'a.md': text })

  // Of two similar objects, Git takes the larger one as the base of a delta.
  const longer = { 'a.md': `${text}${'A hidden line.\n'.repeat(100)}` }
  const hidden = await commitFiles(repo, longer, { ref: 'refs/stemma/x', parents: [shown] })
  const packings: Record<string, () => void> = {
    loose: () => {},
    bitmap: () =>
      void inside(['pack-objects', '-q', '--all', '--write-bitmap-index', 'objects/pack/pack']),
    overlapping: () => {
      const all = listed('--all')
      for (const rest of [0, 1, 2])
        inside(
          ['pack-objects', '-q', 'objects/pack/pack'],
          `${all.filter((_, n) => n % 3 !== rest).join('\n')}\n`,
        )
    },
  }

  for (const [name, pack] of Object.entries(packings)) {
    pack()
    inside(['prune-packed'])

    // Another head: the answer of the last clone is kept.
    await commitFiles(repo, { 'b.md': name })

    for (const version of versions) {
      const folder = `${name}${version}`
      await client.ok([...at(version), 'clone', '-q', '--mirror', from, folder])
      const cloned = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']
      assert.equal(
        (await client.ok(cloned, { in: folder })).split('\n').sort(),
        listed('--branches'),
      )
      await client.ok(['fsck', '--strict'], { in: folder })
    }
  }

  const deltas = readdirSync(join(repo.dir, 'objects/pack'))
    .filter(file => file.endsWith('.idx'))
    .map(file => inside(['verify-pack', '-v', `objects/pack/${file}`]))
  const [blob, base] = [shown, hidden].map(commit => inside(['rev-parse', `${commit}:a.md`]))

  assert.match(deltas.join('\n'), new RegExp(`^${blob} blob .* ${base}$`, 'm'))
})

test('the log names the number of objects, and nothing that the client sent', async () => {
  const { log } = app.ctx
  const [info, lines] = [log.info.bind(log), [] as Record<string, unknown>[]]
  Object.assign(log, { info: (line: Record<string, unknown>) => lines.push(line) })

  try {
    await client.ok(['clone', '-q', '--bare', remote, 'logged'])
    await until('the clone is logged', () => lines.find(({ service }) => service === 'fetch'))
  } finally {
    Object.assign(log, { info })
  }

  const counted = await client.ok(['count-objects', '-v'], { in: 'logged' })
  const fetched = lines.find(({ service }) => service === 'fetch')

  assert.is(fetched?.objects, Number(/in-pack: (\d+)/.exec(counted)?.[1]))
  assert.not.match(JSON.stringify(lines), new RegExp(app.admin.token))
})

test('a branch of the repository with the name of a proposed branch is listed once', async () => {
  await client.ok(['clone', '-q', remote, 'twin'])
  await client.ok(['commit', '-q', '--allow-empty', '-m', 'Twin'], { in: 'twin' })
  await client.ok(['push', '-q', 'origin', 'HEAD:refs/heads/twin'], { in: 'twin' })
  const repo = spaceRepository(app.ctx, spaceId)
  gitOutside(repo.dir, ['update-ref', 'refs/heads/twin', 'main'])
  const listed = await client.ok(['ls-remote', remote, 'refs/heads/twin'])
  assert.is(listed, `${await client.ok(['rev-parse', 'HEAD'], { in: 'twin' })}\trefs/heads/twin`)
  await client.ok(['clone', '-q', '--mirror', remote, 'of-twins'])
})

test('the address works without ".git" too', async () => {
  assert.is(
    await client.ok(['ls-remote', remote.slice(0, -4)]),
    await client.ok(['ls-remote', remote]),
  )
})

test.run()
