import { once } from 'node:events'
import { watch } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, type App, startApp } from '../../support/app.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { makeSpace, type Space } from './workbench.ts'

let app: App
let space: Space
let editor: Actor
let users = 0

test.before(async () => {
  app = await startApp()
})
test.after(async () => {
  await app.stop()
})
test.before.each(async () => {
  space = await makeSpace(app)
  editor = space.user(`ed-${++users}`, 'edit')
})

const text = 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n'
const picture = (byte: number) => `\0${String.fromCharCode(byte)}`

/** Returns a change request that conflicts at two places of a page, and in what else is given. */
async function conflicting(also: { ours?: object; theirs?: object; base?: object } = {}) {
  await space.commit({ 'SUMMARY.md': '* [Guide](guide.md)\n', 'guide.md': text, ...also.base })
  const mine = text.replace('One.', 'I.').replace('Five.', 'V.').replace('Three.', 'III.')
  const { body } = await space.open(editor, 'Roman', { 'guide.md': mine, ...also.ours })
  const theirs = text.replace('One.', '1.').replace('Five.', '5.')
  await space.commit({ 'guide.md': theirs, ...also.theirs })
  return `${space.path}/${body.number}`
}

/** Returns a choice for each hunk of the page, in order. */
async function choices(path: string, chosen: unknown[]): Promise<object[]> {
  const { body } = await editor.get(`${path}/conflicts`)
  const { hunks } = body.items.find((file: { path: string }) => file.path === 'guide.md')
  return chosen.map((choice, at) => ({
    hunk: hunks[at].hunk,
    ...(typeof choice === 'string' ? { take: choice } : (choice as object)),
  }))
}

test('conflicts have their hunks, with the change request as "ours" in a merge and an update alike', async () => {
  const path = await conflicting()
  const { body: listed } = await editor.get(`${path}/conflicts`)
  assert.is(listed.count, 1)
  const places = listed.items[0].hunks.map(({ hunk, ...place }: { hunk: string }) => {
    assert.match(hunk, /^[0-9a-f]{12}$/)
    return place
  })
  assert.equal(places, [
    { base: 'One.\n', ours: 'I.\n', theirs: '1.\n', lines: { base: 1, ours: 1, theirs: 1 } },
    { base: 'Five.\n', ours: 'V.\n', theirs: '5.\n', lines: { base: 9, ours: 9, theirs: 9 } },
  ])
  assert.is(listed.items[0].path, 'guide.md')
  assert.type(listed.items[0].page, 'string')

  const { body: updated } = await editor.post(`${path}/update`)
  const { body: merged } = await editor.post(`${path}/merge`)

  assert.equal(updated.conflicts, listed.items)
  assert.equal(merged.conflicts, listed.items)
})

test('a change request says whether it can be merged, and what stands in the way', async () => {
  const path = await conflicting({
    base: { 'a.bin': picture(1) },
    ours: { 'a.bin': picture(2) },
    theirs: { 'a.bin': picture(3) },
  })
  const { body: shown } = await editor.get(path)
  const { body: list } = await editor.get(space.path)

  assert.is(shown.mergeable, false)
  assert.equal(
    shown.conflicts.map((file: { path: string; type: string }) => [file.path, file.type]),
    [
      ['a.bin', 'binary'],
      ['guide.md', 'content'],
    ],
  )
  assert.equal(shown.unmetRules, [])
  assert.not.ok('mergeable' in list.items[0])

  const { body: conflicts } = await editor.get(`${path}/conflicts`)
  assert.equal(
    conflicts.items.map(({ hunks }: { hunks?: unknown[] }) => hunks?.length),
    [undefined, 2],
  )

  const resolutions = [
    { path: 'a.bin', take: 'theirs' },
    { path: 'guide.md', hunks: await choices(path, ['ours', 'theirs']) },
  ]
  assert.is((await editor.post(`${path}/update`, { resolutions })).body.result, 'update')
  assert.is((await editor.get(path)).body.mergeable, true)
  assert.equal((await editor.get(`${path}/conflicts`)).body.items, [])

  assert.is((await editor.post(`${path}/merge`)).body.result, 'merge')
  const { body: after } = await editor.get(path)
  assert.not.ok('mergeable' in after)
  assert.equal((await editor.get(`${path}/conflicts`)).body, { count: 0, items: [] })
})

test('unmet merge rules are named before somebody merges', async () => {
  const { body: request } = await space.open(editor, 'Rules', { 'new.md': 'New.\n' })
  const set = await app.admin.patch(`/v1/spaces/${space.id}`, {
    mergeRules: { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] },
  })
  assert.is(set.status, 200, set.text)
  const { body: shown } = await editor.get(`${space.path}/${request.number}`)

  assert.is(shown.mergeable, false)
  assert.equal(shown.conflicts, [])
  assert.equal(
    shown.unmetRules.map(({ rule }: { rule: string }) => rule),
    ['require_at_least_one_review'],
  )
})

test('each hunk is resolved with a side, both or a new text, and the text around them is merged', async () => {
  const path = await conflicting()
  const hunks = await choices(path, ['both', { content: 'Fünf.\n' }])
  const { body } = await editor.post(`${path}/update`, {
    resolutions: [{ path: 'guide.md', hunks }],
  })
  assert.is(body.result, 'update')
  const number = Number(path.split('/').at(-1))
  assert.is(
    gitOutside(space.repo.dir, ['show', `${await space.head(number)}:guide.md`]),
    'I.\n1.\n\nTwo.\n\nIII.\n\nFour.\n\nFünf.',
  )
})

test('choices that do not match the hunks are refused, and nothing moves', async () => {
  const path = await conflicting({
    base: { 'a.bin': picture(1) },
    ours: { 'a.bin': picture(2) },
    theirs: { 'a.bin': picture(3) },
  })
  const before = (await editor.get(path)).body.revision
  const resolutions = (hunks: unknown[], bin: object) => ({
    resolutions: [
      { path: 'guide.md', hunks },
      { path: 'a.bin', ...bin },
    ],
  })
  const both = await choices(path, ['ours', 'theirs'])
  const few = await editor.post(`${path}/update`, resolutions(both.slice(1), { take: 'ours' }))
  assert.is(few.status, 409)
  assert.match(few.body.error.message, 'The choices for "guide.md" are not those of its hunks now.')
  const bin = await editor.post(`${path}/update`, resolutions(both, { hunks: both }))
  assert.is(bin.status, 400)
  assert.match(bin.body.error.message, '"a.bin" has no hunks')
  const mine = [{ ...both[0], take: 'mine' }, both[1]]
  assert.is((await editor.post(`${path}/update`, resolutions(mine, {}))).status, 400)
  assert.is((await editor.get(path)).body.revision, before)
})

test('a choice is for the texts that it was made for, whatever changes meanwhile', async () => {
  const path = await conflicting()
  const hunks = await choices(path, ['ours', 'theirs'])
  await space.commit({ 'guide.md': text.replace('Three.', '3.').replace('Five.', '5.') })
  const late = await editor.post(`${path}/update`, { resolutions: [{ path: 'guide.md', hunks }] })
  assert.is(late.status, 409)
})

test('a reader is not told which merge rules are unmet', async () => {
  const { body: request } = await space.open(editor, 'Rules', { 'new.md': 'New.\n' })
  const rules = [{ rule: 'require_at_least_one_review' }]
  await app.admin.patch(`/v1/spaces/${space.id}`, { mergeRules: { type: 'rules', rules } })
  const reader = space.user(`reader-${++users}`, 'read')
  const { body } = await reader.get(`${space.path}/${request.number}`)
  assert.is(body.mergeable, false)
  assert.not.ok('unmetRules' in body)
})

test('entries of the table of contents in conflict are named, and chosen one by one', async () => {
  const list = (title: string, more = '') => `* [Home](README.md)\n* [${title}](guide.md)\n${more}`
  await space.commit({
    'README.md': '# Home\n',
    'guide.md': 'Text.\n',
    'SUMMARY.md': list('Guide'),
  })
  const { body } = await space.open(editor, 'Title', {
    'SUMMARY.md': list('Handbook', '* [New](new.md)\n'),
    'new.md': 'New.\n',
  })
  await space.commit({ 'SUMMARY.md': list('Manual') })
  const path = `${space.path}/${body.number}`
  const { body: listed } = await editor.get(`${path}/conflicts`)
  const entry = '> guide.md'
  const place = { target: 'guide.md', after: 'Home' }

  assert.equal(listed.items[0].entries, [
    {
      entry,
      base: { title: 'Guide', ...place },
      ours: { title: 'Handbook', ...place },
      theirs: { title: 'Manual', ...place },
    },
  ])
  const resolve = (entries: object[]) =>
    editor.post(`${path}/update`, { resolutions: [{ path: 'SUMMARY.md', entries }] })
  const none = await resolve([])
  assert.is(none.status, 409)
  assert.match(none.body.error.message, 'Send one for each of the "entries"')
  assert.is((await resolve([{ entry, take: 'theirs' }])).body.result, 'update')
  assert.is(
    gitOutside(space.repo.dir, ['show', `${await space.head(body.number)}:SUMMARY.md`]),
    list('Manual', '* [New](new.md)'),
  )
})

test('a table of contents merges by its entries in both directions while one side moves it', async () => {
  const list = '* [A](a.md)\n* [B](b.md)\n'
  await space.commit({ 'SUMMARY.md': list, 'TOC.md': list, 'a.md': '# A\n', 'b.md': '# B\n' })
  const { body } = await space.open(editor, 'C', {
    'SUMMARY.md': `${list}* [C](c.md)\n`,
    'TOC.md': `${list}* [C](c.md)\n`,
    'c.md': '# C\n',
  })
  await space.commit({
    '.gitbook.yaml': 'structure:\n  summary: TOC.md\n',
    'SUMMARY.md': `${list}* [D](d.md)\n`,
    'TOC.md': `${list}* [D](d.md)\n`,
    'd.md': '# D\n',
  })
  const path = `${space.path}/${body.number}`

  assert.equal((await editor.get(`${path}/conflicts`)).body.items, [])
  assert.is((await editor.get(path)).body.mergeable, true)
  assert.is((await editor.post(`${path}/update`)).body.result, 'update')
  assert.is((await editor.post(`${path}/merge`)).body.result, 'merge')
})

test('concurrent readers of a change request share one merge', async () => {
  const path = await conflicting()
  const folder = join(space.repo.dir, 'objects')
  const merges = new Set<string>()
  const watcher = watch(folder, (_event, name) => {
    if (name?.startsWith('tmp_objdir-merge-')) merges.add(name)
  })
  try {
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => editor.get(i % 2 ? path : `${path}/conflicts`)),
    )
    assert.ok(replies.every(({ status }) => status === 200))
    assert.is(new Set(replies.map(({ text }) => text)).size, 2)
    // Events of the folder arrive in order.
    await writeFile(join(folder, 'tmp_objdir-merge-end'), '')
    while (!merges.has('tmp_objdir-merge-end')) await once(watcher, 'change')
    assert.is(merges.size, 2)
  } finally {
    watcher.close()
    await rm(join(folder, 'tmp_objdir-merge-end'), { force: true })
  }
})

test.run()
