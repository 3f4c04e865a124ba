import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { roleOnSpace } from '../../../src/access/space-role.ts'
import { insertOrganization } from '../../../src/store/people/organizations.ts'
import { revokeToken } from '../../../src/store/people/tokens.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { Store } from '../../../src/store/store.ts'
import { type Figure, interleave, type Pace } from '../figure.ts'
import { crowd, fillOrganization } from '../people.ts'

const times = 2_000

/** The time that a page read spends on the caller's role. */
export async function permissionCheck(pace: Pace): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stemma-bench-'))
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    insertOrganization(store, {
      id: 'default',
      title: 'Default',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    fillOrganization({ dataDir })
    const check = (n: number): number => {
      const space = findSpace(store, `space-${(n * 50) % crowd.spaces}`)
      if (!space) throw new Error('There is no such space.')
      const started = performance.now()
      const role = roleOnSpace({ store }, space, 'member')
      const taken = performance.now() - started
      if (role !== 'edit') throw new Error(`The role is ${role}.`)
      return taken
    }

    const ms = await interleave(pace.rounds, {
      warm: async () => {
        check(1)
        return middle(() => check(1))
      },
      changed: async () =>
        middle(n => {
          revokeToken(store, 'nobody', '')
          return check(n)
        }),
    })
    const target = { of: 'figure', is: 'under', value: 0.2 } as const
    const who = `of a member of ${crowd.teams} teams among ${crowd.permissions} permissions, p50`

    return [
      {
        work: `the permission check in a warm page read, ${who}`,
        value: ms.warm,
        unit: 'ms',
        target,
      },
      { work: 'the same right after some row has changed', value: ms.changed, unit: 'ms', target },
    ]
  } finally {
    store.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function middle(work: (time: number) => number): number {
  const taken = Array.from({ length: times }, (_, n) => work(n)).sort((a, b) => a - b)
  return taken[times >> 1] as number
}
