import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { moveRefs } from '../../../src/git/refs/refs.ts'
import { startApp } from '../../support/app.ts'
import { fsck } from '../../support/git/repo.ts'
import { makeSpace, paragraph } from './workbench.ts'

const app = await startApp()
const space = await makeSpace(app)
const editor = space.user('Ed', 'edit')
test.after(() => app.stop())

test('a change request starts at the head of the primary content', async () => {
  const { status, body } = await editor.post(space.path, {
    subject: 'Better words',
    topic: 'ignored',
  })

  assert.is(status, 201)
  const head = await space.head()
  assert.is(body.object, 'change-request')
  assert.is(body.number, 1)
  assert.is(body.status, 'open')
  assert.is(body.subject, 'Better words')
  assert.is(body.createdBy.id, editor.id)
  assert.is(body.revision, head)
  assert.is(body.revisionInitial, head)
  assert.is(body.outdated, false)
  assert.is(body.comments, 0)
  assert.is(body.space, space.id)
  assert.is(body.urls.location, `${app.url}${space.path}/${body.id}`)
  assert.not('description' in body)
  assert.is(await space.head(1), head)
  const merge = { mergeable: true, conflicts: [], unmetRules: [] }
  assert.equal((await editor.get(`${space.path}/1`)).body, { ...body, ...merge })
  assert.equal((await editor.get(`${space.path}/${body.id}`)).body, { ...body, ...merge })
})

test('without a subject it is a draft, and the body is optional', async () => {
  const { status, body } = await editor.post(space.path)
  assert.is(status, 201)
  assert.is(body.status, 'draft')
  assert.is(body.subject, '')
  assert.is((await editor.post(space.path, { subject: '  ' })).body.status, 'draft')
})

test('a description is returned as sent', async () => {
  const description = {
    ...paragraph('Why'),
    nodes: [
      ...paragraph('Why').nodes,
      { object: 'block', type: 'heading-2', data: {}, nodes: paragraph('What').nodes[0]!.nodes },
      {
        object: 'block',
        type: 'list-unordered',
        nodes: [{ object: 'block', type: 'list-item', nodes: paragraph('one').nodes }],
      },
      { object: 'block', type: 'hint', data: { style: 'info' }, nodes: paragraph('look').nodes },
      { object: 'block', type: 'divider', isVoid: true, data: {} },
      {
        object: 'block',
        type: 'code',
        data: { syntax: 'ts' },
        nodes: [
          {
            object: 'block',
            type: 'code-line',
            data: {},
            nodes: paragraph('let a = 1').nodes[0]!.nodes,
          },
        ],
      },
      {
        object: 'block',
        type: 'expandable',
        isVoid: true,
        data: {},
        fragments: [
          {
            object: 'fragment',
            fragment: 'expandable-title',
            type: 'expandable-title',
            nodes: paragraph('More').nodes,
          },
          {
            object: 'fragment',
            fragment: 'expandable-body',
            type: 'expandable-body',
            nodes: paragraph('Much').nodes,
          },
        ],
      },
    ],
  }
  const { status, body } = await editor.post(space.path, { subject: 'Described', description })
  assert.is(status, 201)
  assert.equal(body.description, description)
})

test('a description that the official client could not read is refused with its place', async () => {
  const refused = async (body: unknown, ...words: string[]) => {
    const reply = await editor.post(space.path, body)
    assert.is(reply.status, 400)
    for (const word of words) assert.match(reply.body.error.message, word)
  }

  await refused({ subject: 'x'.repeat(101) }, 'subject', '100')
  await refused({ subject: 7 }, 'subject')
  await refused({ description: { markdown: 5 } }, 'description', 'text')
  await refused({ description: { markdown: 'x'.repeat(50_001) } }, 'description', '50000')
  await refused({ description: { document: { object: 'document' } } }, 'description')
  const block = (node: unknown) => ({
    description: { object: 'document', data: {}, nodes: [node] },
  })

  await refused(
    block({ object: 'block', type: 'columns', nodes: [] }),
    'nodes.0.type',
    'paragraph',
    'columns',
  )
  await refused(block({ object: 'block', type: 'heading-1', nodes: [] }), 'nodes.0.data')
  await refused(
    block({ object: 'block', type: 'hint', data: { style: 'loud' }, nodes: [] }),
    'data.style',
  )
  await refused(block({ object: 'block', type: 'divider', data: {} }), 'nodes.0.isVoid')
  await refused(block({ object: 'block', type: 'paragraph' }), 'nodes.0.nodes')
  await refused(
    block({
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [{ text: 'x' }] }],
    }),
    'nodes.0.nodes.0.leaves.0',
  )
})

test('concurrent requests never get the same number', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) => space.open(editor, `Many ${i}`)),
  )
  const numbers = made.map(reply => reply.body.number as number)
  assert.is(new Set(numbers).size, 8)
})

test('a number whose branch already exists is skipped', async () => {
  const next = (await editor.post(space.path)).body.number + 1
  const squat = await space.commit({ 'squat.md': 'mine' })
  await moveRefs(space.repo, [{ ref: `refs/heads/change-requests/${next}`, from: null, to: squat }])
  const made = await editor.post(space.path, { subject: 'After the squatter' })
  assert.is(made.status, 201)
  assert.is(made.body.number, next + 1)
  assert.is(made.body.revision, squat)
})

test('the same Idempotency-Key creates one change request', async () => {
  const ask = () =>
    editor.request('POST', space.path, { subject: 'Once' }, { 'idempotency-key': 'k-create-1' })
  const [first, second] = [await ask(), await ask()]
  assert.is(first.status, 201)
  assert.equal(second.body, first.body)
})

test('callers without a role are refused', async () => {
  assert.is((await space.user('Com', 'comment').post(space.path, {})).status, 403)
  assert.is((await app.user('Stranger').post(space.path, {})).status, 404)
  assert.is((await app.user('Guest', null).post(space.path, {})).status, 404)
  assert.is((await app.anonymous.post(space.path, {})).status, 401)
  assert.is((await app.admin.post(space.path, {})).status, 201)
  assert.is((await app.admin.post('/v1/spaces/nowhere/change-requests', {})).status, 404)
  fsck(space.repo)
})

test.run()
