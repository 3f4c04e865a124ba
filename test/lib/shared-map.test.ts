import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sharedMapSteps } from '../../src/lib/shared-map.ts'
import { atOnce } from '../../src/lib/slices.ts'
import { runs } from '../support/long-run.ts'

const key = fc.nat(400).map(String)
const pairs = fc.array(fc.tuple(key, fc.nat()), { maxLength: 600, size: 'max' })

test('a shared map reads like a map, and stays unchanged when another is derived from it', () => {
  fc.assert(
    fc.property(pairs, pairs, (entries, changes) => {
      const plain = new Map(entries)
      const shared = atOnce(sharedMapSteps(entries))
      const changed = new Map(plain)
      for (const [at, value] of changes) if (changed.has(at)) changed.set(at, value)
      const other = shared.with(changes)

      for (const [map, like] of [
        [shared, plain],
        [other, changed],
      ] as const) {
        assert.equal([...map], [...like])
        assert.equal([[...map.keys()], [...map.values()]], [[...like.keys()], [...like.values()]])
        assert.is(map.size, like.size)
        const each: unknown[] = []

        map.forEach((value, at) => {
          each.push([at, value])
        })
        assert.equal(each, [...like])

        for (let at = 0; at <= 401; at++) {
          assert.is(map.get(String(at)), like.get(String(at)))
          assert.is(map.has(String(at)), like.has(String(at)))
        }
      }

      assert.is(other.slots, shared.slots)
    }),
    { numRuns: runs(60) },
  )
})

test.run()
