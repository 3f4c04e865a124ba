import * as assert from 'uvu/assert'
import { isDatabaseError } from '../../src/store/engine/driver.ts'
import { query, type Store } from '../../src/store/store.ts'
import { readTitle, writeTitle } from './bench.ts'
import { twoStoresSuite } from './suite.ts'

let here: Store
let there: Store
const test = twoStoresSuite('transactions of PostgreSQL', stores => {
  ;({ here, there } = stores)
})

const admins = (store: Store): string[] =>
  store
    .all(query.selectFrom('member').select('user_id').where('role', '=', 'admin'))
    .map(row => row.user_id)

const demote = (store: Store, user: string) =>
  store.run(query.updateTable('member').set({ role: 'read' }).where('user_id', '=', user))

/** Takes the role of an administrator away unless it is the last one. `between` runs in between. */
const demoteUnlessLast = (store: Store, user: string, between = () => {}) =>
  store.transact(() => {
    if (admins(store).length < 2) return 'refused'
    between()
    demote(store, user)
    return 'demoted'
  })

test('two nodes cannot take away the last two administrators', () => {
  let runs = 0
  const result = demoteUnlessLast(here, 'ada', () => {
    runs++
    assert.is(demoteUnlessLast(there, 'bob'), 'demoted')
  })
  assert.is(runs, 1)
  assert.is(result, 'refused')
  assert.equal(admins(here), ['ada'])
  const repeats = [...(here.figures?.repeats ?? [])]
  assert.is(repeats.length, 1, 'one transaction ran again')
})

test('a transaction that always loses ends as busy, and its rows are gone', () => {
  let runs = 0
  try {
    here.transact(() => {
      readTitle(here, 'acme')
      writeTitle(there, 'acme', `there ${++runs}`)
      writeTitle(here, 'acme', 'here')
    })
    assert.unreachable()
  } catch (error) {
    assert.ok(isDatabaseError(error, 'busy'), String(error))
  }
  assert.is(runs, 6)
  assert.is(readTitle(here, 'acme'), 'there 6')
})

test('a row that another node has put meanwhile is refused once the transaction has run again', () => {
  const put = (store: Store) =>
    store.run(query.insertInto('user').values({ id: 'eve', display_name: '', created_at: '' }))
  let runs = 0
  const result = here.transact(() => {
    if (++runs > 1) return 'seen'
    put(there)
    put(here)
    return 'put'
  })
  assert.equal([result, runs], ['seen', 2])
  assert.throws(() => put(here), /unique/)
})

test('a repeat also follows when work hides the error', () => {
  let runs = 0
  here.transact(() => {
    runs++
    readTitle(here, 'acme')
    if (runs === 1) writeTitle(there, 'acme', 'there')
    try {
      writeTitle(here, 'acme', 'here')
    } catch {
      // As a caller that treats a write as optional.
    }
  })
  assert.is(runs, 2)
  assert.is(readTitle(there, 'acme'), 'here')
})

test('what follows a commit runs once, although the transaction runs twice', () => {
  let runs = 0
  let after = 0
  here.transact(() => {
    runs++
    readTitle(here, 'acme')
    here.afterCommit(() => after++)
    if (runs === 1) writeTitle(there, 'acme', 'first')
    writeTitle(here, 'acme', 'second')
  })
  assert.equal([runs, after], [2, 1])
})

test('a function that fails undoes only its own rows', async () => {
  const results = await here.transactEach([
    () => writeTitle(here, 'acme', 'one'),
    () => {
      writeTitle(here, 'acme', 'two')
      here.run(query.insertInto('organization').values({ id: 'acme', title: '', created_at: '' }))
    },
    () => readTitle(here, 'acme'),
  ])
  assert.is((results[0] as { result: unknown }).result, 1)
  assert.ok(isDatabaseError((results[1] as { error: unknown }).error, 'unique'))
  assert.is((results[2] as { result: unknown }).result, 'one')
  assert.is(readTitle(there, 'acme'), 'one')
})

test('a transaction with a failed statement does not commit', () => {
  assert.throws(
    () =>
      here.transact(() => {
        writeTitle(here, 'acme', 'lost')
        try {
          here.run(query.insertInto('user').values({ id: 'ada', display_name: '', created_at: '' }))
        } catch {
          // Without a savepoint, nothing of the transaction can be kept.
        }
      }),
    /unique/,
  )
  assert.is(readTitle(here, 'acme'), 'one')
})

test('what a transaction has read before is read again, together with its beginning', () => {
  const names = ['acme', 'nobody', 'globex']
  const titles = () => here.transact(() => names.map(name => readTitle(here, name)))
  titles()
  writeTitle(there, 'acme', 'now')
  const before = here.figures?.trips ?? 0
  assert.equal(titles(), ['now', undefined, undefined])
  // The commit is the other one.
  assert.is((here.figures?.trips ?? 0) - before, 2)
})

test('what earlier reads say decides nothing', () => {
  const isThere = () => readTitle(here, 'acme') === 'there'
  const decide = () =>
    here.transact(() => {
      if (!isThere()) throw new Error('It has another title.')
      return 'done'
    })
  assert.throws(decide, /another title/)
  writeTitle(there, 'acme', 'there')
  assert.is(decide(), 'done')
  writeTitle(there, 'acme', 'elsewhere')
  assert.throws(decide, /another title/)
})

test('a transaction reads what it has written, also by a trigger or a cascade', () => {
  const read = () => readTitle(here, 'acme')
  const users = () => here.all(query.selectFrom('member').select('user_id')).length
  here.transact(() => {
    const [title, members] = [read(), users()]
    writeTitle(here, 'acme', `${title} written`)
    assert.is(read(), `${title} written`)
    here.run(query.deleteFrom('user').where('id', '=', 'bob'))
    assert.is(users(), members - 1)
  })
})

const send = (id: string) =>
  here.send(query.insertInto('organization').values({ id, title: id, created_at: '' }))

test('statements without a result travel with the commit', () => {
  const before = here.figures?.trips ?? 0
  here.transact(() => {
    send('one')
    send('two')
  })
  assert.is((here.figures?.trips ?? 0) - before, 1)
  assert.equal([readTitle(there, 'one'), readTitle(there, 'two')], ['one', 'two'])
})

test('the error of a statement without a result undoes its own work alone', async () => {
  assert.throws(() => here.transact(() => [send('three'), send('one')]), /unique/)
  assert.is(readTitle(there, 'three'), undefined)
  const ended = await here.transactEach([() => send('four'), () => send('one'), () => send('five')])
  assert.equal(
    ended.map(each => 'error' in each && isDatabaseError(each.error, 'unique')),
    [false, true, false],
  )
  assert.equal([readTitle(there, 'four'), readTitle(there, 'five')], ['four', 'five'])
})

test('a node forgets what another node has changed, and nothing else', async () => {
  there.run(
    query.insertInto('organization').values({ id: 'globex', title: 'Globex', created_at: '' }),
  )
  const remember = (id: string, read: () => unknown) =>
    here.remember(`title ${id}`, read, { organizationId: id })
  let reads = 0
  const both = async () => {
    await here.gate?.pass()
    reads = 0
    for (const id of ['acme', 'globex'])
      remember(id, () => {
        reads++
        return readTitle(here, id)
      })
    return reads
  }
  const rename = (store: Store, seen: string) =>
    store.run(
      query
        .updateTable('member')
        .set({ role: 'admin' })
        .where('organization_id', '=', 'acme')
        .where('user_id', '=', seen),
    )
  await both()
  assert.is(await both(), 0)
  rename(there, 'ada')
  assert.is(await both(), 1)
  rename(here, 'ada')
  assert.is(await both(), 1)
  assert.is(await both(), 0, 'its own write was known')
})

test('a transaction that began before a look and ended after it is seen', async () => {
  there.run(query.insertInto('organization').values({ id: 'initech', title: 'I', created_at: '' }))
  await here.gate?.pass()
  const before = here.version()
  let during: Promise<void> | undefined
  there.transact(() => {
    writeTitle(there, 'acme', 'late')
    during = here.gate?.pass()
  })
  await during
  await here.gate?.pass()
  assert.ok(here.version() > before)
})

test.run()
