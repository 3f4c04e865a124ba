import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import type { Actor } from '../support/app.ts'
import { type GitClient, openClient, remoteOf } from '../support/git/client.ts'
import { gitOutside } from '../support/git/repo.ts'
import { type Killable, openKillable } from '../support/killable.ts'

let killable: Killable
let client: GitClient
test.before(async () => {
  killable = await openKillable()
  client = await openClient()
})
test.after(async () => {
  await client.remove()
  await killable.remove()
})

/** Creates a space with a page, and a clone of it with a commit. Returns its id and the commit. */
async function prepare(admin: Actor, url: string, name: string): Promise<{ id: string; commit: string }> {
  const organization = (await admin.get('/v1/orgs')).body.items[0].id
  const { id } = (await admin.post(`/v1/orgs/${organization}/spaces`, { title: name })).body
  const change = { operation: 'insert_page', title: 'One', document: { markdown: 'One.' } }
  await admin.post(`/v1/spaces/${id}/content`, { changes: [change] })
  await client.ok(['clone', '-q', remoteOf(url, id, admin.token), name])
  await writeFile(join(client.folder, name, 'one.md'), '# Pushed\n')
  await client.ok(['commit', '-q', '-a', '-m', 'Pushed'], { in: name })
  return { id, commit: await client.ok(['rev-parse', 'HEAD'], { in: name }) }
}

const url = async (): Promise<string> => {
  const [found] = await killable.running()!.says(/http:\/\/127\.0\.0\.1:\d+/)
  return found
}

// Before the intent nothing is done; once it is written, the start completes it.
for (const [point, done, ref] of [
  ['W1', false, 'refs/heads/main'],
  ['W3', true, 'refs/for/main'],
  ['W4', true, 'refs/heads/main'],
  ['W6', true, 'refs/for/main'],
] as const)
  test(`killed at ${point} of a push to ${ref}`, async () => {
    const name = `${point}-${ref.replaceAll('/', '-')}`
    let admin = await killable.serve()
    const { id, commit } = await prepare(admin, await url(), name)
    await killable.end('SIGTERM')
    await killable.serve({ STEMMA_CRASH_AT: point })
    const remote = async () => remoteOf(await url(), id, admin.token)
    const pushed = await client.git(['push', '--progress', await remote(), `HEAD:${ref}`], { in: name })
    assert.is.not(pushed.code, 0)
    await killable.running()!.ended
    admin = await killable.serve()
    const refs = gitOutside(spaceFolder(killable.dataDir, id), [
      'for-each-ref',
      '--format=%(objectname)',
      'refs/heads/',
    ])
    assert.is(refs.includes(commit), done)
    const requests = (await admin.get(`/v1/spaces/${id}/change-requests`)).body.items
    assert.is(requests.length, done && ref === 'refs/for/main' ? 1 : 0)
    const again = await client.git(['push', '--progress', await remote(), `HEAD:${ref}`], { in: name })
    assert.is(again.code, 0, again.stderr)
    assert.is(
      (await admin.get(`/v1/spaces/${id}/change-requests`)).body.items.length,
      ref === 'refs/for/main' ? 1 : 0,
    )
    if (ref === 'refs/for/main') assert.match(again.stderr, done ? /#1 is up to date/ : /#1 opened/)
    else assert.is((await admin.get(`/v1/spaces/${id}/content`)).body.id, commit)
    const staging = join(killable.dataDir, 'staging')
    assert.equal(existsSync(staging) ? readdirSync(staging) : [], [])
    await killable.end('SIGTERM')
  })

test.run()
