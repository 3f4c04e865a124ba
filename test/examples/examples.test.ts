import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readExamples } from '../../src/api/examples/read-examples.ts'
import { answerOf, faultOf, operations, requestOf } from './fits.ts'

const examples = readExamples()

test('every operation has an example of its request and its answer', () => {
  const without = [...operations].flatMap(([id, operation]) => {
    const { request, answer } = examples[id] ?? {}
    const isWhole =
      (!operation.requestBody?.required || request !== undefined) &&
      (!answerOf(operation) || answer !== undefined)
    return isWhole ? [] : id
  })
  assert.equal(without, [])
})

test('examples are of operations, and fit their schemas', () => {
  for (const [id, { request, answer }] of Object.entries(examples)) {
    const operation = operations.get(id)
    assert.ok(operation, `${id} is no operation`)
    if (request !== undefined)
      assert.is(faultOf(requestOf(operation), request), '', `${id}: request`)
    if (answer !== undefined) assert.is(faultOf(answerOf(operation), answer), '', `${id}: answer`)
  }
})

test('examples have no secret and no address of a test', () => {
  const text = JSON.stringify(examples)
  assert.not.match(text, /\bst[a-z]_(?!x{32})[0-9A-Za-z]{20}/)
  assert.not.match(text, /127\.0\.0\.1:\d|localhost:\d/)
})

test.run()
