import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { pick } from '../../src/access/fields.ts'
import { fieldsIn, selecting } from '../../src/http/fields.ts'
import { parseQuery } from '../../src/http/input/parse-query.ts'

const Leaf = z.object({ type: z.literal('leaf'), id: z.string(), note: z.string().optional() })
const Branch = z.object({
  type: z.literal('branch'),
  id: z.string(),
  get below() {
    return z.array(z.discriminatedUnion('type', [Branch, Leaf])).optional() as z.ZodType<unknown>
  },
})
const Reply = z.object({
  total: z.number(),
  items: z.array(z.discriminatedUnion('type', [Branch, Leaf])),
  by: z.object({ name: z.string(), mail: z.string() }).nullable(),
  words: z.record(z.string(), z.object({ de: z.string(), fr: z.string() })).optional(),
})
const query = selecting(z.strictObject({ limit: z.string().optional() }), Reply)
const fieldsOf = (fields: string) => fieldsIn(parseQuery(query, { fields }).query)

const tree = {
  type: 'branch',
  id: 'a',
  below: [
    { type: 'leaf', id: 'b', note: 'x' },
    { type: 'branch', id: 'c', below: [{ type: 'leaf', id: 'd' }] },
  ],
}
const reply = {
  total: 2,
  items: [tree, { type: 'leaf', id: 'e', note: 'y' }],
  by: null,
  words: { yes: { de: 'ja', fr: 'oui' }, no: { de: 'nein', fr: 'non' } },
}

test('fields are picked from objects, lists and unions', () => {
  assert.equal(pick(fieldsOf('total'), reply), { total: 2 })
  assert.equal(pick(fieldsOf('items.id,total'), reply), {
    total: 2,
    items: [{ id: 'a' }, { id: 'e' }],
  })
  assert.equal(pick(fieldsOf('items.note,items.id'), reply), {
    items: [{ id: 'a' }, { id: 'e', note: 'y' }],
  })
  assert.equal(pick(fieldsOf('by.name'), reply), { by: null })
  assert.equal(pick(fieldsOf('by.name'), { ...reply, by: { name: 'Ada', mail: 'a@b' } }), {
    by: { name: 'Ada' },
  })
  assert.equal(pick(fieldsOf('items'), reply), { items: reply.items })
  assert.equal(pick(fieldsOf('items.id,items'), reply), { items: reply.items })
  assert.equal(pick(fieldsOf('words.no.fr'), reply), { words: { no: { fr: 'non' } } })
  assert.equal(pick(undefined, reply), reply)
})

test('in a tree, entries at every depth have the fields', () => {
  const shown = {
    items: [{ id: 'a', below: [{ id: 'b' }, { id: 'c', below: [{ id: 'd' }] }] }, { id: 'e' }],
  }
  const Tree = z.object({ below: Branch.shape.below, title: z.string() })
  const asked = (fields: string) =>
    fieldsIn(parseQuery(selecting(z.strictObject({}), Tree), { fields }).query)
  const given = { title: 'T', below: tree.below }

  assert.equal(pick(asked('below.id'), given), { below: shown.items[0]?.below })
  assert.equal(pick(asked('below.below.id,title'), given), {
    title: 'T',
    below: shown.items[0]?.below,
  })
  assert.equal(pick(asked('below.below'), given), { below: tree.below })
})

test('equal fields have one key, whatever their order', () => {
  assert.is(fieldsOf('items.id,total')?.key, fieldsOf('total,items.id,items.id')?.key)
  assert.is(fieldsOf('items,items.id')?.key, fieldsOf('items')?.key)
  assert.is.not(fieldsOf('items')?.key, fieldsOf('items.id')?.key)
  assert.is.not(fieldsOf('words.a,words.b')?.key, fieldsOf('words.ab')?.key)
})

test('an unknown field is refused with those that there are', () => {
  const refused = (fields: string): string => {
    try {
      fieldsOf(fields)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error(`${fields} is not refused`)
  }

  assert.is(
    refused('nope'),
    '"fields" in the query: names "nope", but the answer has only total, items, by, words.',
  )
  assert.match(refused('items.title'), /but "items" has only type, id, below, note\.$/)
  assert.match(refused('total.x'), /but "total" has no fields of its own\.$/)
  for (const fields of [
    '',
    ',',
    'total,',
    '.',
    'items.',
    '__proto__',
    'constructor',
    'words.',
    ' total',
  ])
    assert.match(refused(fields), /^"fields" in the query: /, fields)
  assert.match(refused('x'.repeat(2001)), /2,000/)
})

test.run()
