import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openPage, type PageFields } from '../../../src/actions/writing/open-page.ts'
import { overlapOf } from '../../../src/actions/writing/overlap.ts'
import type { Destination } from '../../../src/actions/writing/save-changes.ts'
import { savePage } from '../../../src/actions/writing/save-page.ts'
import { Fault } from '../../../src/errors.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { findChangeRequest } from '../../../src/store/discussions/change-requests.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { makeSpace } from '../../api/change-requests/workbench.ts'
import { startApp } from '../../support/app.ts'
import { commitFiles, gitOutside, readIndependently } from '../../support/git/repo.ts'

const app = await startApp()
const { admin, ctx } = app
test.after(() => app.stop())

const start = {
  'README.md': '# Docs\n',
  'SUMMARY.md': '# Table of contents\n\n* [Docs](README.md)\n* [Install](install.md)\n',
}

type Made = Awaited<ReturnType<typeof spaceWith>>

async function spaceWith(text: string) {
  const space = await makeSpace(app)
  await space.commit({ ...start, 'install.md': text })
  const path = `/v1/spaces/${space.id}/content`
  const page = (await admin.get(`${path}/path/install`)).body.id as string
  const head = async () => asOid((await admin.get(path)).body.id)
  return { ...space, page, head }
}

const opened = (space: Made, revision: Oid) => openPage(ctx, space.id, revision, space.page)

const save = async (
  space: Made,
  at: Oid,
  fields: Partial<PageFields>,
  to: Destination = { kind: 'primary' },
  message?: string,
) => savePage(ctx, await writing(space, at, fields), to, { message, origin: null })

const writing = async (space: Made, revision: Oid, fields: Partial<PageFields>) => ({
  space: findSpace(ctx.store, space.id)!,
  by: findUser(ctx.store, admin.id)!,
  page: space.page,
  revision,
  fields: { ...(await opened(space, revision)).fields, ...fields },
})

const textAt = async (space: Made, revision: string, path = 'install.md') =>
  (await readIndependently(space.repo, revision, path)).toString()

test('a page is opened in parts: its title, fields of its front matter, and what stands below', async () => {
  const space = await spaceWith('---\ndescription: How\nlayout: x\n---\n\n# Install\n\nText.\n')
  const { fields } = await opened(space, await space.head())
  assert.equal(fields, {
    title: 'Install',
    description: 'How',
    icon: '',
    cover: '',
    body: 'Text.\n',
  })
})

test('a heading that is not the title of the page is a part of what is written', async () => {
  const space = await spaceWith('# How to install it\n\nText.\n')
  const { fields } = await opened(space, await space.head())
  assert.equal([fields.title, fields.body], ['Install', '# How to install it\n\nText.\n'])
})

test('a page that was not changed makes no commit and no change request', async () => {
  const space = await spaceWith('# Install\r\n\r\nOne\nTwo\r\n')
  const head = await space.head()
  assert.is(await save(space, head, { body: 'One\r\nTwo\r\n' }), undefined)
  assert.is(await save(space, head, {}, { kind: 'new', subject: '' }), undefined)
  assert.is((await admin.get(`/v1/spaces/${space.id}/change-requests`)).body.items.length, 0)
})

test('a saved page differs where it was changed, whatever its line endings are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('', 'a', '\tb  ', '* c'), fc.constantFrom('\n', '\r\n')), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.constantFrom('', 'end'),
      async (lines, last) => {
        const body = `First\r\n${lines.flat().join('')}${last}`
        const space = await spaceWith(`---\n# kept\ndescription: x\n---\n# Install\n\n${body}`)
        const saved = await save(space, await space.head(), {
          body: body.replace('First', 'Changed').replace(/\r\n?/g, '\n'),
        })
        assert.is(
          await textAt(space, saved!.revision),
          `---\n# kept\ndescription: x\n---\n# Install\n\n${body.replace('First', 'Changed')}`,
        )
      },
    ),
    { numRuns: 8 },
  )
})

test('title, description, icon and cover are written where they are kept', async () => {
  const space = await spaceWith('---\nother: 1\ndescription: Old\n---\n\n# Install\n\nText.\n')
  const saved = await save(
    space,
    await space.head(),
    { title: 'Set up', description: '', icon: 'bolt', cover: 'a.png', body: 'Text.\n' },
    { kind: 'primary' },
    'Say it shorter',
  )
  assert.is(
    await textAt(space, saved!.revision),
    '---\nother: 1\nicon: bolt\ncover: a.png\n---\n\n# Set up\n\nText.\n',
  )
  assert.match(await textAt(space, saved!.revision, 'SUMMARY.md'), '[Set up](install.md)')
  assert.is(
    gitOutside(space.repo.dir, ['log', '-1', '--format=%s', saved!.revision]),
    'Say it shorter',
  )
})

test('the first text saved opens a change request, the next goes to it', async () => {
  const space = await spaceWith('# Install\n\nText.\n')
  const head = await space.head()
  const first = await save(space, head, { body: 'One.\n' }, { kind: 'new', subject: '' })
  assert.is(first?.changeRequest?.status, 'draft')
  assert.is(await space.head(), head)

  const row = findChangeRequest(ctx.store, space.id, first!.changeRequest!.id)!
  const next = await save(
    space,
    first!.revision,
    { body: 'Two.\n' },
    { kind: 'change-request', row },
  )
  assert.is(await textAt(space, next!.revision), '# Install\n\nTwo.\n')
  assert.is(await textAt(space, await space.head()), '# Install\n\nText.\n')
})

test('a stale text is merged; where both changed the same, both texts are there', async () => {
  const space = await spaceWith('# Install\n\nOne.\n\nTwo.\n\nThree.\n')
  const looked = await space.head()
  await save(space, looked, { body: 'One of Ada.\n\nTwo.\n\nThree.\n' })
  const merged = await save(space, looked, { body: 'One.\n\nTwo.\n\nThree of Grace.\n' })
  assert.is(
    await textAt(space, merged!.revision),
    '# Install\n\nOne of Ada.\n\nTwo.\n\nThree of Grace.\n',
  )

  const mine = { body: 'One of Linus.\n\nTwo.\n\nThree.\n\nFour.\n' }
  const error = await save(space, looked, mine).catch((fault: unknown) => fault)
  assert.instance(error, Fault)
  assert.is((error as Fault).kind, 'conflict')

  const overlap = await overlapOf(ctx, await writing(space, looked, mine), await space.head())
  assert.is(overlap.fields.body, 'One of Linus.\n\nTwo.\n\nThree.\n\nFour.\n')
  assert.equal(
    overlap.hunks.map(({ ours, theirs }) => [ours, theirs]),
    [
      ['One of Linus.\n', 'One of Ada.\n'],
      ['Three.\n\nFour.\n', 'Three of Grace.\n'],
    ],
  )
  const again = await save(space, overlap.revision, overlap.fields)
  assert.is(await textAt(space, again!.revision), `# Install\n\n${overlap.fields.body}`)
})

test('two titles are shown like two texts', async () => {
  const space = await spaceWith('# Install\n\nText.\n')
  const looked = await space.head()
  await save(space, looked, { title: 'Set up' })
  const mine = { title: 'Installing' }
  const error = await save(space, looked, mine).catch((fault: unknown) => fault)
  assert.is((error as Fault).kind, 'conflict')
  const overlap = await overlapOf(ctx, await writing(space, looked, mine), await space.head())
  assert.equal([overlap.title, overlap.fields.title], ['Set up', 'Installing'])
})

test('a page that is not text is not opened', async () => {
  const space = await spaceWith('# Install\n')
  await commitFiles(space.repo, { 'install.md': Buffer.from([0x23, 0x20, 0x41, 0x0a, 0xff, 0x0a]) })
  const error = await space
    .head()
    .then(head => opened(space, head))
    .catch((fault: Fault) => fault)
  assert.match((error as Fault).message, /not text in UTF-8/)
})

test.run()
