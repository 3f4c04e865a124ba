import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { waitForJobs } from '../crash/check/all.ts'
import { databaseOf, readRows } from '../crash/check/rows.ts'
import { checkSpace } from '../crash/check/space.ts'
import { fsck } from '../crash/clients/repository.ts'
import type { Actor } from '../support/app.ts'
import { craft, page, pageOid, treeOf } from '../support/git/raw-commit.ts'
import { type RawPush, sendPush } from '../support/git/raw-push.ts'
import { gitOutside } from '../support/git/repo.ts'
import { type Killable, openKillable } from '../support/killable.ts'
import { isLongRun } from '../support/long-run.ts'

let killable: Killable
test.before(async () => {
  killable = await openKillable()
})
test.after(() => killable.remove())

const url = async (): Promise<string> => {
  const [found] = await killable.running()!.says(/http:\/\/127\.0\.0\.1:\d+/)
  return found
}

type Refs = Record<string, string>
/** A push, and the branches once it was carried out. */
type Made = { push: RawPush; after: Refs }
type Prepare = { main: string; begin: (push: RawPush) => Promise<unknown> }

const tree = treeOf([['100644', 'page.md', pageOid]])
const follow = (...parents: string[]) => craft(parents, [tree])

/** What is pushed to a space whose only branch is at `main`. `begin` carries a push out before. */
const kinds: Record<string, (space: Prepare) => Made | Promise<Made>> = {
  main: ({ main }) => {
    const { pack, to } = follow(main)
    return {
      push: { commands: [{ ref: 'refs/heads/main', from: main, to }], pack },
      after: { main: to },
    }
  },
  'refs/for/main': ({ main }) => {
    const { pack, to } = follow(main)
    return {
      push: { commands: [{ ref: 'refs/for/main', to }], pack },
      after: { main, 'change-requests/1': to },
    }
  },
  'change-requests/1': async ({ main, begin }) => {
    const from = follow(main)
    await begin({ commands: [{ ref: 'refs/for/main', to: from.to }], pack: from.pack })
    const { pack, to } = follow(from.to)
    const ref = 'refs/heads/change-requests/1'
    return {
      push: { commands: [{ ref, from: from.to, to }], pack },
      after: { main, 'change-requests/1': to },
    }
  },
  'a new branch': ({ main }) => {
    const { pack, to } = follow(main)
    const push = { commands: [{ ref: 'refs/heads/idea', to }], pack }
    return { push, after: { main, 'change-requests/1': to } }
  },
  'an untouched space': () => {
    const { pack, to } = follow()
    return { push: { commands: [{ ref: 'refs/heads/main', to }], pack }, after: { main: to } }
  },
  'an untouched space, with a branch of another name': () => {
    const { pack, to } = follow()
    return { push: { commands: [{ ref: 'refs/heads/trunk', to }], pack }, after: { trunk: to } }
  },
  'main, with the merge of a change request': async ({ main, begin }) => {
    const request = follow(main)
    await begin({ commands: [{ ref: 'refs/for/main', to: request.to }], pack: request.pack })
    const { pack, to } = follow(main, request.to)
    return {
      push: { commands: [{ ref: 'refs/heads/main', from: main, to }], pack },
      after: { main: to },
    }
  },
  'main and a new branch, atomic': ({ main }) => {
    const first = follow(main)
    const blob = { type: 'blob', content: page } as const
    const { pack, to } = craft(
      [first.to],
      [tree],
      [{ type: 'commit', content: first.commit }, blob],
    )

    const commands = [
      { ref: 'refs/heads/main', from: main, to: first.to },
      { ref: 'refs/heads/idea', to },
    ]

    return {
      push: { commands, pack, capabilities: 'atomic' },
      after: { main: first.to, 'change-requests/1': to },
    }
  },
}

/**
 * In this order a server that dies at W4 or W5 has no intent of its predecessor to complete, which
 * would pass that point before the push does.
 */
const points = ['W3', 'W1', 'W4', 'W6', 'W5'] as const
const names = Object.keys(kinds)
const renaming = names[5]!
const cells: { kind: string; point: string }[] = [
  ...(isLongRun
    ? names.flatMap(kind => points.map(point => ({ kind, point })))
    : // Each point once, and other kinds of pushes with each.
      points.map((point, i) => ({
        kind: [names[7]!, names[1]!, renaming, names[6]!, names[2]!][i]!,
        point,
      }))),
  // The second move of refs publishes the content; the first one creates the branch.
  ...['W2', 'W4#2'].map(point => ({ kind: renaming, point })),
]

const refsOf = (id: string): Refs => {
  const format = '--format=%(refname:lstrip=2) %(objectname)'
  const listed = gitOutside(spaceFolder(killable.dataDir, id), [
    'for-each-ref',
    format,
    'refs/heads/',
  ])
  return Object.fromEntries(listed.split('\n').map(line => line.split(' ')))
}

const send = async (admin: Actor, id: string, push: RawPush) =>
  sendPush(await url(), id, admin.token, push)

/** Creates a space and the push to it. */
async function prepare(admin: Actor, kind: string): Promise<{ id: string; before: Refs } & Made> {
  const organization = (await admin.get('/v1/orgs')).body.items[0].id
  const { id } = (await admin.post(`/v1/orgs/${organization}/spaces`, { title: kind })).body
  const change = { operation: 'insert_page', title: 'One', document: { markdown: 'One.' } }
  if (!kind.includes('untouched'))
    await admin.post(`/v1/spaces/${id}/content`, { changes: [change] })

  const begin = async (push: RawPush) => {
    const { report } = await send(admin, id, push)
    assert.match(report[1]!, /^ok /)
  }
  const made = await kinds[kind]!({ main: refsOf(id).main!, begin })

  return { id, before: refsOf(id), ...made }
}

const staged = (): string[] => {
  const folder = join(killable.dataDir, 'staging')
  return existsSync(folder) ? readdirSync(folder) : []
}

// Before the intent nothing is done; once it is written, the next start completes it.
test('a server that is killed during a push has done all of it after the next start, or nothing', async () => {
  const admin = await killable.serve()
  const prepared: ({ kind: string; point: string } & Awaited<ReturnType<typeof prepare>>)[] = []
  for (const cell of cells) prepared.push({ ...cell, ...(await prepare(admin, cell.kind)) })
  await waitForJobs(killable)
  await killable.end('SIGTERM')

  for (const { kind, point, id, push } of prepared) {
    const dying = await killable.serve({ STEMMA_CRASH_AT: point })
    assert.equal(staged(), [], `before ${point} of a push to ${kind}`)
    const answered = await send(dying, id, push).catch(() => undefined)
    assert.is(answered, undefined, `${point} of a push to ${kind}: ${answered?.report}`)
    await killable.running()!.ended
    if (kind === renaming) await recover(id)
  }

  const last = await killable.serve()

  assert.equal(staged(), [])
  for (const cell of prepared) await settled(last, cell)
  await killable.end('SIGTERM')
})

/**
 * Lets a server without a crash point recover a space: recovery also moves refs, which passes W4
 * and W5.
 */
async function recover(id: string): Promise<void> {
  const admin = await killable.serve()
  await admin.get(`/v1/spaces/${id}/content`)
  await killable.end('SIGTERM')
}

/** Whether the server was killed before the push was in the journal. */
const isBeforeIntent = (kind: string, point: string): boolean =>
  point === 'W1' || (kind === renaming && ['W2', 'W4', 'W5'].includes(point))

/**
 * Checks a space whose server was killed, and that the same push is carried out or is there
 * already.
 */
async function settled(
  admin: Actor,
  {
    kind,
    point,
    id,
    before,
    after,
    push,
  }: Made & { kind: string; point: string; id: string; before: Refs },
): Promise<void> {
  const what = `killed at ${point} of a push to ${kind}`
  // A read opens the space.
  const { status } = await admin.get(`/v1/spaces/${id}/content`)
  assert.is(status, 200, what)
  assert.equal(refsOf(id), isBeforeIntent(kind, point) ? before : after, what)
  await consistent(id, what)
  const { report } = await send(admin, id, push)
  const verdicts = report.filter(line => /^(?:ok|ng) /.test(line))

  assert.ok(
    report[0] === 'unpack ok' && verdicts.length === push.commands.length && verdicts.every(isOk),
    `${what}, pushed again: ${report.join(', ')}`,
  )
  assert.equal(refsOf(id), after, `${what}, pushed again`)
  await consistent(id, `${what}, pushed again`)
}

const isOk = (verdict: string): boolean => verdict.startsWith('ok ')

/** Throws unless the rows and the repository of a space say the same, and the journal is empty. */
async function consistent(id: string, what: string): Promise<void> {
  let found = await differences(id)
  if (found.length > 0) {
    // The revision index follows a push, and a job updates it at the latest.
    assert.is(await waitForJobs(killable), undefined, what)
    found = await differences(id)
  }
  assert.equal(found, [], what)
}

/**
 * Returns the differences between the rows and the repository of a space, and what is in the
 * journal.
 */
async function differences(id: string): Promise<string[]> {
  const rows = readRows(databaseOf(killable.dataDir), false)
  const dir = spaceFolder(killable.dataDir, id)
  return [
    ...rows.problems,
    ...rows.operations.map(each => `the operation ${each.kind} is in the journal`),
    ...(await checkSpace(rows, dir, id, undefined, false)),
    ...(await fsck(dir)),
  ]
}

test.run()
