import { randomBytes } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { encodeFetch } from '../../src/git/protocol/fetch-request.ts'
import { encodeOldFetch } from '../../src/git/protocol/old-fetch-request.ts'
import { packetsOf } from '../../src/git/protocol/packet-reader.ts'
import type { Oid } from '../../src/lib/oid.ts'
import { type App, startApp } from '../support/app.ts'
import { craft, page, pageOid, treeOf } from '../support/git/raw-commit.ts'
import { type PackEntry, packOf } from '../support/git/raw-pack.ts'
import { sendPush } from '../support/git/raw-push.ts'
import { commitFiles, gitOutside } from '../support/git/repo.ts'

let app: App
let spaceId = ''
let head: Oid
let old: Oid
/** Ids that no branch leads to, by what they are. */
const hidden: Record<string, string> = {}
const absent = '1'.repeat(40)

test.before(async () => {
  app = await startApp()
  spaceId = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })).body.id
  const repo = spaceRepository(app.ctx, spaceId)
  old = await commitFiles(repo, { 'one.md': 'One' })
  head = await commitFiles(repo, { 'one.md': 'Two' }, { parents: [old] })
  const inside = (...args: string[]) => gitOutside(repo.dir, args)
  const kept = await commitFiles(repo, { 'h.md': 'H' }, { ref: 'refs/stemma/x', parents: [head] })

  Object.assign(hidden, {
    'a commit of a hidden ref': kept,
    'a tree of a hidden ref': inside('rev-parse', `${kept}^{tree}`),
    'a blob of a hidden ref': inside('rev-parse', `${kept}:h.md`),
    'a commit of a note': await commitFiles(repo, { n: 'N' }, { ref: 'refs/notes/x', parents: [] }),
    'an unreachable commit': inside('commit-tree', '-m', 'x', `${head}^{tree}`),
  })
})
test.after(() => app.stop())

const words = 'multi_ack_detailed no-done side-band-64k thin-pack ofs-delta shallow'

/** Sends lines that follow the want. Returns the answer. */
async function ask(version: number, lines: readonly string[], done = false): Promise<string> {
  const ends = done ? ['done'] : []
  const before = lines.filter(line => !line.startsWith('have '))
  const haves = lines.filter(line => line.startsWith('have '))
  const body =
    version === 2
      ? encodeFetch([`want ${head}`, ...lines, ...ends])
      : encodeOldFetch([
          `want ${head} ${words}`,
          ...before,
          null,
          ...haves,
          ...(done ? ends : [null]),
        ])

  const answer = await fetch(`${app.url}/${spaceId}.git/git-upload-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.admin.token}`,
      'content-type': 'application/x-git-upload-pack-request',
      'git-protocol': `version=${version}`,
    },
    body: body.toString(),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())

  assert.is(answer.status, 200, bytes.toString())

  return textOf(bytes)
}

/**
 * Returns the lines of an answer and its pack, without progress: how they are divided into packets
 * is chance.
 */
function textOf(bytes: Buffer): string {
  const lines: string[] = []
  const pack: Buffer[] = []
  for (const each of packetsOf(bytes)) {
    if (each.kind !== 'data') lines.push(each.kind)
    else if (each.data[0] === 1) pack.push(each.data.subarray(1))
    else if (each.data[0] !== 2) lines.push(each.data.toString().trim())
  }
  return `${lines.join('\n')}\n${Buffer.concat(pack).toString('latin1')}`
}

for (const version of [0, 1, 2])
  test(`version ${version}: an object that no branch leads to is the same as one that is not there`, async () => {
    const asking: ((oid: string) => [string[], boolean])[] = [
      oid => [[`have ${oid}`], false],
      oid => [[`have ${oid}`, `have ${old}`], false],
      oid => [[`have ${oid}`], true],
      oid => [[`shallow ${oid}`, 'deepen 5'], true],
      oid => [[`shallow ${oid}`, `have ${oid}`], true],
    ]
    for (const make of asking) {
      const expected = await ask(version, ...make(absent))
      assert.not.match(expected, /ERR/)
      for (const [what, oid] of Object.entries(hidden))
        assert.is((await ask(version, ...make(oid))).replaceAll(oid, absent), expected, what)
    }
  })

for (const version of [0, 1, 2])
  test(`version ${version}: commits of branches are acknowledged, and left out of the pack`, async () => {
    assert.match(await ask(version, [`have ${old}`]), new RegExp(`ACK ${old}`))
    assert.match(await ask(version, [`have ${absent}`, `have ${head}`]), new RegExp(`ACK ${head}`))
    assert.match(await ask(version, [`have ${absent}`]), /NAK/)
    const whole = await ask(version, [], true)
    const rest = await ask(version, [`have ${old}`], true)
    assert.ok(rest.length < whole.length, 'all objects are sent')
  })

test('the commits of a refused branch are neither served nor acknowledged, though its pack came in with another', async () => {
  const trees = [treeOf([['100644', 'page.md', pageOid]])]
  const [good, bad] = [craft([head], trees), craft([], trees)]
  const commits = [good, bad].map(({ commit }): PackEntry => ({ type: 'commit', content: commit }))
  const both = packOf([
    ...commits,
    { type: 'tree', content: trees[0]! },
    { type: 'blob', content: page },
  ])

  const commands = [
    { ref: 'refs/heads/good', to: good.to },
    { ref: 'refs/heads/bad', to: bad.to },
  ]
  const { report } = await sendPush(app.url, spaceId, app.admin.token, { commands, pack: both })

  assert.equal(report.slice(1), [
    'ok refs/heads/good',
    'ng refs/heads/bad it has no commit in common with main',
  ])
  assert.match(await ask(2, [`want ${bad.to}`], true), /not our ref/)
  assert.equal(await ask(2, [`have ${bad.to}`]), await ask(2, [`have ${absent}`]))
  assert.match(await ask(2, [`have ${good.to}`]), new RegExp(`ACK ${good.to}`))
})

test('of more ids than are looked up one by one, the hidden ones are not told', async () => {
  const haves = Array.from({ length: 2000 }, () => `have ${randomBytes(20).toString('hex')}`)
  const others = Object.values(hidden).map(oid => `have ${oid}`)
  const text = await ask(2, [...haves, ...others, `have ${old}`])
  assert.equal(text.match(/ACK [0-9a-f]{40}/g), [`ACK ${old}`])
})

test.run()
