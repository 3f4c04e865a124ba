import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { issueSentence } from '../../src/http/input/issue-sentence.ts'
import { invalidInput } from '../../src/http/input/parse-input.ts'

/** Returns the message of an operation with this schema for a value. */
function said(schema: z.ZodType, value: unknown, where: 'query' | 'body' = 'body'): string {
  const { error } = schema.safeParse(value, { error: issueSentence })
  if (!error) throw new Error('it is taken')
  return invalidInput(where, error).message
}

const Role = z.enum(['admin', 'edit', 'read'])
const Body = z.strictObject({
  title: z.string().min(2).max(4).optional(),
  users: z.array(z.string()).min(1).max(2).optional(),
  role: Role.optional(),
  from: z.iso.datetime().optional(),
  roles: z.record(z.string().min(1), z.strictObject({ role: Role })).optional(),
  events: z.union([z.tuple([z.literal('*')]), z.array(Role)]).optional(),
})

test('an invalid value is described by what the field takes', () => {
  assert.is(said(Body, null), 'The body: takes an object, not null.')
  assert.is(said(Body, []), 'The body: takes an object.')
  assert.is(
    said(Body, { foo: 1, bar: 2 }),
    'The body: has "foo", "bar", which this operation does not know.',
  )

  assert.is(
    said(Body, { foo: 1 }, 'query'),
    'The query: has "foo", which this operation does not know.',
  )
  assert.is(said(Body, { title: null }), '"title" in the body: takes a text, not null.')
  assert.is(said(Body, { title: 'x' }), '"title" in the body: takes at least 2 characters.')
  assert.is(said(Body, { title: 'xxxxx' }), '"title" in the body: takes up to 4 characters.')
  assert.is(said(Body, { users: 'ada' }), '"users" in the body: takes a list.')
  assert.is(said(Body, { users: [] }), '"users" in the body: takes at least 1 item.')
  assert.is(said(Body, { role: 'owner' }), '"role" in the body: takes admin, edit or read.')
  assert.is(said(Body, { roles: [] }), '"roles" in the body: takes an object.')
  assert.is(
    said(Body, { roles: { '': { role: 'read' } } }),
    '"roles." in the body: has a key that is not allowed.',
  )

  assert.is(
    said(Body, { from: 'yesterday' }),
    '"from" in the body: takes a time such as 2026-01-31T12:00:00Z.',
  )
  assert.is(said(Body, { events: 'x' }), '"events" in the body: takes a list.')
})

test('no message speaks of the insides of a check', () => {
  const checks: [z.ZodType, unknown][] = [
    [z.string().regex(/^[a-z]+$/), 'A'],
    [z.email(), 'x'],
    [z.uuid(), 'x'],
    [z.number().multipleOf(2), 3],
    [z.string().startsWith('x'), 'y'],
    [z.string().refine(() => false), 'x'],
    [z.date(), 'x'],
    [z.map(z.string(), z.string()), 'x'],
    [z.never(), 'x'],
    [z.bigint(), 1],
  ]
  for (const [schema, value] of checks)
    assert.not.match(said(schema, value), /[Ii]nvalid|expected|Zod|\/\^/)
})

test('a missing value is reported as missing', () => {
  assert.is(
    said(z.object({ title: z.string() }), {}),
    '"title" in the body: must be there: takes a text.',
  )

  assert.is(
    said(z.object({ role: Role }), {}),
    '"role" in the body: must be there: takes admin, edit or read.',
  )

  assert.is(
    said(Body, { roles: { ada: {} } }),
    '"roles.ada.role" in the body: must be there: takes admin, edit or read.',
  )
})

test('the intended form of several is recognised by its constants', () => {
  const Change = z.discriminatedUnion('operation', [
    z.object({ operation: z.literal('move') }),
    z.object({ operation: z.literal('delete') }),
  ])

  assert.is(said(Change, { operation: 'copy' }), '"operation" in the body: takes move or delete.')
  assert.is(
    said(z.object({ to: Change }), { to: {} }),
    '"to.operation" in the body: takes move or delete.',
  )
})

const Document = z.union([
  z.strictObject({ markdown: z.string().max(10_000) }),
  z.strictObject({ document: z.object({ nodes: z.array(z.string()) }) }),
])

test('a value that fits no alternative is described by the closest one', () => {
  const Page = z.object({ page: Document })
  const told = (page: unknown) => said(Page, { page })
  assert.is(told({ markdown: 5 }), '"page.markdown" in the body: takes a text.')
  assert.is(
    told({ markdown: 'x'.repeat(10_001) }),
    '"page.markdown" in the body: takes up to 10,000 characters.',
  )
  assert.is(told({ document: { nodes: 'x' } }), '"page.document.nodes" in the body: takes a list.')
  assert.is(
    told({ document: {} }),
    '"page.document.nodes" in the body: must be there: takes a list.',
  )
  assert.is(told('text'), '"page" in the body: takes an object.')
  assert.is(said(Page, {}), '"page" in the body: must be there: takes an object.')
})

test('alternatives of different types are all named', () => {
  const Parent = z.object({ parent: z.union([z.string(), z.null()]).optional() })
  assert.is(said(Parent, { parent: 5 }), '"parent" in the body: takes a text or null.')
})

test('a union within a union is reported with its own path', () => {
  const Change = z.object({
    to: z.union([z.object({ parts: z.array(Document) }), z.literal('nothing')]),
  })
  assert.is(
    said(Change, { to: { parts: [{ markdown: 'a' }, { markdown: null }] } }),
    '"to.parts.1.markdown" in the body: takes a text, not null.',
  )
})

test('a custom message takes precedence, and long lists of values are shortened', () => {
  assert.is(said(z.object({ a: z.string('takes a name') }), {}), '"a" in the body: takes a name.')
  const Many = z.enum(Array.from({ length: 50 }, (_, at) => `word-${at}`))
  assert.is(
    said(z.object({ a: Many }), { a: 'x' }),
    '"a" in the body: takes one of 50 values, such as word-0, word-1, word-2; /docs lists them all.',
  )
})

test.run()
