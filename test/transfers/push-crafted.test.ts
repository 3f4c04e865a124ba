import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { countRunning } from '../../src/transfers/turns.ts'
import { openPushBench, type PushBench } from '../support/git/pushing.ts'
import { homeEntries, objectId, type PackEntry, packOf } from '../support/git/raw-pack.ts'
import { beginPush, pushBody, type RawPush, sendPush } from '../support/git/raw-push.ts'
import { until } from '../support/until.ts'

let bench: PushBench
test.before(async () => {
  bench = await openPushBench()
})
test.after(() => bench.stop())

const send = (spaceId: string, push: RawPush | Buffer, token = bench.app.admin.token) =>
  sendPush(bench.app.url, spaceId, token, push)

const staged = (): string[] => {
  try {
    return readdirSync(join(bench.app.dataDir, 'staging'))
  } catch {
    return []
  }
}

const who = 'Mallory <mallory@example.org> 1700000000 +0000'
const page = Buffer.from('# Page\n')

/** A commit of a tree with these entries on top of a parent, as a pack. */
function crafted(
  parents: readonly string[],
  entries: [mode: string, name: string, oid: string][],
  more: PackEntry[] = [{ type: 'blob', content: page }],
  message = 'Crafted',
): { pack: Buffer; to: string } {
  const tree = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(oid, 'hex'),
    ]),
  )
  const commit = Buffer.from(
    `tree ${objectId('tree', tree)}\n${parents.map(each => `parent ${each}\n`).join('')}author ${who}\ncommitter ${who}\n\n${message}\n`,
  )
  const pack = packOf([
    { type: 'commit', content: commit },
    { type: 'tree', content: tree },
    ...more,
  ])

  return { pack, to: objectId('commit', commit) }
}
const pageEntry: [string, string, string] = ['100644', 'page.md', objectId('blob', page)]

/** A file that makes a pack too large to be kept in memory. */
const noise = randomBytes(300_000)
const noiseEntry: [string, string, string] = ['100644', 'noise.bin', objectId('blob', noise)]

/**
 * Returns a commit on top of another one, with a pack that is kept in memory or in a file while it
 * comes.
 */
const craftedOf = (parent: string, size: 'small' | 'large') =>
  size === 'small'
    ? crafted([parent], [pageEntry])
    : crafted(
        [parent],
        [noiseEntry, pageEntry],
        [page, noise].map(content => ({ type: 'blob', content })),
      )

/** Returns the body of a push to main. */
function bodyOf(main: string, size: 'small' | 'large'): Buffer {
  const { pack, to } = craftedOf(main, size)
  return pushBody({ commands: [{ ref: 'refs/heads/main', from: main, to }], pack })
}

const isComing = (size: 'small' | 'large') =>
  until('the pack comes', async () =>
    (size === 'small' ? countRunning(bench.app.ctx) : staged().length) > 0 ? true : undefined,
  )

/** A space with a commit below refs/stemma/remotes, as the import of a folder leaves one. */
async function withHidden() {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const tree = bench.inside(id, 'rev-parse', 'main^{tree}')
  const hidden = bench.inside(id, 'commit-tree', '-p', main, '-m', 'Hidden', tree)
  bench.inside(id, 'update-ref', 'refs/stemma/remotes/x', hidden)
  return { id, main, hidden }
}

test('a push to main with commits that follow it', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const { pack, to } = crafted([main], [pageEntry])
  const { status, report } = await send(id, {
    commands: [{ ref: 'refs/heads/main', from: main, to }],
    pack,
  })

  assert.is(status, 200)
  assert.equal(report, ['unpack ok', 'ok refs/heads/main'])
  assert.is(bench.refs(id).main, to)
  assert.equal(staged(), [])
})

test('the report names the branch that a proposal became', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const { pack, to } = crafted([main], [pageEntry])
  const { report } = await send(id, { commands: [{ ref: 'refs/for/main', to }], pack })

  assert.equal(report, [
    'unpack ok',
    'ok refs/for/main',
    'option refname refs/heads/change-requests/1',
    `option old-oid ${'0'.repeat(40)}`,
    `option new-oid ${to}`,
  ])
})

test('hidden objects and missing ones are refused with the same words', async () => {
  const { id, main, hidden } = await withHidden()
  const missing = 'd'.repeat(40)
  const refs = bench.refs(id)
  const packs = readdirSync(join(bench.repo(id).dir, 'objects/pack'))

  for (const parent of [hidden, missing]) {
    const { pack, to } = crafted([main, parent], [pageEntry])
    const { report } = await send(id, {
      commands: [{ ref: 'refs/heads/main', from: main, to }],
      pack,
    })

    assert.equal(report, [
      'unpack the pack lacks objects that it refers to',
      'ng refs/heads/main unpacker error',
    ])

    const tip = await send(id, {
      commands: [{ ref: 'refs/heads/x', to: parent }],
      pack: packOf([]),
    })

    assert.is(tip.report[0], 'unpack the pack lacks objects that it refers to')
  }

  assert.equal(bench.refs(id), refs)
  assert.equal(readdirSync(join(bench.repo(id).dir, 'objects/pack')), packs)
  assert.equal(staged(), [])
})

test('a parent that stands behind the committer, which Git ignores, is none', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const tree = Buffer.concat([
    Buffer.from('100644 page.md\0'),
    Buffer.from(objectId('blob', page), 'hex'),
  ])
  const commit = Buffer.from(
    `tree ${objectId('tree', tree)}\nauthor ${who}\ncommitter ${who}\nparent ${main}\n\nCrafted\n`,
  )
  const entries: PackEntry[] = [
    { type: 'commit', content: commit },
    { type: 'tree', content: tree },
    { type: 'blob', content: page },
  ]
  const to = objectId('commit', commit)
  const push = { commands: [{ ref: 'refs/heads/main', from: main, to }], pack: packOf(entries) }
  const { report } = await send(id, push)

  assert.match(report[1]!, /^ng refs\/heads\/main non-fast-forward/)
  assert.is(bench.refs(id).main, main)
})

test('an entry of an unknown type, which Git does not follow, is not shown as a page', async () => {
  const { id, main, hidden } = await withHidden()
  const secret = bench.inside(id, 'rev-parse', `${hidden}:README.md`)
  for (const mode of ['10644', '60644', '140000', '160000', '170000', '644']) {
    const from = bench.refs(id).main!
    const { pack, to } = crafted([from], [[mode, 'a.md', secret], pageEntry])
    const { report } = await send(id, { commands: [{ ref: 'refs/heads/main', from, to }], pack })
    if (report[1] !== 'ok refs/heads/main') continue

    const { body } = await bench.app.admin.get(`/v1/spaces/${id}/content/pages`)
    const paths = body.pages.map((each: { path: string }) => each.path)

    assert.equal([mode, paths.includes('a')], [mode, false])

    // Nor does a second push make it a file that Git follows.
    const again = crafted([to], [['100644', 'a.md', secret], pageEntry], [])

    await send(id, {
      commands: [{ ref: 'refs/heads/main', from: to, to: again.to }],
      pack: again.pack,
    })
  }

  assert.is.not(bench.refs(id).main, main)
})

test('packs that are cut, changed or empty', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const { pack, to } = crafted([main], [pageEntry])
  const version = Buffer.from(pack)

  version.writeUInt32BE(9, 4)
  const none = undefined

  for (const bad of [
    none,
    pack.subarray(0, 50),
    version,
    Buffer.concat([pack, Buffer.from('x')]),
  ]) {
    const { report } = await send(id, {
      commands: [{ ref: 'refs/heads/main', from: main, to }],
      ...(bad && { pack: bad }),
    })
    assert.equal(report, ['unpack the pack is broken', 'ng refs/heads/main unpacker error'])
  }
})

test('a lie about the old value, and what is no commit', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const { pack, to } = crafted([main], [pageEntry])
  const lie = await send(id, {
    commands: [{ ref: 'refs/heads/main', from: 'e'.repeat(40), to }],
    pack,
  })

  assert.equal(lie.report, ['unpack ok', 'ng refs/heads/main fetch first'])
  assert.is(
    lie.said,
    'main has gone on: pull and push again, or propose it: git push <remote> HEAD:refs/for/main\n',
  )
  const tree = bench.inside(id, 'rev-parse', 'main^{tree}')
  const blob = await send(id, { commands: [{ ref: 'refs/heads/x', to: tree }], pack: packOf([]) })

  assert.equal(blob.report, ['unpack ok', 'ng refs/heads/x a branch can only be moved to a commit'])
  const gone = await send(id, { commands: [{ ref: 'refs/heads/gone', from: main }] })

  assert.equal(gone.report, [
    'unpack ok',
    'ng refs/heads/gone branches are not deleted: archive the change request instead',
  ])

  const twice = await send(id, {
    commands: [
      { ref: 'refs/heads/main', from: main, to },
      { ref: 'refs/heads/main', from: main, to },
    ],
    pack,
  })

  assert.equal(twice.report, [
    'unpack ok',
    'ok refs/heads/main',
    'ng refs/heads/main the branch is named twice',
  ])
  const again = await send(id, { commands: [{ ref: 'refs/heads/main', from: main, to }], pack })

  assert.equal(again.report, ['unpack ok', 'ok refs/heads/main'])
})

test('trees with too many paths or folders are refused at once', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const pageOid = objectId('blob', page)
  const push = (trees: Buffer[]) => {
    const top = objectId('tree', trees.at(-1)!)
    const commit = Buffer.from(
      `tree ${top}\nparent ${main}\nauthor ${who}\ncommitter ${who}\n\nCrafted\n`,
    )
    const pack = packOf([
      { type: 'commit', content: commit },
      ...trees.map((content): PackEntry => ({ type: 'tree', content })),
      { type: 'blob', content: page },
    ])

    return send(id, {
      commands: [{ ref: 'refs/heads/main', from: main, to: objectId('commit', commit) }],
      pack,
    })
  }
  const entry = (mode: string, name: string, oid: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  const wide: Buffer[] = [entry('100644', 'a', pageOid)]
  const deep: Buffer[] = [entry('100644', 'a', pageOid)]

  for (let i = 0; i < 10; i++) {
    const below = objectId('tree', wide.at(-1)!)
    wide.push(Buffer.concat([...'0123456789'].map(name => entry('40000', name, below))))
  }

  for (let i = 0; i < 200; i++) deep.push(entry('40000', 'd', objectId('tree', deep.at(-1)!)))
  assert.is((await push(wide)).report[0], 'unpack too many files')
  assert.is((await push(deep)).report[0], 'unpack folders nested too deeply')
})

test('requests that are none', async () => {
  const id = await bench.space()
  const { commit } = homeEntries()
  assert.is((await send(id, Buffer.from('0000'))).status, 200)
  assert.is((await send(id, Buffer.from('0003'))).status, 400)
  assert.is((await send(id, Buffer.from('not packets'))).status, 400)
  assert.is((await send(id, Buffer.alloc(0))).status, 400)
  assert.is(
    (await send(id, { commands: [{ ref: 'refs/heads/a\x1b[31m', to: commit }] })).status,
    400,
  )
  const many = Array.from({ length: 20_000 }, (_, i) => ({ ref: `refs/heads/b${i}`, to: commit }))

  assert.is((await send(id, { commands: many })).status, 400)
  const options = Array.from({ length: 60 }, () => 'x'.repeat(1000))

  assert.is(
    (await send(id, { commands: [{ ref: 'refs/heads/x', to: commit }], options })).status,
    400,
  )
})

test('a gzipped push', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const { pack, to } = crafted([main], [pageEntry])
  const body = gzipSync(pushBody({ commands: [{ ref: 'refs/heads/main', from: main, to }], pack }))
  const sending = beginPush(bench.app.url, id, bench.app.admin.token, {
    'content-encoding': 'gzip',
  })

  sending.write(body)
  sending.end()
  assert.equal((await sending.answer).report, ['unpack ok', 'ok refs/heads/main'])
  const brotli = beginPush(bench.app.url, id, bench.app.admin.token, { 'content-encoding': 'br' })

  brotli.end()
  assert.is((await brotli.answer).status, 415)
})

test('a client that goes away leaves nothing', async () => {
  for (const size of ['small', 'large'] as const) {
    const id = await bench.space()
    const refs = bench.refs(id)
    const sending = beginPush(bench.app.url, id, bench.app.admin.token)
    sending.write(bodyOf(refs.main!, size).subarray(0, -10))
    await isComing(size)
    sending.cut()
    await until('the transfer ends', async () =>
      countRunning(bench.app.ctx) === 0 ? true : undefined,
    )
    await until('the folder is gone', async () => (staged().length === 0 ? true : undefined))
    assert.equal(bench.refs(id), refs)
  }
})

test('a commit that is too large to be read is refused, with the reason', async () => {
  const id = await bench.space()
  const { main = '' } = bench.refs(id)
  const large = crafted([main], [pageEntry], undefined, 'large '.repeat(900_000))
  const ref = { ref: 'refs/heads/main', from: main, to: large.to }
  const first = await send(id, { commands: [ref], pack: large.pack })

  assert.equal(first.report, [
    'unpack a commit or a folder is too large',
    'ng refs/heads/main unpacker error',
  ])
  assert.equal(bench.refs(id).main, main)
})

test('a push opens at most 50 change requests', async () => {
  const id = await bench.space()
  const { pack, to } = crafted([bench.refs(id).main!], [pageEntry])
  const commands = Array.from({ length: 52 }, (_, n) => ({
    ref: `refs/heads/b${n}`,
    from: '0'.repeat(40),
    to,
  }))
  const { report } = await send(id, { commands, pack })

  assert.is(report.filter(line => line.startsWith('ok ')).length, 50)
  assert.equal(report.slice(-2), [
    'ng refs/heads/b50 a push opens at most 50 change requests: push fewer branches at once',
    'ng refs/heads/b51 a push opens at most 50 change requests: push fewer branches at once',
  ])
})

test('a push ends when its client has gone, after the branch that is under way', async () => {
  const id = await bench.space()
  const { pack, to } = craftedOf(bench.refs(id).main!, 'large')
  const commands = Array.from({ length: 50 }, (_, n) => ({
    ref: `refs/heads/b${n}`,
    from: '0'.repeat(40),
    to,
  }))
  const sending = beginPush(bench.app.url, id, bench.app.admin.token)

  sending.write(pushBody({ commands, pack }))
  sending.end()
  const count = () => Object.keys(bench.refs(id)).length - 1

  await until('the first one is there', () => (count() > 0 ? true : undefined))
  sending.cut()
  await until('the folder is gone', () => (staged().length === 0 ? true : undefined))
  const opened = count()

  assert.ok(opened < 50, `${opened}`)
  await setTimeout(200)
  assert.is(count(), opened)
})

/** Sends a push of which the end is held back while something else happens. */
async function meanwhile(
  spaceId: string,
  actor: { token: string },
  size: 'small' | 'large',
  happens: () => Promise<unknown>,
): Promise<string[]> {
  const refs = bench.refs(spaceId)
  const body = bodyOf(refs.main!, size)
  const sending = beginPush(bench.app.url, spaceId, actor.token)
  sending.write(body.subarray(0, -10))
  await isComing(size)
  await happens()
  sending.write(body.subarray(-10))
  sending.end()
  const { report } = await sending.answer

  assert.equal(bench.refs(spaceId), refs)
  assert.equal(staged(), [])

  return report
}

for (const size of ['small', 'large'] as const)
  test(`rights that end while a ${size} pack comes`, () => rightsEnd(size))

async function rightsEnd(size: 'small' | 'large'): Promise<void> {
  const { admin } = bench.app
  const id = await bench.space()
  const api = `/v1/spaces/${id}`
  const bo = bench.user(`Bo ${size}`, 'read')
  const given = await admin.post(`${api}/permissions`, { role: 'edit', users: [bo.id] })

  assert.is(given.status, 204)
  const lowered = await meanwhile(id, bo, size, () =>
    admin.post(`${api}/permissions`, { role: 'comment', users: [bo.id] }),
  )

  assert.equal(lowered, [
    'unpack ok',
    'ng refs/heads/main This needs the role "edit" in the space; yours is "comment"',
  ])
  await admin.post(`${api}/permissions`, { role: 'edit', users: [bo.id] })
  const locked = await meanwhile(id, bo, size, () => admin.patch(api, { editMode: 'locked' }))

  assert.equal(locked, [
    'unpack ok',
    'ng refs/heads/main The space is locked: change it with a change request',
  ])
  await admin.patch(api, { editMode: 'live' })
  const revoked = await meanwhile(id, bo, size, () => bo.delete('/v1/user/tokens'))

  assert.match(revoked[1]!, /^ng refs\/heads\/main The token cannot be used/)
  const deleted = await meanwhile(id, admin, size, () => admin.delete(api))

  assert.match(deleted[1]!, /^ng refs\/heads\/main There is no space/)
}

test('a guest cannot show a description of the organization with a push', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const guest = bench.user('Gus', null)
  await bench.app.admin.post(`/v1/spaces/${id}/permissions`, { role: 'edit', users: [guest.id] })
  const text = Buffer.from('{% openapi-operation spec="secret" path="/pets" method="get" %}\n')
  const { pack, to } = crafted(
    [main],
    [['100644', 'one.md', objectId('blob', text)]],
    [{ type: 'blob', content: text }],
  )

  const commands = [
    { ref: 'refs/for/main' },
    { ref: 'refs/heads/topic' },
    { ref: 'refs/heads/main', from: main },
  ]

  for (const command of commands) {
    const { report } = await send(id, { commands: [{ ...command, to }], pack }, guest.token)
    assert.match(report[1]!, /^ng \S+ You do not have access to the OpenAPI specs/)
  }

  assert.equal(bench.refs(id), { main })

  // Alone, the command is refused before its objects come into the repository.
  assert.not.ok(bench.inside(id, 'cat-file', '--batch-all-objects', '--batch-check').includes(to))
  const member = await send(id, { commands: [{ ref: 'refs/heads/topic', to }], pack })

  assert.equal(member.report[1], 'ok refs/heads/topic')
})

test('a guest goes on with content that shows a description already', async () => {
  const id = await bench.space()
  const main = bench.refs(id).main!
  const guest = bench.user('Gil', null)
  await bench.app.admin.post(`/v1/spaces/${id}/permissions`, { role: 'edit', users: [guest.id] })
  const text = Buffer.from('{% openapi-operation spec="secret" path="/pets" method="get" %}\n')
  const shown = crafted(
    [main],
    [['100644', 'one.md', objectId('blob', text)]],
    [{ type: 'blob', content: text }],
  )
  const topic = { ref: 'refs/heads/topic', to: shown.to }

  await send(id, { commands: [topic], pack: shown.pack })
  const other = Buffer.from('# Two\n')
  const next = crafted(
    [shown.to],
    [
      ['100644', 'one.md', objectId('blob', text)],
      ['100644', 'two.md', objectId('blob', other)],
    ],
    [{ type: 'blob', content: other }],
  )
  const command = { ref: 'refs/heads/topic', from: shown.to, to: next.to }
  const { report } = await send(id, { commands: [command], pack: next.pack }, guest.token)

  assert.equal(report[1], 'ok refs/heads/topic')
})

test.run()
