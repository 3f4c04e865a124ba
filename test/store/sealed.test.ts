import type { Compilable } from 'kysely'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { resealAll, sealedColumns } from '../../src/store/sealed.ts'
import { Store } from '../../src/store/store.ts'
import { planOf } from './plans/plan-of.ts'

test('a start finds texts of the first version in indexes of them alone', () => {
  const store = new Store(':memory:')
  const plans: string[] = []
  const all = (built: Compilable) => {
    plans.push(...planOf(store, built))
    return store.all(built)
  }

  resealAll({ all } as unknown as Store, 'first', () => undefined)
  store.close()
  assert.is(plans.length, sealedColumns.length)
  for (const plan of plans)
    assert.match(plan, /^SCAN (\w+) USING COVERING INDEX \1_first_(?:former_)?seal$/)
})

test.run()
