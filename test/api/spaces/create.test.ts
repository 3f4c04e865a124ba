import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceRepository } from '../../../src/actions/repositories/space-repository.ts'
import { readBlob, readCommit } from '../../../src/git/objects/objects.ts'
import { listFiles } from '../../../src/git/trees/tree-files.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()
const creator = app.user('Cleo', 'create')
const reviewer = app.user('Rex', 'review')
const guest = app.user('Gus', null)
const stranger = app.user('Sid')
const path = '/v1/orgs/acme/spaces'

test.after(() => app.stop())

/** Returns the files of a space's revision by path. */
async function filesOf(id: string, revision: string): Promise<Record<string, string>> {
  const repo = spaceRepository(app.ctx, id)
  const commit = await readCommit(repo, revision as Oid)
  const files: Record<string, string> = {}
  for (const file of (await listFiles(repo, commit?.tree as Oid)).files) {
    files[file.path] = (await readBlob(repo, file.oid))?.toString() ?? ''
  }
  return files
}

test('a space is a repository with an empty page of the same title', async () => {
  const made = await creator.post(path, {
    title: ' A *good* [start] #',
    emoji: '🚀',
    language: 'pt-br',
    editMode: 'locked',
  })

  assert.is(made.status, 201)
  const { body } = made
  assert.is(made.headers.get('location'), `${app.url}/v1/spaces/${body.id}`)
  assert.equal(
    [body.title, body.emoji, body.language, body.editMode, body.visibility, body.organization],
    ['A *good* [start] #', '🚀', 'pt-br', 'locked', 'private', 'acme'],
  )
  assert.equal([body.mergeRules, body.defaultLevel], [{ type: 'inherit' }, 'inherit'])
  assert.equal(
    [body.comments, body.changeRequests, body.changeRequestsOpen, body.changeRequestsDraft],
    [0, 0, 0, 0],
  )

  assert.equal(await filesOf(body.id, body.revision), {
    'README.md': '# A \\*good\\* \\[start\\] \\#\n',
    'SUMMARY.md': '# Table of contents\n\n* [A \\*good\\* \\[start\\] #](README.md)\n',
  })
  assert.equal((await creator.get(`/v1/spaces/${body.id}`)).body, body)
})

test('a space can be created without properties, or without content', async () => {
  const plain = await app.admin.post(path)
  assert.is(plain.status, 201)
  assert.equal([plain.body.title, plain.body.emoji], ['Untitled', '📄'])
  const empty = await app.admin.post(path, { title: 'E', emoji: '', empty: true })
  assert.equal(await filesOf(empty.body.id, empty.body.revision), {})
})

test('an emoji is one grapheme, or its code points', async () => {
  for (const emoji of ['❤️', '🇧🇷', '👩🏽‍💻', '1f4d6', '1f468-200d-1f4bb', '©️']) {
    assert.is((await app.admin.post(path, { emoji, empty: true })).body.emoji, emoji, emoji)
  }
  for (const emoji of ['x', '7', '🚀🚀', ':rocket:', 'ffffff', 'face', '🚀 ', null]) {
    assert.is((await app.admin.post(path, { emoji })).status, 400, String(emoji))
  }
})

test('users with the role create can create a space', async () => {
  assert.is((await reviewer.post(path, {})).status, 403)
  assert.is((await guest.post(path, {})).status, 403)
  assert.is((await stranger.post(path, {})).status, 404)
  assert.is((await app.anonymous.post(path, {})).status, 401)
})

test('invalid bodies are refused with a reason', async () => {
  const refused: [body: unknown, message: RegExp][] = [
    [{ title: '' }, /"title" in the body: takes 1 to 50/],
    [{ title: 'x'.repeat(51) }, /takes 1 to 50/],
    [{ title: 'a\nb' }, /one line/],
    [{ title: 5 }, /"title"/],
    [{ language: 'xx' }, /"language"/],
    [{ editMode: 'open' }, /"editMode"/],
    [{ template: 'product-docs' }, /"template" in the body/],
    [
      {
        template: {
          id: 'product-docs',
          params: { contentRefs: { logo: { kind: 'file', file: 'f' } } },
        },
      },
      /there is no file "f"/,
    ],
    [{ computedSource: {} }, /"computedSource" in the body: is not supported yet/],
    [{ visibility: 'public' }, /visibility/],
  ]

  for (const [body, message] of refused) {
    const reply = await app.admin.post(path, body)
    assert.is(reply.status, 400, JSON.stringify(body))
    assert.match(reply.body.error.message, message)
  }

  assert.is((await app.admin.post(path, { parent: 'unknown' })).status, 404)
  assert.is((await app.admin.post(path, { template: { id: 'unknown' } })).status, 404)
})

test('the same Idempotency-Key creates one space', async () => {
  const once = await creator.post(path, { title: 'Once' }, { 'idempotency-key': 'one' })
  const again = await creator.post(path, { title: 'Once' }, { 'idempotency-key': 'one' })
  assert.equal([again.status, again.body], [201, once.body])
  assert.is(
    (await creator.post(path, { title: 'Other' }, { 'idempotency-key': 'one' })).status,
    409,
  )
})

test.run()
