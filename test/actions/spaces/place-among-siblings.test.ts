import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Pointer,
  placeAmongSiblings,
} from '../../../src/actions/spaces/place-among-siblings.ts'
import { insertOrganization } from '../../../src/store/people/organizations.ts'
import { insertCollection } from '../../../src/store/spaces/collections.ts'
import { listSiblings, nextPosition } from '../../../src/store/spaces/siblings.ts'
import { insertSpace } from '../../../src/store/spaces/spaces.ts'
import { Store } from '../../../src/store/store.ts'
import { runs } from '../../support/long-run.ts'

const at = '2026-01-01T00:00:00.000Z'

function makeStore(): Store {
  const store = new Store(':memory:')
  insertOrganization(store, { id: 'acme', title: 'Acme', created_at: at })
  return store
}

const addSpace = (store: Store, id: string, collection_id: string | null, position = 0) =>
  insertSpace(store, {
    id,
    organization_id: 'acme',
    title: id,
    collection_id,
    position,
    created_at: at,
    updated_at: at,
  })

const addCollection = (store: Store, id: string, parent_id: string | null, position = 0) =>
  insertCollection(store, {
    id,
    organization_id: 'acme',
    parent_id,
    title: id,
    position,
    created_at: at,
  })

const pointer = (id: string): Pointer =>
  id.startsWith('c') ? { type: 'collection', collection: id } : { type: 'space', space: id }

test('a sequence of moves gives the same order as an array, whatever the initial positions are', () => {
  const ids = ['s0', 'c1', 's2', 'c3', 's4']
  const move = fc.tuple(fc.nat(4), fc.nat(4), fc.constantFrom('before', 'after', 'end'))
  fc.assert(
    fc.property(
      fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
      fc.array(move, { maxLength: 12 }),
      (positions, moves) => {
        const store = makeStore()
        for (const [i, id] of ids.entries()) {
          if (id.startsWith('c')) addCollection(store, id, null, positions[i])
          else addSpace(store, id, null, positions[i])
        }

        const order = () => listSiblings(store, 'acme', null).map(sibling => sibling.id)
        let model = order()

        for (const [from, to, how] of moves) {
          const [id, beside] = [ids[from] as string, ids[to] as string]
          if (id === beside && how !== 'end') continue
          const rest = model.filter(other => other !== id)
          const index =
            how === 'end' ? rest.length : rest.indexOf(beside) + (how === 'after' ? 1 : 0)
          const next = rest.toSpliced(index, 0, id)
          const position = how === 'end' ? {} : { [how]: pointer(beside) }
          const item = {
            kind: id.startsWith('c') ? ('collection' as const) : ('space' as const),
            id,
          }

          const moved = placeAmongSiblings(
            store,
            item,
            { organizationId: 'acme', parentId: null },
            position,
          )

          assert.is(moved, next.join() !== model.join())
          model = next
          assert.equal(order(), model)
        }

        store.close()
      },
    ),
    { numRuns: runs(60) },
  )
})

test('a position takes items of the same parent only, and `before` and `after` must be neighbours', () => {
  const store = makeStore()
  for (const [i, id] of ['s1', 's2', 's3'].entries()) addSpace(store, id, null, i + 1)
  addCollection(store, 'c1', null, 4)
  addSpace(store, 'inside', 'c1')
  const place = (position: { before?: Pointer; after?: Pointer }) =>
    placeAmongSiblings(
      store,
      { kind: 'space', id: 's1' },
      { organizationId: 'acme', parentId: null },
      position,
    )

  assert.throws(
    () => place({ before: pointer('inside') }),
    /not another item in the same collection/,
  )
  assert.throws(() => place({ before: pointer('s1') }), /not another item/)
  assert.throws(() => place({ before: pointer('s2'), after: pointer('s3') }), /two adjacent items/)
  assert.ok(place({ after: pointer('s2'), before: pointer('s3') }))
  assert.equal(
    listSiblings(store, 'acme', null).map(sibling => sibling.id),
    ['s2', 's1', 's3', 'c1'],
  )
  assert.is(nextPosition(store, 'acme', null), 6)
  assert.is(nextPosition(store, 'acme', 'nothing'), 1)
  store.close()
})

test.run()
