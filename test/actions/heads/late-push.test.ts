import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  guardPushes,
  type RequestState,
  whyNotPush,
} from '../../../src/actions/repositories/push-policy.ts'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { verifySpace } from '../../../src/actions/upkeep/verify-space.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { restart } from '../../support/restart.ts'

let app: App
let clone: string
let api: string
let dir: string
let space: Awaited<ReturnType<typeof createSpace>>

test.before(async () => {
  app = await startApp()
  space = await createSpace(
    app.ctx,
    { organization_id: 'acme', title: 'S' },
    findUser(app.ctx.store, app.admin.id)!,
  )
  api = `/v1/spaces/${space.id}`
  dir = spaceRepository(app.ctx, space.id).dir
  clone = mkdtempSync(join(tmpdir(), 'stemma-late-'))
})
test.after(async () => {
  rmSync(clone, { recursive: true, force: true })
  await app.stop({ damaged: true })
})

const changes = [{ operation: 'insert_page', title: 'New', document: { markdown: 'x' } }]

/** Opens a change request with one edit. Returns its number. */
async function open(): Promise<number> {
  const { body } = await app.admin.post(`${api}/change-requests`, { subject: 'Propose', changes })
  return body.number
}
const status = (number: number, to: string) =>
  app.admin.patch(`${api}/change-requests/${number}`, { status: to })

let commits = 0
/** Pushes a new commit to a ref from a clone. Returns Git's message if it is refused. */
function push(ref: string): string | undefined {
  const work = join(clone, `c${commits++}`)
  gitOutside(clone, ['clone', '--quiet', dir, work])
  const there =
    gitOutside(work, ['for-each-ref', `refs/remotes/origin/${ref.slice('refs/heads/'.length)}`]) !==
    ''
  const from = there ? ref.replace('refs/heads', 'origin') : 'HEAD'

  gitOutside(work, ['checkout', '--quiet', '--detach', from])
  gitOutside(work, ['commit', '--quiet', '--allow-empty', '-m', `late ${commits}`])

  try {
    gitOutside(work, ['push', '--quiet', 'origin', `HEAD:${ref}`])
    return undefined
  } catch (error) {
    return String((error as { stderr?: string }).stderr)
  }
}

/** The hook must use the words of the policy. */
function refused(ref: string, state: RequestState): void {
  const why = whyNotPush(ref, () => state)
  const said = push(ref)
  if (why === undefined) assert.is(said, undefined, ref)
  else assert.ok(said?.includes(why), `${ref}: ${said}`)
}

test('pushes to merged, archived and nonexistent change requests are refused, to open ones accepted', async () => {
  const [goesOn, archived, merged] = [await open(), await open(), await open()]
  await status(archived, 'archived')
  assert.is((await app.admin.post(`${api}/change-requests/${merged}/merge`)).body.result, 'merge')
  refused(`refs/heads/change-requests/${goesOn}`, 'open')
  refused(`refs/heads/change-requests/${archived}`, 'archived')
  refused(`refs/heads/change-requests/${merged}`, 'closed')
  for (const name of ['99', '0', '007', 'x', '1/2', '12345678901', '1x'])
    refused(`refs/heads/change-requests/${name}`, 'closed')
  refused('refs/heads/main', 'open')
  assert.is(
    whyNotPush(`refs/heads/change-requests/${merged}`, () => 'closed'),
    `change request ${merged} is merged or does not exist; open another one and push to its branch`,
  )
  assert.is((await status(archived, 'open')).status, 200)
  refused(`refs/heads/change-requests/${archived}`, 'open')
  const { body } = await app.admin.get(`${api}/change-requests/${archived}`)

  assert.is(body.revision, gitOutside(dir, ['rev-parse', `change-requests/${archived}`]))
  assert.equal(await verifySpace(app.ctx, space), [])
})

test('startup installs a missing hook, restores its own hook, and leaves a foreign hook alone', async () => {
  const hook = join(dir, 'hooks/update')
  const ours = readFileSync(hook, 'utf8')
  rmSync(join(dir, 'hooks'), { recursive: true })
  const number = await open()

  await status(number, 'archived')
  rmSync(join(dir, 'stemma-archived'))
  await restart(app.ctx)
  assert.is(readFileSync(hook, 'utf8'), ours)
  refused(`refs/heads/change-requests/${number}`, 'archived')
  writeFileSync(hook, `${ours}# older\n`)
  await restart(app.ctx)
  assert.is(readFileSync(hook, 'utf8'), ours)
  writeFileSync(hook, '#!/bin/sh\nexit 0\n')
  await restart(app.ctx)
  assert.is(readFileSync(hook, 'utf8'), '#!/bin/sh\nexit 0\n')
  rmSync(hook)
  await guardPushes(app.ctx, spaceRepository(app.ctx, space.id), space.id)
  assert.is(readFileSync(hook, 'utf8'), ours)
})

test('verify reports branches that belong to no change request', async () => {
  const merged = await open()
  assert.is((await app.admin.post(`${api}/change-requests/${merged}/merge`)).body.result, 'merge')
  const head = gitOutside(dir, ['rev-parse', 'main'])
  for (const name of [`change-requests/${merged}`, 'feature'])
    gitOutside(dir, ['update-ref', `refs/heads/${name}`, head])
  const found = await verifySpace(app.ctx, space)

  assert.equal(
    found.map(({ what }) => what),
    [
      `The branch change-requests/${merged} was pushed, but change request ${merged} is merged or does not exist. Its commits are not shown.`,
      'The branch feature is neither the primary branch nor the branch of a change request. Its commits are not shown.',
    ],
  )

  for (const { remedy } of found) {
    const command = /: git (--git-dir=\S+) (branch -D -- \S+)\.$/.exec(remedy)
    gitOutside(clone, [command![1]!, ...command![2]!.split(' ')])
  }

  assert.equal(await verifySpace(app.ctx, space), [])
})

test.run()
